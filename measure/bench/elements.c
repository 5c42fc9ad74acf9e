/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the cost of an element per buffer, compared with identity, which
 * does nothing. Prints, separated by tabs: "element", frames of a buffer, the
 * element, ns per buffer, calls of malloc per buffer. With
 * G_SLICE=always-malloc, all allocations are counted; the times are valid only
 * without that setting.
 */

#include "rounds.h"

#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <stdio.h>

#define RATE 48000
#define CAPS "audio/x-raw,format=" GST_AUDIO_NE (F32) \
    ",layout=interleaved,rate=48000,channels=2"
#define FRAME_BYTES 8

/* ---- counting ------------------------------------------------------------ */

extern void *__libc_malloc (size_t bytes);
extern void *__libc_calloc (size_t n, size_t bytes);
extern void *__libc_realloc (void *memory, size_t bytes);
extern void *__libc_memalign (size_t alignment, size_t bytes);

static unsigned long n_allocations;

/* Replace the functions of libc that the libraries call in this program. */
void *
malloc (size_t bytes)
{
  n_allocations++;
  return __libc_malloc (bytes);
}

void *
calloc (size_t n, size_t bytes)
{
  n_allocations++;
  return __libc_calloc (n, bytes);
}

void *
realloc (void *memory, size_t bytes)
{
  n_allocations++;
  return __libc_realloc (memory, bytes);
}

int
posix_memalign (void **memory, size_t alignment, size_t bytes)
{
  n_allocations++;
  *memory = __libc_memalign (alignment, bytes);
  return *memory != NULL ? 0 : 12;
}

/* ---- an element between two pads ------------------------------------------ */

typedef struct
{
  GstElement *element;          /* NULL: the pads are linked directly */
  GstPad *source, *sink;
  guint8 *data;                 /* the data of every buffer */
  guint n_frames;
  guint64 frame;                /* number of the next frame */
} Line;

static GstFlowReturn
drop_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
link_pads (Line * line)
{
  GstPad *in, *out;

  if (line->element == NULL) {
    gst_pad_link (line->source, line->sink);
    return;
  }
  in = gst_element_get_static_pad (line->element, "sink");
  out = gst_element_get_static_pad (line->element, "src");
  gst_pad_link (line->source, in);
  gst_pad_link (out, line->sink);
  gst_object_unref (in);
  gst_object_unref (out);
  gst_element_set_state (line->element, GST_STATE_PLAYING);
}

static void
begin_stream (Line * line)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (line->source, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (line->source, gst_event_new_caps (caps));
  gst_pad_push_event (line->source, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static Line *
line_new (const gchar * description, guint n_frames)
{
  Line *line = g_new0 (Line, 1);

  if (*description != '\0') {
    line->element = gst_parse_launch (description, NULL);
    if (line->element == NULL)
      g_error ("there is no %s: set GST_PLUGIN_PATH_1_0", description);
  }
  line->source = gst_pad_new ("source", GST_PAD_SRC);
  line->sink = gst_pad_new ("sink", GST_PAD_SINK);
  line->n_frames = n_frames;
  line->data = g_malloc0 ((gsize) n_frames * FRAME_BYTES);
  gst_pad_set_chain_function (line->sink, drop_buffer);
  gst_pad_set_active (line->sink, TRUE);
  gst_pad_set_active (line->source, TRUE);
  link_pads (line);
  begin_stream (line);
  return line;
}

static double
push (void *data)
{
  Line *line = data;
  gsize bytes = (gsize) line->n_frames * FRAME_BYTES;
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      line->data, bytes, 0, bytes, NULL, NULL);

  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale_int (line->frame, GST_SECOND, RATE);
  line->frame += line->n_frames;
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale_int (line->frame, GST_SECOND, RATE)
      - GST_BUFFER_PTS (buffer);
  if (gst_pad_push (line->source, buffer) != GST_FLOW_OK)
    g_error ("an element does not take buffers");
  return 1;
}

/* ---- rows ----------------------------------------------------------------- */

/* descriptions for gst-launch; the first one links the pads directly */
static const gchar *const elements[] = {
  "",
  "identity",
  "revbuf",
  "timescale",
  "timescale interpolation=linear",
  "audioresample",
  "revbuf direction=reverse mode=chunk block-time=100000000",
  "timescale factor=1.1 interpolation=linear",
  "timescale factor=1.1 interpolation=cubic",
  "timescale factor=1.1 quality=4",
  "timescale factor=1.1",
};

static double
allocations_per_buffer (Line * line)
{
  enum
  { BUFFERS = 1000 };
  unsigned long before;
  int i;

  for (i = 0; i < BUFFERS; i++)
    push (line);
  before = n_allocations;
  for (i = 0; i < BUFFERS; i++)
    push (line);
  return (double) (n_allocations - before) / BUFFERS;
}

static void
measure (guint n_frames)
{
  Runner runners[G_N_ELEMENTS (elements)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elements); i++)
    runners[i] = (Runner) {
    .step = push,.data = line_new (elements[i], n_frames)
    };
  rounds_run (runners, G_N_ELEMENTS (elements));
  for (i = 0; i < G_N_ELEMENTS (elements); i++)
    printf ("element\t%u\t%s\t%.1f\t%.3f\n", n_frames, elements[i],
        runners[i].unit_ns, allocations_per_buffer (runners[i].data));
}

/* Does nothing. */
static gpointer
wait_for_ever (gpointer unused)
{
  GMutex mutex;
  GCond cond;

  g_mutex_init (&mutex);
  g_cond_init (&cond);
  g_mutex_lock (&mutex);
  for (;;)
    g_cond_wait (&cond, &mutex);
  return NULL;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  /* a pipeline has several threads; with only one, the locks of the C library would be
   * cheaper */
  g_thread_unref (g_thread_new ("idle", wait_for_ever, NULL));
  setvbuf (stdout, NULL, _IOLBF, 0);
  measure (64);
  measure (1024);
  measure (16384);
  return 0;
}
