/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output of an element under test.
 */

#include "retrotest.h"

#include <string.h>

/* ---- items -------------------------------------------------------------- */

void
retro_test_clear (RetroTest * t)
{
  g_ptr_array_set_size (t->items, 0);
}

/* Index of buffer number @n (@type UNKNOWN), or of event number @n with this type,
 * among the items. -1 if there is none. */
static gint
place_of (RetroTest * t, GstEventType type, guint n)
{
  guint i;

  for (i = 0; i < t->items->len; i++) {
    GstMiniObject *item = g_ptr_array_index (t->items, i);
    gboolean wanted = type == GST_EVENT_UNKNOWN ? GST_IS_BUFFER (item) :
        GST_IS_EVENT (item) && GST_EVENT_TYPE (item) == type;

    if (wanted && n-- == 0)
      return i;
  }
  return -1;
}

static guint
count (RetroTest * t, GstEventType type)
{
  guint n = 0;

  while (place_of (t, type, n) >= 0)
    n++;
  return n;
}

gint
retro_test_place_of_event (RetroTest * t, GstEventType type, guint n)
{
  gint place = place_of (t, type, n);

  fail_unless (place >= 0, "only %u events %s have left, no. %u is missing",
      count (t, type), gst_event_type_get_name (type), n);
  return place;
}

gint
retro_test_place_of_buffer (RetroTest * t, guint n)
{
  gint place = place_of (t, GST_EVENT_UNKNOWN, n);

  fail_unless (place >= 0, "only %u buffers have left, no. %u is missing",
      retro_test_n_buffers (t), n);
  return place;
}

guint
retro_test_n_buffers (RetroTest * t)
{
  guint i, n = 0;

  for (i = 0; i < t->items->len; i++)
    n += GST_IS_BUFFER (g_ptr_array_index (t->items, i));
  return n;
}

GstBuffer *
retro_test_nth_buffer (RetroTest * t, guint n)
{
  return g_ptr_array_index (t->items, retro_test_place_of_buffer (t, n));
}

guint
retro_test_n_events (RetroTest * t, GstEventType type)
{
  return count (t, type);
}

GstEvent *
retro_test_nth_event (RetroTest * t, GstEventType type, guint n)
{
  return g_ptr_array_index (t->items, retro_test_place_of_event (t, type, n));
}

GstSegment
retro_test_nth_segment (RetroTest * t, guint n)
{
  GstSegment segment;

  gst_event_copy_segment (retro_test_nth_event (t, GST_EVENT_SEGMENT, n),
      &segment);
  return segment;
}

GstSegment
retro_test_last_segment (RetroTest * t)
{
  return retro_test_nth_segment (t, count (t, GST_EVENT_SEGMENT) - 1);
}

GstClockTime
retro_test_running_begin (RetroTest * t)
{
  GstSegment segment = retro_test_last_segment (t);

  return gst_segment_to_running_time (&segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (retro_test_nth_buffer (t, 0)));
}

void
retro_test_assert_event_order (RetroTest * t, GstEventType before,
    GstEventType after)
{
  fail_unless (retro_test_place_of_event (t, before, 0)
      < retro_test_place_of_event (t, after, 0), "%s does not precede %s",
      gst_event_type_get_name (before), gst_event_type_get_name (after));
}

guint32
retro_test_nth_seqnum (RetroTest * t, guint n)
{
  return gst_event_get_seqnum (retro_test_nth_event (t, GST_EVENT_SEGMENT, n));
}

/* ---- samples ------------------------------------------------------------ */

gsize
retro_test_buffer_frames (RetroTest * t, GstBuffer * buffer)
{
  GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);

  /* the buffer may be larger than the audio that its meta describes */
  if (meta != NULL)
    return meta->samples;
  return gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (&t->info);
}

guint64
retro_test_frames_out (RetroTest * t)
{
  guint64 n = 0;
  guint i;

  for (i = 0; i < t->items->len; i++) {
    if (GST_IS_BUFFER (g_ptr_array_index (t->items, i)))
      n += retro_test_buffer_frames (t, g_ptr_array_index (t->items, i));
  }
  return n;
}

guint64
retro_test_clipped_frames (RetroTest * t)
{
  GstSegment segment;
  guint64 heard = 0;
  guint i;

  for (i = 0; i < t->items->len; i++) {
    gpointer item = g_ptr_array_index (t->items, i);
    GstBuffer *clipped;

    if (GST_IS_EVENT (item)) {
      if (GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT)
        gst_event_copy_segment (item, &segment);
      continue;
    }
    clipped = gst_audio_buffer_clip (gst_buffer_ref (item), &segment,
        t->info.rate, t->info.bpf);
    if (clipped != NULL)
      heard += retro_test_buffer_frames (t, clipped);
    g_clear_pointer (&clipped, gst_buffer_unref);
  }
  return heard;
}

static void
append_samples (GByteArray * bytes, const GstAudioInfo * info,
    GstBuffer * buffer)
{
  gsize bps = GST_AUDIO_INFO_WIDTH (info) / 8, n;
  GstAudioBuffer audio;
  guint8 *to;
  gint p;

  fail_unless (gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ),
      "a buffer is not what the caps say");
  if (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED) {
    g_byte_array_set_size (bytes, bytes->len + audio.n_samples * bps
        * audio.n_planes);
    to = bytes->data + bytes->len - audio.n_samples * bps * audio.n_planes;
    for (n = 0; n < audio.n_samples; n++)
      for (p = 0; p < audio.n_planes; p++, to += bps)
        memcpy (to, (guint8 *) audio.planes[p] + n * bps, bps);
  } else {
    fail_unless_equals_int (gst_buffer_get_size (buffer)
        % GST_AUDIO_INFO_BPF (info), 0);
    g_byte_array_append (bytes, audio.planes[0],
        audio.n_samples * GST_AUDIO_INFO_BPF (info));
  }
  gst_audio_buffer_unmap (&audio);
}

GByteArray *
retro_test_buffer_bytes (const GstAudioInfo * info, GstBuffer * buffer)
{
  GByteArray *bytes = g_byte_array_new ();

  append_samples (bytes, info, buffer);
  return bytes;
}

GByteArray *
retro_test_bytes (RetroTest * t)
{
  GByteArray *bytes = g_byte_array_new ();
  guint i;

  for (i = 0; i < t->items->len; i++) {
    if (GST_IS_BUFFER (g_ptr_array_index (t->items, i)))
      append_samples (bytes, &t->info, g_ptr_array_index (t->items, i));
  }
  return bytes;
}

GByteArray *
retro_test_end (RetroTest * t)
{
  GByteArray *bytes;

  fail_unless (retro_test_eos (t));
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

void
retro_test_assert_bytes (RetroTest * t, GByteArray * a, GByteArray * b)
{
  GByteArray *bytes = retro_test_bytes (t);

  if (b != NULL) {
    g_byte_array_append (a, b->data, b->len);
    g_byte_array_unref (b);
  }
  fail_unless_equals_int (bytes->len, a->len);
  /* memcmp() must not get NULL, which is the address of an empty array */
  fail_unless (a->len == 0 || memcmp (bytes->data, a->data, a->len) == 0);
  g_byte_array_unref (bytes);
  g_byte_array_unref (a);
}

gchar *
retro_test_hash (RetroTest * t)
{
  GByteArray *bytes = retro_test_bytes (t);
  gchar *hash = g_compute_checksum_for_data (G_CHECKSUM_MD5, bytes->data,
      bytes->len);

  g_byte_array_unref (bytes);
  return hash;
}

/* ---- the expected order of frames --------------------------------------- */

GArray *
retro_order_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (guint64));
}

void
retro_order_up (GArray * order, guint64 first, guint64 n_frames)
{
  for (; n_frames > 0; n_frames--, first++)
    g_array_append_val (order, first);
}

void
retro_order_down (GArray * order, guint64 first, guint64 n_frames)
{
  guint64 index = first + n_frames;

  while (index > first) {
    index--;
    g_array_append_val (order, index);
  }
}

void
retro_order_chunks (GArray * order, guint64 first, guint64 n_frames,
    guint64 block_frames)
{
  while (n_frames > 0) {
    guint64 n = MIN (n_frames, block_frames);

    retro_order_down (order, first, n);
    first += n;
    n_frames -= n;
  }
}

GArray *
retro_order_of (guint64 first, ...)
{
  GArray *order = retro_order_new ();
  va_list runs;

  va_start (runs, first);
  for (; first != G_MAXUINT64; first = va_arg (runs, guint64)) {
    gint64 n_frames = va_arg (runs, gint64);

    if (n_frames > 0)
      retro_order_up (order, first, n_frames);
    else
      retro_order_down (order, first, -n_frames);
  }
  va_end (runs);
  return order;
}

void
retro_test_assert_order (RetroTest * t, GArray * order)
{
  gsize bpf = GST_AUDIO_INFO_BPF (&t->info);
  GByteArray *bytes = retro_test_bytes (t);
  guint8 *frame = g_malloc (bpf);
  guint i;

  fail_unless (bytes->len == order->len * bpf,
      "%u frames were expected and %" G_GSIZE_FORMAT " have left",
      order->len, bytes->len / bpf);
  for (i = 0; i < order->len; i++) {
    guint64 index = g_array_index (order, guint64, i);

    retro_test_frame (&t->info, index, frame);
    fail_unless (memcmp (bytes->data + i * bpf, frame, bpf) == 0,
        "frame %u of what has left is not frame %" G_GUINT64_FORMAT
        " of the input (%s, %d channels)", i, index,
        GST_AUDIO_INFO_NAME (&t->info), GST_AUDIO_INFO_CHANNELS (&t->info));
  }
  g_free (frame);
  g_byte_array_unref (bytes);
  g_array_unref (order);
}

void
retro_test_assert_down (RetroTest * t, guint64 first, guint64 n_frames)
{
  GArray *order = retro_order_new ();

  retro_order_down (order, first, n_frames);
  retro_test_assert_order (t, order);
}

void
retro_test_assert_up (RetroTest * t, guint64 first, guint64 n_frames)
{
  GArray *order = retro_order_new ();

  retro_order_up (order, first, n_frames);
  retro_test_assert_order (t, order);
}

/* ---- times -------------------------------------------------------------- */

void
retro_test_assert_run (RetroTest * t, guint first, guint n, GstClockTime t0)
{
  guint place = retro_test_place_of_buffer (t, first), i;
  guint64 frames = 0, offset =
      GST_BUFFER_OFFSET (g_ptr_array_index (t->items, place));

  for (i = 0; i < n; place++) {
    GstBuffer *buffer;
    guint64 n_frames;

    fail_unless (place < t->items->len, "buffer %u is missing", first + i);
    if (!GST_IS_BUFFER (g_ptr_array_index (t->items, place)))
      continue;
    buffer = g_ptr_array_index (t->items, place);
    n_frames = retro_test_buffer_frames (t, buffer);
    fail_unless (n_frames > 0, "buffer %u is empty", first + i);
    fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer),
        t0 + retro_test_time (&t->info, frames));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), offset + frames);
    frames += n_frames;
    fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer)
        + GST_BUFFER_DURATION (buffer), t0 + retro_test_time (&t->info,
            frames));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), offset + frames);
    fail_unless (!!GST_BUFFER_IS_DISCONT (buffer) == (i == 0),
        "DISCONT of buffer %u is not as it should be", first + i);
    i++;
  }
}

void
retro_test_assert_perfect (RetroTest * t, GstClockTime t0)
{
  guint n = retro_test_n_buffers (t);

  fail_unless (n > 0, "nothing has left");
  retro_test_assert_run (t, 0, n, t0);
}

GstClockTime
retro_test_position (RetroTest * t)
{
  gint64 position;

  if (!gst_pad_peer_query_position (t->h->sinkpad, GST_FORMAT_TIME, &position))
    return GST_CLOCK_TIME_NONE;
  return position;
}

GstClockTime
retro_test_duration (RetroTest * t)
{
  gint64 duration;

  if (!gst_pad_peer_query_duration (t->h->sinkpad, GST_FORMAT_TIME, &duration))
    return GST_CLOCK_TIME_NONE;
  return duration;
}

guint64
retro_test_stat (RetroTest * t, const gchar * name)
{
  GstStructure *stats = NULL;
  guint64 value = 0;

  g_object_get (t->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value),
      "there is no '%s' in %" GST_PTR_FORMAT, name, stats);
  gst_structure_free (stats);
  return value;
}

/* ---- messages ----------------------------------------------------------- */

GstMessage *
retro_test_pop_message (RetroTest * t, GstMessageType type)
{
  return gst_bus_pop_filtered (t->bus, type);
}

guint
retro_test_take_messages (RetroTest * t, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = retro_test_pop_message (t, type)) != NULL; n++)
    gst_message_unref (message);
  return n;
}

void
retro_test_assert_error (RetroTest * t, gint code, const gchar * words)
{
  GstMessage *message = retro_test_pop_message (t, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error was told");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, code),
      "the error is %s %d: %s", g_quark_to_string (error->domain),
      error->code, error->message);
  fail_unless (strstr (error->message, words) != NULL,
      "'%s' does not say '%s'", error->message, words);
  g_error_free (error);
  gst_message_unref (message);
}
