/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Soak tests. If a test fails, an error is printed, and the exit status is 1.
 *
 *   soak play HOURS    plays this amount of audio as fast as possible, with random commands;
 *                      each frame must be at its position, and memory must not grow
 *   soak many N        runs N pipelines in parallel; each must output all of its frames
 *   soak cycles N      creates, plays and destroys N pipelines; memory must not grow
 */

#include "retrotestsource.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RATE 8000
#define SEED 20260101
/* how much the memory may change during a test, in KiB; not 0, because the allocator
 * keeps some of the freed memory */
#define FLAT_KIB 6000

G_NORETURN static void
give_up (const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
  exit (1);
}

/* ---- memory ------------------------------------------------------------- */

static gdouble
resident_kib (void)
{
  gdouble pages = 0;
  gchar *text = NULL;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    pages = g_ascii_strtod (strchr (text, ' '), NULL);
  g_free (text);
  return pages * sysconf (_SC_PAGESIZE) / 1024;
}

/* The sums for a linear regression: x is the progress of the test from 0 to 1, y the
 * resident memory in KiB. */
typedef struct
{
  gdouble n, x, y, xx, xy;
} Line;

static void
line_add (Line * line, gdouble x, gdouble y)
{
  line->n++;
  line->x += x;
  line->y += y;
  line->xx += x * x;
  line->xy += x * y;
}

/* Asserts that the regression line rises or falls by less than FLAT_KIB during the test.
 * The callers add no values from the first fifth of the test, because some memory is
 * allocated once and then kept. */
static void
assert_flat (const Line * line, const gchar * what)
{
  gdouble rise_kib = (line->n * line->xy - line->x * line->y)
      / (line->n * line->xx - line->x * line->x);

  printf ("%s: memory %.0f KiB, rising by %.0f KiB over the run\n", what,
      line->y / line->n, rise_kib);
  if (!(fabs (rise_kib) < FLAT_KIB))
    give_up ("%s: memory is not flat", what);
}

/* ---- play ---------------------------------------------------------------- */

#define N_FRAMES (RATE * G_GUINT64_CONSTANT (600))

typedef struct
{
  GstElement *pipeline, *revbuf, *timescale;
  GstAudioInfo info;
  GstSegment segment, scaled_segment;
  GstClockTime next_ns, next_scaled_ns; /* NONE if the next buffer may have any time */
  guint64 frames, scaled_frames;        /* each counter is written by only one
                                         * thread, so no lock is needed */
  guint buffers;
} Soak;

static GstClockTime
time_of (guint64 frame)
{
  return gst_util_uint64_scale_int (frame, GST_SECOND, RATE);
}

/* Index of the first frame in @buffer, according to the stream time of the buffer. */
static gint64
first_index (const Soak * soak, GstBuffer * buffer)
{
  GstClockTime time_ns = gst_segment_to_stream_time (&soak->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  gint64 frame = gst_util_uint64_scale_int_round (time_ns, RATE, GST_SECOND);

  return soak->segment.applied_rate < 0 ? frame - 1 : frame;
}

static void
check_frames (Soak * soak, GstBuffer * buffer)
{
  gint step = soak->segment.applied_rate < 0 ? -1 : 1;
  gint64 index = first_index (soak, buffer);
  gsize bpf = GST_AUDIO_INFO_BPF (&soak->info), n;
  GstMapInfo map;
  guint8 frame[8];

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (n = 0; n < map.size / bpf; n++, index += step) {
    retro_test_frame (&soak->info, index, frame);
    if (memcmp (map.data + n * bpf, frame, bpf) != 0)
      give_up ("play: after %" G_GUINT64_FORMAT " frames, frame %"
          G_GINT64_FORMAT " is another", soak->frames + n, index);
  }
  soak->frames += map.size / bpf;
  gst_buffer_unmap (buffer, &map);
}

/* Asserts that @buffer begins at @next_ns, where the previous buffer has ended. */
static void
check_time (GstBuffer * buffer, GstClockTime * next_ns, const gchar * what)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (GST_CLOCK_TIME_IS_VALID (*next_ns)
      && ABS (GST_CLOCK_DIFF (*next_ns, pts)) > 2)
    give_up ("play: %s is at %" GST_TIME_FORMAT " instead of %"
        GST_TIME_FORMAT, what, GST_TIME_ARGS (pts), GST_TIME_ARGS (*next_ns));
  *next_ns = pts + GST_BUFFER_DURATION (buffer);
}

static GstPadProbeReturn
check_revbuf (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Soak *soak = data;
  GstEvent *event;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    check_time (GST_PAD_PROBE_INFO_BUFFER (info), &soak->next_ns, "a buffer");
    check_frames (soak, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &soak->segment);
    soak->next_ns = GST_CLOCK_TIME_NONE;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
check_scaled (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Soak *soak = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    check_time (GST_PAD_PROBE_INFO_BUFFER (info), &soak->next_scaled_ns,
        "a scaled buffer");
    soak->scaled_frames +=
        gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info))
        / GST_AUDIO_INFO_BPF (&soak->info);
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_SEGMENT) {
    soak->next_scaled_ns = GST_CLOCK_TIME_NONE;
  }
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement * element, GstPadProbeCallback callback, Soak * soak)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, callback, soak, NULL);
  gst_object_unref (pad);
}

static GstElement *
make (const gchar * description)
{
  GstElement *element = gst_parse_launch (description, NULL);

  if (element == NULL)
    give_up ("no element like '%s'", description);
  return element;
}

static void
open_pipeline (Soak * soak)
{
  RetroTestSource *source;
  GstElement *sink = make ("fakesink sync=false");

  memset (soak, 0, sizeof (*soak));
  soak->info = retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, RATE, 2);
  soak->next_ns = soak->next_scaled_ns = GST_CLOCK_TIME_NONE;
  source = retro_test_source_new (&soak->info, N_FRAMES);
  soak->pipeline = gst_pipeline_new (NULL);
  soak->revbuf = make ("revbuf mode=seek direction=reverse");
  soak->timescale = make ("timescale quality=2");
  gst_bin_add_many (GST_BIN (soak->pipeline), GST_ELEMENT (source),
      soak->revbuf, soak->timescale, sink, NULL);
  gst_element_link_many (GST_ELEMENT (source), soak->revbuf, soak->timescale,
      sink, NULL);
  watch (soak->revbuf, check_revbuf, soak);
  watch (soak->timescale, check_scaled, soak);
}

/* Seeks to a random position, in stream time of revbuf's output. */
static void
seek_somewhere (Soak * soak, GRand * rand)
{
  gint64 start = g_rand_double_range (rand, 0.001, 0.999) * time_of (N_FRAMES);

  gst_element_seek (soak->revbuf, 1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, start,
      GST_SEEK_TYPE_NONE, -1);
}

static void
loop_somewhere (Soak * soak, GRand * rand)
{
  guint64 start = time_of (g_rand_int_range (rand, 0, N_FRAMES - RATE));

  g_object_set (soak->revbuf, "loop-start", start, "loop-stop",
      start + g_rand_int_range (rand, 1, 1000) * 100 * GST_MSECOND,
      "loop", g_rand_int_range (rand, 0, 3), NULL);
}

static void
do_something (Soak * soak, GRand * rand)
{
  switch (g_rand_int_range (rand, 0, 6)) {
    case 0:
      g_object_set (soak->revbuf, "direction", g_rand_int_range (rand, 0, 2),
          NULL);
      break;
    case 1:
      g_object_set (soak->timescale, "factor",
          exp (g_rand_double_range (rand, -1.4, 1.4)), NULL);
      break;
    case 2:
      seek_somewhere (soak, rand);
      break;
    case 3:
      loop_somewhere (soak, rand);
      break;
    case 4:
      g_object_set (soak->timescale, "keep-pitch", g_rand_boolean (rand),
          "semitones", (gdouble) g_rand_int_range (rand, -1, 2), NULL);
      break;
    default:
      g_object_set (soak->revbuf, "loop", 0, NULL);
  }
}

/* An error ends the program. After EOS, playback continues at a random position. */
static void
handle_message (Soak * soak, GRand * rand, GstMessage * message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    give_up ("play: %s", error->message);
  }
  seek_somewhere (soak, rand);
  gst_message_unref (message);
}

static void
run_play (gdouble hours)
{
  GRand *rand = g_rand_new_with_seed (SEED);
  guint64 total = hours * 3600 * RATE, last = 0, commands = 0;
  gint64 stuck_us = 0;
  Line memory = { 0 };
  GstBus *bus;
  Soak soak;

  open_pipeline (&soak);
  bus = gst_element_get_bus (soak.pipeline);
  gst_element_set_state (soak.pipeline, GST_STATE_PLAYING);
  while (soak.frames < total) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_MSECOND,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

    if (message != NULL)
      handle_message (&soak, rand, message);
    else
      do_something (&soak, rand);
    commands++;
    if (soak.frames > total / 5 && commands % 64 == 0)
      line_add (&memory, (gdouble) soak.frames / total, resident_kib ());

    if (soak.frames != last)
      stuck_us = g_get_monotonic_time ();
    else if (stuck_us > 0 && g_get_monotonic_time () > stuck_us + 60000000)
      give_up ("play: nothing has come for a minute, after %" G_GUINT64_FORMAT
          " frames", last);
    last = soak.frames;
  }
  gst_element_set_state (soak.pipeline, GST_STATE_NULL);
  printf ("play: %.2f hours, %" G_GUINT64_FORMAT " frames, each the right one;"
      " %" G_GUINT64_FORMAT " scaled; %" G_GUINT64_FORMAT " commands\n",
      (gdouble) soak.frames / RATE / 3600, soak.frames, soak.scaled_frames,
      commands);
  assert_flat (&memory, "play");
  gst_object_unref (bus);
  gst_object_unref (soak.pipeline);
  g_rand_free (rand);
}

/* ---- many in parallel ----------------------------------------------------- */

static const struct
{
  const gchar *filters;
  guint64 frames;               /* expected output for an input of 40 × 1024 frames */
} kinds[] = {
  {"revbuf direction=reverse mode=collect", 40960},
  {"revbuf direction=reverse mode=collect max-memory=0", 40960},
  {"revbuf direction=reverse mode=chunk block-time=100000000", 40960},
  {"revbuf direction=reverse mode=seek", 40960},
  {"timescale factor=1.5", 61440},
  {"timescale keep-pitch=true factor=1.5", 61440},
  {"timescale keep-pitch=true window=speech factor=0.5", 20480},
  {"timescale semitones=-5", 40960},
  {"timescale factor=0.5 interpolation=cubic alignment=endpoints", 20480},
  {"revbuf direction=reverse mode=collect ! timescale factor=2", 81920}
};

typedef struct
{
  GstElement *pipeline;
  guint64 frames, wanted;
} One;

static GstPadProbeReturn
count_frames (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ((One *) data)->frames +=
      gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)) / 4;
  return GST_PAD_PROBE_OK;
}

static void
open_one (One * one, guint n)
{
  gchar *text = g_strdup_printf ("audiotestsrc num-buffers=40 ! "
      "audio/x-raw,format=S16LE,channels=2,rate=44100 ! %s ! "
      "fakesink name=sink sync=false", kinds[n % G_N_ELEMENTS (kinds)].filters);
  GstElement *sink;
  GstPad *pad;

  one->frames = 0;
  one->wanted = kinds[n % G_N_ELEMENTS (kinds)].frames;
  one->pipeline = make (text);
  sink = gst_bin_get_by_name (GST_BIN (one->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frames, one, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  g_free (text);
}

static void
wait_for_one (One * one)
{
  GstBus *bus = gst_element_get_bus (one->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 120 * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

  if (message == NULL || GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS)
    give_up ("a pipeline did not come to its end");
  if (one->frames != one->wanted)
    give_up ("%" G_GUINT64_FORMAT " frames instead of %" G_GUINT64_FORMAT,
        one->frames, one->wanted);
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
close_one (One * one)
{
  gst_element_set_state (one->pipeline, GST_STATE_NULL);
  gst_object_unref (one->pipeline);
}

static void
run_many (guint n)
{
  One *all = g_new0 (One, n);
  guint i;

  for (i = 0; i < n; i++)
    open_one (&all[i], i);
  for (i = 0; i < n; i++)
    gst_element_set_state (all[i].pipeline, GST_STATE_PLAYING);
  for (i = 0; i < n; i++)
    wait_for_one (&all[i]);
  for (i = 0; i < n; i++)
    close_one (&all[i]);
  g_free (all);
  printf ("many: %u pipelines at once, each with all of its frames\n", n);
}

/* ---- again and again -------------------------------------------------------- */

static void
run_cycles (guint n)
{
  Line memory = { 0 };
  guint i;

  for (i = 0; i < n; i++) {
    One one;

    open_one (&one, i);
    gst_element_set_state (one.pipeline, GST_STATE_PLAYING);
    if (i % 5 != 0)             /* every fifth pipeline is destroyed while it plays */
      wait_for_one (&one);
    close_one (&one);
    if (i > n / 5 && i % 16 == 0)
      line_add (&memory, (gdouble) i / n, resident_kib ());
  }
  printf ("cycles: %u pipelines made, played and destroyed\n", n);
  assert_flat (&memory, "cycles");
}

int
main (int argc, char **argv)
{
  /* Large blocks must be returned to the system when they are freed. Otherwise, the
   * megabytes of a stretcher stay in the heap of any thread that allocated them. */
  mallopt (M_MMAP_THRESHOLD, 128 * 1024);
  gst_init (&argc, &argv);
  if (argc == 3 && strcmp (argv[1], "play") == 0)
    run_play (g_ascii_strtod (argv[2], NULL));
  else if (argc == 3 && strcmp (argv[1], "many") == 0)
    run_many (atoi (argv[2]));
  else if (argc == 3 && strcmp (argv[1], "cycles") == 0)
    run_cycles (atoi (argv[2]));
  else
    give_up ("usage: soak play HOURS | many N | cycles N");
  return 0;
}
