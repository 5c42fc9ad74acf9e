/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/fetchedrun.h"
#include "common/pcmbuffer.h"
#include "revbuf/record.h"
#include "revbuf/recordfields.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* The position of @buffer in the stream; `planes` and `frames` are not set. */
static TimePlayBuffer
place_of (GstBuffer * buffer, const GstSegment * segment)
{
  TimePlayBuffer place = { NULL };
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);

  place.has_timestamp = GST_CLOCK_TIME_IS_VALID (pts_ns);
  if (!place.has_timestamp)
    pts_ns = segment->start;
  place.time_sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME,
      pts_ns, &place.time_ns);
  place.offset_ns = (gint64) (segment->start - segment->time);
  return place;
}

static gboolean
add_clipped (GstObject * object, TimePlayRun * run, GstBuffer * buffer,
    const TimePlayFormat * format, const GstSegment * segment, gsize * first,
    gboolean * wants_more)
{
  const GstAudioInfo *info = gst_revbuf_format_info (format);
  TimePlayBuffer arrived = place_of (buffer, segment);
  GstAudioBuffer audio;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ))
    return FALSE;
  arrived.planes = (const void *const *) audio.planes;
  arrived.frames = gst_retro_buffer_frames (buffer, info);
  gst_revbuf_record (object, "add", gst_revbuf_buffer_fields, &arrived, *first);
  *wants_more = timeplay_run_add (run, &arrived, format, first);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

gboolean
gst_revbuf_run_add (GstObject * object, TimePlayRun * run, GstBuffer * buffer,
    const TimePlayFormat * format, const GstSegment * segment, gsize * first,
    gboolean * wants_more)
{
  const GstAudioInfo *info = gst_revbuf_format_info (format);
  g_autoptr (GstBuffer) clipped = NULL;
  GstSegment part = *segment;

  *wants_more = TRUE;
  if (!gst_retro_buffer_is_sound (buffer, info))
    return FALSE;
  /* If the run begins with the stream, audio before the segment is encoder priming, and is
   * clipped. Otherwise the segment starts at the seek target, in the middle of a frame, and
   * this frame must not be clipped. */
  if (!timeplay_run_is_from_zero (run))
    part.start = 0;
  clipped = gst_retro_buffer_clip (gst_buffer_ref (buffer), &part, info);
  return clipped == NULL || gst_retro_buffer_frames (clipped, info) <= *first
      || add_clipped (object, run, clipped, format, segment, first, wants_more);
}
