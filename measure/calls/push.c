/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pushes buffers of 1,024 frames of stereo at 48 kHz through elements that are linked to two
 * pads.
 *
 * usage: push calls PROPERTY=VALUE DESCRIPTION    the address of each function of the plugin that
 *          one buffer calls, in order; the counted calls of Swift; the buffers that leave; then
 *          the same for the first buffer after the property has changed
 *        push time ROUNDS DESCRIPTION …    ns of a processor for a buffer, the least of all rounds
 *
 * For "calls", the plugin must be built with -finstrument-functions (calls.py).
 */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gst/audio/audio.h>
#include <gst/gst.h>

#include "counted.h"

#define FRAMES 1024
#define BYTES (FRAMES * 2 * sizeof (gfloat))
#define N_SOUNDS 64             /* buffers of sound, which are repeated */

/* ---- an element between two pads ------------------------------------------- */

typedef struct
{
  GstElement *element;
  GstPad *source, *sink;
  guint64 frame;                /* number of the next frame */
  guint n_out;
  gdouble least_ns;
} Line;

static gfloat sound[N_SOUNDS * FRAMES * 2];

/* Harmonics and noise, because silence and a sine may cost less. */
static void
make_sound (void)
{
  guint32 noise = 1;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sound); i++) {
    gdouble pulse = 1 - (i / 2) % 217 / 217.0;

    noise = noise * 1664525 + 1013904223;
    sound[i] = pulse * pulse * 0.5 + (noise >> 8) * (0.05 / (1 << 24));
  }
}

static GstFlowReturn
drop_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Line *line = gst_pad_get_element_private (pad);

  line->n_out++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
link_pads (Line * line)
{
  GstPad *in = gst_element_get_static_pad (line->element, "sink");
  GstPad *out = gst_element_get_static_pad (line->element, "src");

  gst_pad_link (line->source, in);
  gst_pad_link (out, line->sink);
  gst_object_unref (in);
  gst_object_unref (out);
}

static Line *
line_new (const gchar * description)
{
  Line *line = g_new0 (Line, 1);
  GstCaps *caps = gst_caps_from_string ("audio/x-raw,format="
      GST_AUDIO_NE (F32) ",layout=interleaved,rate=48000,channels=2");
  GstSegment segment;

  line->element = gst_parse_launch (description, NULL);
  if (line->element == NULL)
    g_error ("there is no %s: set GST_PLUGIN_PATH_1_0", description);
  line->source = gst_pad_new ("source", GST_PAD_SRC);
  line->sink = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_element_private (line->sink, line);
  gst_pad_set_chain_function (line->sink, drop_buffer);
  gst_pad_set_active (line->sink, TRUE);
  gst_pad_set_active (line->source, TRUE);
  link_pads (line);
  gst_element_set_state (line->element, GST_STATE_PLAYING);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (line->source, gst_event_new_stream_start ("calls"));
  gst_pad_push_event (line->source, gst_event_new_caps (caps));
  gst_pad_push_event (line->source, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  return line;
}

static GstBuffer *
next_buffer (Line * line)
{
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      &sound[line->frame * 2 % G_N_ELEMENTS (sound)], BYTES, 0, BYTES, NULL,
      NULL);

  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale_int (line->frame, GST_SECOND, 48000);
  line->frame += FRAMES;
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale_int (line->frame, GST_SECOND, 48000)
      - GST_BUFFER_PTS (buffer);
  return buffer;
}

static void
push (Line * line, guint n)
{
  while (n-- > 0)
    if (gst_pad_push (line->source, next_buffer (line)) != GST_FLOW_OK)
      g_error ("an element does not take buffers");
}

/* ---- calls --------------------------------------------------------------------- */

/* Pushes a buffer, and prints what it calls. */
static void
print_calls (Line * line)
{
  line->n_out = 0;
  start_counting ();
  push (line, 1);
  print_counted (line->n_out);
}

static void
count_calls (const gchar * assignment, const gchar * description)
{
  Line *line = line_new (description);
  gchar **parts = g_strsplit (assignment, "=", 2);

  find_crossings ();
  push (line, 100);
  print_calls (line);
  gst_util_set_object_arg (G_OBJECT (line->element), parts[0], parts[1]);
  print_calls (line);
  g_strfreev (parts);
}

/* ---- time ------------------------------------------------------------------------ */

static gdouble
processor_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

/* Measures a round of about 30 ms. */
static void
time_round (Line * line)
{
  guint n = line->least_ns > 0 ? CLAMP (30e6 / line->least_ns, 16, 65536) : 64;
  gdouble before = processor_ns (), ns;

  push (line, n);
  ns = (processor_ns () - before) / n;
  if (line->least_ns == 0 || ns < line->least_ns)
    line->least_ns = ns;
}

static void
time_lines (guint rounds, guint n, char **descriptions)
{
  Line **lines = g_new0 (Line *, n);
  guint i, k;

  for (i = 0; i < n; i++) {
    lines[i] = line_new (descriptions[i]);
    push (lines[i], 200);       /* the stretcher needs a while until it runs */
  }
  for (k = 0; k < rounds; k++)
    for (i = 0; i < n; i++)
      time_round (lines[i]);
  for (i = 0; i < n; i++)
    printf ("time\t%s\t%.1f\n", descriptions[i], lines[i]->least_ns);
}

/* A pipeline has several threads. With only one, the locks of the C library would be cheaper. */
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
  make_sound ();
  g_thread_unref (g_thread_new ("idle", wait_for_ever, NULL));
  if (argc == 4 && strcmp (argv[1], "calls") == 0)
    count_calls (argv[2], argv[3]);
  else if (argc > 3 && strcmp (argv[1], "time") == 0)
    time_lines (atoi (argv[2]), argc - 3, argv + 3);
  else
    return 2;
  return 0;
}
