/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts what the elements allocate per buffer, once they've played for a while. The plugin's C
 * code may only allocate memory for the samples of an output buffer, and the Swift code must not
 * allocate anything. GStreamer itself allocates the objects of a buffer.
 *
 * This program replaces malloc() with a function that counts the calls and
 * determines the caller. GLib must use malloc() for everything
 * (G_SLICE=always-malloc).
 */

#define _GNU_SOURCE
#include "retrotest.h"

#include <execinfo.h>
#include <link.h>
#include <math.h>
#include <string.h>

#define WARM_UP 40
#define N_BUFFERS 200
#define BUFFER_FRAMES 1024
#define MAX_CALLERS 16

/* GStreamer's allocations for a buffer: the buffer object, its memory, and a meta */
#define MAX_OF_GSTREAMER 3

/* ---- counting ----------------------------------------------------------- */

typedef enum
{
  OF_SWIFT,                     /* by the Swift code of the plugin */
  OF_C,                         /* by the plugin's C code, through GLib */
  OF_GSTREAMER,
  OF_OTHERS,
  N_OWNERS
} Owner;

typedef struct
{
  gulong first, end;
} Range;

static Range plugin, gstreamer[8], helpers[4];
static guint n_gstreamer, n_helpers;
static guint counts[N_OWNERS];
static gboolean counting, inside, through_glib;

static gboolean
is_in (const Range * ranges, guint n, gconstpointer address)
{
  guint i;

  for (i = 0; i < n; i++)
    if ((gulong) address >= ranges[i].first && (gulong) address < ranges[i].end)
      return TRUE;
  return FALSE;
}

/* The owner of the first caller that is not in this file, libc or GLib. */
static Owner
find_owner (void)
{
  gpointer callers[MAX_CALLERS];
  gint n = backtrace (callers, MAX_CALLERS), i;
  gboolean direct = !through_glib;

  for (i = 0; i < n; i++) {
    if (is_in (&plugin, 1, callers[i]))
      return direct ? OF_SWIFT : OF_C;
    if (is_in (gstreamer, n_gstreamer, callers[i]))
      return OF_GSTREAMER;
    if (is_in (helpers, n_helpers, callers[i]))
      direct = FALSE;
  }
  return OF_OTHERS;
}

static void __attribute__((noinline))
    count (void)
{
  if (!counting || inside)
    return;
  inside = TRUE;
  counts[find_owner ()]++;
  inside = FALSE;
}

extern void *__libc_malloc (size_t bytes);
extern void *__libc_calloc (size_t n, size_t bytes);
extern void *__libc_realloc (void *memory, size_t bytes);
extern void *__libc_memalign (size_t alignment, size_t bytes);

void *
malloc (size_t bytes)
{
  count ();
  return __libc_malloc (bytes);
}

void *
calloc (size_t n, size_t bytes)
{
  count ();
  return __libc_calloc (n, bytes);
}

void *
realloc (void *memory, size_t bytes)
{
  count ();
  return __libc_realloc (memory, bytes);
}

int
posix_memalign (void **memory, size_t alignment, size_t bytes)
{
  count ();
  *memory = __libc_memalign (alignment, bytes);
  return *memory != NULL ? 0 : 12;
}

void *
aligned_alloc (size_t alignment, size_t bytes)
{
  count ();
  return __libc_memalign (alignment, bytes);
}

/* Replaces GLib's function, which jumps to malloc() in its last instruction and so
 * would not be among the callers. This function records that the call came through
 * GLib. */
gpointer
g_try_malloc (gsize bytes)
{
  through_glib = TRUE;
  gpointer memory = malloc (bytes);
  through_glib = FALSE;
  return memory;
}

static int
note_module (struct dl_phdr_info *info, size_t size, void *unused)
{
  Range range = { G_MAXULONG, 0 };
  guint i;

  for (i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) * part = &info->dlpi_phdr[i];
    gulong first = info->dlpi_addr + part->p_vaddr;

    if (part->p_type != PT_LOAD)
      continue;
    range.first = MIN (range.first, first);
    range.end = MAX (range.end, first + part->p_memsz);
  }
  if (strstr (info->dlpi_name, "libgstretrograde") != NULL)
    plugin = range;
  else if (strstr (info->dlpi_name, "/libgst") != NULL
      && n_gstreamer < G_N_ELEMENTS (gstreamer))
    gstreamer[n_gstreamer++] = range;
  else if ((strstr (info->dlpi_name, "/libglib") != NULL
          || strstr (info->dlpi_name, "/libgobject") != NULL)
      && n_helpers < G_N_ELEMENTS (helpers))
    helpers[n_helpers++] = range;
  return 0;
}

static void
start_counting (void)
{
  gpointer callers[2];

  n_gstreamer = n_helpers = 0;
  dl_iterate_phdr (note_module, NULL);
  fail_unless (plugin.end > 0 && n_gstreamer > 0 && n_helpers > 0);
  backtrace (callers, 2);       /* the first call loads libraries, which allocates
                                 * memory */
  memset (counts, 0, sizeof (counts));
  counting = TRUE;
}

/* ---- streams ------------------------------------------------------------ */

typedef struct
{
  const gchar *element;
  gdouble rate;
  gboolean moves;               /* factor or direction changes continuously */
} Case;

static const Case cases[] = {
  {"revbuf", 1, FALSE},
  {"revbuf", -1, FALSE},
  {"revbuf direction=reverse mode=chunk block-time=50000000", 1, FALSE},
  {"timescale factor=0.7", 1, FALSE},
  {"timescale factor=1.5", 1, FALSE},
  {"timescale factor=1.5", -1, FALSE},
  {"timescale interpolation=linear factor=1.1", 1, FALSE},
  {"timescale interpolation=cubic factor=1.1", 1, TRUE},
  {"timescale keep-pitch=true factor=0.7", 1, FALSE},
  {"timescale keep-pitch=true factor=1.5", 1, FALSE},
  {"timescale keep-pitch=true factor=1.5", -1, FALSE},
  {"timescale keep-pitch=true semitones=3 factor=1.1", 1, TRUE},
  {"timescale semitones=-4 factor=1.3", 1, FALSE},
  {"timescale semitones=4 formants=keep", 1, TRUE},
  {"timescale window=music keep-pitch=true factor=1.5", 1, TRUE},
  {"timescale window=speech keep-pitch=true factor=1.5", 1, TRUE},
  {"timescale window=low-latency keep-pitch=true factor=1.5", 1, TRUE}
};

static guint n_out;

static GstPadProbeReturn
count_output (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  n_out++;
  return GST_PAD_PROBE_OK;
}

/* Noise, a voice of 200 Hz, and silence, in turn. The stretcher detects an
 * onset where the noise follows the silence. */
static gfloat
sound (guint64 frame)
{
  guint64 place = frame % 24000;

  if (place < 3000)
    return (gfloat) ((frame * 2654435761u) % 1000) / 1000 - 0.5;
  return place < 20000 ? exp (-(gdouble) (frame % 240) / 30) : 0;
}

static GstBuffer *
make_input (const GstAudioInfo * info, gdouble rate, guint n)
{
  guint total = WARM_UP + N_BUFFERS, i;
  guint64 first = (guint64) (rate > 0 ? n : total - 1 - n) * BUFFER_FRAMES;
  gfloat samples[BUFFER_FRAMES][2];

  for (i = 0; i < BUFFER_FRAMES; i++)
    samples[i][0] = samples[i][1] = sound (first + i);
  return retro_test_buffer_of (info, samples, BUFFER_FRAMES,
      retro_test_time (info, first));
}

static void
turn_knob (GstElement * element, guint n)
{
  g_object_set (element, "factor", 1 + (n % 10) / 10.0, NULL);
}

static void
push_segment (GstHarness * h, const Case * c, const GstAudioInfo * info)
{
  GstSegment segment = retro_test_segment (c->rate, 0, retro_test_time (info,
          (WARM_UP + N_BUFFERS) * BUFFER_FRAMES));

  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

static GstHarness *
start (const Case * c, const GstAudioInfo * info)
{
  GstElement *element = gst_parse_launch (c->element, NULL);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  gst_object_unref (element);
  gst_harness_set_drop_buffers (h, TRUE);
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, count_output, NULL,
      NULL);
  gst_harness_set_src_caps (h, gst_audio_info_to_caps (info));
  push_segment (h, c, info);
  return h;
}

SOME_TEST (a_buffer_costs_its_samples, 12, 2 * G_N_ELEMENTS (cases))
{
  const Case *c = &cases[__i__ / 2];
  GstBuffer *input[WARM_UP + N_BUFFERS];
  GstHarness *h;
  guint n;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F32, __i__ % 2 ? PLANAR : INTERLEAVED,
      48000, 2);
  h = start (c, &info);
  for (n = 0; n < WARM_UP + N_BUFFERS; n++)
    input[n] = make_input (&info, c->rate, n);
  for (n = 0; n < WARM_UP + N_BUFFERS; n++) {
    if (n == WARM_UP) {
      n_out = 0;
      start_counting ();
    }
    counting = FALSE;
    if (c->moves)
      turn_knob (h->element, n);
    counting = n >= WARM_UP;
    gst_harness_push (h, input[n]);
  }
  counting = FALSE;

  g_print ("%s, rate %g: %u buffers: %.2f by Swift, %.2f by C, "
      "%.2f by GStreamer each\n", c->element, c->rate, n_out,
      (gdouble) counts[OF_SWIFT] / n_out, (gdouble) counts[OF_C] / n_out,
      (gdouble) counts[OF_GSTREAMER] / n_out);
  fail_unless (n_out >= N_BUFFERS / 2);
  fail_unless_equals_int (counts[OF_SWIFT], 0);
  fail_unless (counts[OF_C] <= n_out, "%u for %u buffers", counts[OF_C], n_out);
  /* the number of messages about a changing factor is not limited */
  fail_unless (c->moves
      || counts[OF_GSTREAMER] <= MAX_OF_GSTREAMER * n_out,
      "%u for %u buffers", counts[OF_GSTREAMER], n_out);
  gst_harness_teardown (h);
}

/* Counts the allocations for a new stream, to check that allocations are detected and
 * attributed to the right caller. */
TEST (a_new_stream_allocates_memory)
{
  static const Case c = { "timescale factor=1.5", 1, FALSE };
  GstHarness *h;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, 48000, 2);
  h = start (&c, &info);
  start_counting ();
  push_segment (h, &c, &info);
  gst_harness_push (h, make_input (&info, 1, 0));
  counting = FALSE;
  fail_unless (counts[OF_SWIFT] > 0);
  fail_unless (counts[OF_C] > 0);
  fail_unless (counts[OF_GSTREAMER] > 0);
  gst_harness_teardown (h);
}
