/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element between two pads: the code for its input. The code for its output is in
 * retrotestoutput.c, the code for upstream events is in retrotestupstream.c.
 */

#include "retrotest.h"

#include <string.h>

/* ---- an element under test ---------------------------------------------- */

static GstPadProbeReturn
record (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroTest *t = data;
  GstMiniObject *item = GST_PAD_PROBE_INFO_DATA (info);

  if (GST_IS_BUFFER (item) && t->watch != NULL)
    t->watch (t, GST_BUFFER_CAST (item));
  g_ptr_array_add (t->items, gst_mini_object_ref (item));
  return GST_PAD_PROBE_OK;
}

static GstHarness *
make_harness (const gchar * description)
{
  GstElement *element;
  GstHarness *h;

  if (strchr (description, '!') != NULL)
    return gst_harness_new_parse (description);

  element = gst_parse_launch (description, NULL);
  fail_unless (element != NULL, "no element like '%s'", description);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  return h;
}

RetroTest *
retro_test_new (const gchar * description)
{
  RetroTest *t = g_new0 (RetroTest, 1);

  t->h = make_harness (description);
  gst_harness_set_live (t->h, FALSE);
  gst_harness_set_drop_buffers (t->h, TRUE);
  t->element = t->h->element;
  t->bus = gst_bus_new ();
  gst_element_set_bus (t->element, t->bus);
  t->items =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_mini_object_unref);
  gst_pad_add_probe (t->h->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_EVENT_FLUSH, record, t, NULL);
  return t;
}

void
retro_test_free (RetroTest * t)
{
  gst_element_set_bus (t->element, NULL);
  gst_harness_teardown (t->h);
  gst_bus_set_flushing (t->bus, TRUE);
  gst_object_unref (t->bus);
  g_ptr_array_unref (t->items);
  g_free (t);
}

/* ---- formats ------------------------------------------------------------ */

GstAudioInfo
retro_test_info (GstAudioFormat format, GstAudioLayout layout, gint rate,
    gint channels)
{
  GstAudioInfo info;

  gst_audio_info_init (&info);
  gst_audio_info_set_format (&info, format, rate, channels, NULL);
  info.layout = layout;
  return info;
}

GstAudioInfo
retro_test_plain_info (void)
{
  return retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, PLAIN_RATE, 1);
}

GstClockTime
retro_test_time (const GstAudioInfo * info, guint64 index)
{
  return gst_util_uint64_scale_int (index, GST_SECOND,
      GST_AUDIO_INFO_RATE (info));
}

/* ---- frames ------------------------------------------------------------- */

/* The finalizer of splitmix64. It makes the samples of successive frames uncorrelated. */
static guint64
mix (guint64 x)
{
  x += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static void
fill_sample (const GstAudioFormatInfo * finfo, guint64 seed, guint8 * sample)
{
  guint64 bits = mix (seed);

  if (finfo->format == GST_AUDIO_FORMAT_F32) {
    gfloat value = (gfloat) (gint64) (bits >> 40) / (1 << 23) - 1;

    memcpy (sample, &value, sizeof (value));
  } else if (finfo->format == GST_AUDIO_FORMAT_F64) {
    gdouble value = (gdouble) (bits >> 11) / (G_GUINT64_CONSTANT (1) << 52) - 1;

    memcpy (sample, &value, sizeof (value));
  } else {
    memcpy (sample, &bits, finfo->width / 8);
  }
}

void
retro_test_frame (const GstAudioInfo * info, guint64 index, guint8 * frame)
{
  gsize bps = GST_AUDIO_INFO_WIDTH (info) / 8;
  gint c;

  for (c = 0; c < GST_AUDIO_INFO_CHANNELS (info); c++)
    fill_sample (info->finfo, index * 1024 + c, frame + c * bps);
}

/* Converts interleaved @frames to the layout of @info. */
static void
lay_out (const GstAudioInfo * info, const guint8 * frames, gsize n_frames,
    guint8 * to)
{
  gsize bps = GST_AUDIO_INFO_WIDTH (info) / 8;
  gsize channels = GST_AUDIO_INFO_CHANNELS (info), n, c;

  if (n_frames == 0)
    return;
  if (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_INTERLEAVED) {
    memcpy (to, frames, n_frames * channels * bps);
    return;
  }
  for (n = 0; n < n_frames; n++)
    for (c = 0; c < channels; c++)
      memcpy (to + (c * n_frames + n) * bps,
          frames + (n * channels + c) * bps, bps);
}

GstBuffer *
retro_test_buffer_of (const GstAudioInfo * info, gconstpointer samples,
    gsize n_frames, GstClockTime pts)
{
  gsize size = n_frames * GST_AUDIO_INFO_BPF (info);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  lay_out (info, samples, n_frames, map.data);
  gst_buffer_unmap (buffer, &map);
  if (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, info, n_frames, NULL);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = retro_test_time (info, n_frames);
  return buffer;
}

GstBuffer *
retro_test_buffer (const GstAudioInfo * info, guint64 first, gsize n_frames)
{
  gsize bpf = GST_AUDIO_INFO_BPF (info), n;
  guint8 *samples = g_malloc (n_frames * bpf);
  GstBuffer *buffer;

  for (n = 0; n < n_frames; n++)
    retro_test_frame (info, first + n, samples + n * bpf);
  buffer = retro_test_buffer_of (info, samples, n_frames,
      retro_test_time (info, first));
  GST_BUFFER_DURATION (buffer) =
      retro_test_time (info, first + n_frames) - GST_BUFFER_PTS (buffer);
  GST_BUFFER_OFFSET (buffer) = first;
  GST_BUFFER_OFFSET_END (buffer) = first + n_frames;
  g_free (samples);
  return buffer;
}

/* ---- pushing ------------------------------------------------------------ */

const gsize retro_test_cuts[RETRO_TEST_N_CUTS][5] = {
  {G_MAXINT32, 0},
  {1, 0},
  {2, 0},
  {7, 1, 64, 3, 0},
  {333, 10, 0},
  {1000, 1, 0}
};

void
retro_test_caps (RetroTest * t, const GstAudioInfo * info)
{
  GstAudioInfo plain = retro_test_plain_info ();
  GstCaps *caps = gst_audio_info_to_caps (info != NULL ? info : &plain);

  t->info = info != NULL ? *info : plain;
  fail_unless (gst_harness_push_event (t->h, gst_event_new_caps (caps)));
  gst_caps_unref (caps);
}

GstSegment
retro_test_segment (gdouble rate, GstClockTime start, GstClockTime stop)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = start;
  segment.stop = stop;
  segment.position = rate < 0 && GST_CLOCK_TIME_IS_VALID (stop) ? stop : start;
  return segment;
}

guint32
retro_test_send_segment (RetroTest * t, const GstSegment * segment)
{
  GstEvent *event = gst_event_new_segment (segment);
  guint32 seqnum = gst_event_get_seqnum (event);

  if (t->info.finfo == NULL)
    retro_test_caps (t, NULL);
  gst_harness_push_event (t->h, event);
  return seqnum;
}

void
retro_test_start (RetroTest * t, const GstAudioInfo * info, gdouble rate,
    GstClockTime start, GstClockTime stop)
{
  GstSegment segment = retro_test_segment (rate, start, stop);

  retro_test_caps (t, info);
  retro_test_send_segment (t, &segment);
}

RetroTest *
retro_test_plain (const gchar * description, gdouble rate, GstClockTime stop)
{
  RetroTest *t = retro_test_new (description);

  retro_test_start (t, NULL, rate, 0, stop);
  return t;
}

GstFlowReturn
retro_test_push (RetroTest * t, guint64 first, gsize n_frames)
{
  return gst_harness_push (t->h, retro_test_buffer (&t->info, first, n_frames));
}

GstFlowReturn
retro_test_push_flagged (RetroTest * t, GstBufferFlags flag, guint64 first,
    gsize n_frames)
{
  GstBuffer *buffer = retro_test_buffer (&t->info, first, n_frames);

  GST_BUFFER_FLAG_SET (buffer, flag);
  return gst_harness_push (t->h, buffer);
}

void
retro_test_push_gap (RetroTest * t, guint64 first, guint64 n_frames)
{
  gst_harness_push_event (t->h, gst_event_new_gap (PLAIN_NS (first),
          PLAIN_NS (n_frames)));
}

void
retro_test_push_cut (RetroTest * t, guint64 first, gsize n_frames,
    const gsize * sizes)
{
  gsize done = 0, n, i = 0;

  for (; done < n_frames; done += n) {
    n = MIN (sizes[i], n_frames - done);
    fail_unless (retro_test_push (t, first + done, n) == GST_FLOW_OK);
    i = sizes[i + 1] != 0 ? i + 1 : 0;
  }
}

void
retro_test_push_backwards (RetroTest * t, gsize n_frames, gsize block)
{
  gsize end = n_frames, first;

  for (; end > 0; end = first) {
    GstBuffer *buffer;

    first = (end - 1) / block * block;
    buffer = retro_test_buffer (&t->info, first, end - first);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  }
}

gboolean
retro_test_eos (RetroTest * t)
{
  return gst_harness_push_event (t->h, gst_event_new_eos ());
}

void
retro_test_flush (RetroTest * t)
{
  fail_unless (gst_harness_push_event (t->h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (t->h, gst_event_new_flush_stop (TRUE)));
}

void
retro_test_send_tag (RetroTest * t, const gchar * title)
{
  gst_harness_push_event (t->h,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL)));
}

void
retro_test_restart (RetroTest * t)
{
  ASSERT_SET_STATE (t->element, GST_STATE_READY, GST_STATE_CHANGE_SUCCESS);
  ASSERT_SET_STATE (t->element, GST_STATE_PLAYING, GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_harness_push_event (t->h,
          gst_event_new_stream_start ("again")));
}

void
retro_test_load_core (void)
{
  static const gchar *const names[] = { "coreelements", "audiotestsrc" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *path = g_strdup_printf ("%s/libgst%s.so", GST_CORE_PLUGINS_DIR,
        names[i]);
    GstPlugin *plugin = gst_plugin_load_file (path, NULL);

    fail_unless (plugin != NULL, "could not load %s", path);
    gst_object_unref (plugin);
    g_free (path);
  }
}
