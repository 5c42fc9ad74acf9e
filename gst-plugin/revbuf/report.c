/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

/* The name of the details of warnings and errors. */
#define DETAILS "revbuf-details"

/* The sentence for a report. %s is the name of the element. A sentence without a domain only goes
 * to the log. */
typedef struct
{
  const gchar *reason;
    GQuark (*domain) (void);
  gint code;
  const gchar *text;
} Sentence;

static const Sentence sentences[] = {
  [TIMEBLOCKS_SEAM_ODD] = {"odd", NULL, 0, "odd seam"},
  [TIMEBLOCKS_MARKERS_CLAMPED] =
      {"markers-outside", gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "A loop marker lies outside the stream, so it was moved to the end: set "
        "loop-start and loop-stop inside the stream."},
  [TIMEBLOCKS_MARKERS_CROSSED] =
      {"markers-swapped", gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "loop-stop lies before loop-start, so they were swapped: set loop-stop to "
        "the later time."},
  [TIMEBLOCKS_MARKERS_EMPTY] =
      {"markers-empty", gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "There is nothing between loop-start and loop-stop, so the whole stream is "
        "repeated: set loop-stop to a later time."},
  [TIMEBLOCKS_SEAM_EQUAL] = {"equal", NULL, 0, "equal seam"},
  [TIMEBLOCKS_SEAM_SHIFTED] = {"shifted", NULL, 0, "shifted seam"},
  [TIMEBLOCKS_SEAM_FADED] = {"faded", NULL, 0, "faded seam"},
  [TIMEBLOCKS_NO_MEMORY] =
      {"no-memory", gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "There is not enough memory for a block: lower block-time or max-memory "
        "of %s."},
  [TIMEBLOCKS_FORMAT_CHANGED] =
      {"format-changed", gst_stream_error_quark, GST_STREAM_ERROR_FORMAT,
      "The stream changes its format, or does not match its caps: put "
        "audioconvert and audioresample before %s."},
  [GST_REVBUF_IS_CONTESTED] =
      {"source-contested", gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Another revbuf seeks in the source of %s, and each disturbs the other: "
        "set mode=collect on both, or reverse the audio before it is split."},
  [GST_REVBUF_IS_FOLLOWED] =
      {"several-streams", gst_stream_error_quark, GST_STREAM_ERROR_FAILED,
      "Several streams follow one another, and a seek reaches only one: set "
        "mode=collect on %s."},
  [GST_REVBUF_SEEK_REFUSED] =
      {"seek-refused", gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Upstream refused a seek that is needed to play backwards: set "
        "mode=collect on %s."},
  [GST_REVBUF_SEEKS_DIFFER] =
      {"seeks-differ", gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Upstream's seeks lead to other places than they say: set mode=collect on "
        "%s."},
  [TIMEBLOCKS_BROKEN_OFF] = {"broken-off", gst_stream_error_quark,
        GST_STREAM_ERROR_FAILED,
      "Upstream ended in the middle of the stream, earlier than before: check "
        "the file."},
  [TIMEBLOCKS_NOT_EXACT] =
      {"seam-not-exact", gst_stream_error_quark, GST_STREAM_ERROR_DECODE,
      "The same audio was decoded twice with different results, so the seam "
        "cannot be exact: set mode=collect on %s, or seam=smooth to crossfade "
        "it."},
  [TIMEBLOCKS_AUDIO_MISSING] =
      {"audio-missing", gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "After a seek, upstream left out audio that it had sent before: set "
        "mode=collect on %s."},
  [TIMEBLOCKS_NO_AUDIO] =
      {"no-audio", gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Upstream says that it can seek, but sends no audio after a seek: set "
        "mode=collect on %s."},
};

/* ---- messages ------------------------------------------------------------- */

GstStructure *
gst_revbuf_details (const gchar * reason)
{
  return gst_structure_new (DETAILS, "reason", G_TYPE_STRING, reason, NULL);
}

GstFlowReturn
gst_revbuf_post (GstRevBuf * self, GstMessageType type, GQuark domain,
    gint code, GstStructure * details, const gchar * sentence, ...)
{
  gchar *text;
  va_list args;

  va_start (args, sentence);
  text = g_strdup_vprintf (sentence, args);
  va_end (args);
  gst_element_message_full_with_details (GST_ELEMENT (self), type, domain, code,
      text, NULL, __FILE__, GST_FUNCTION, __LINE__, details);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_revbuf_fail_storage (GstRevBuf * self, GError * error)
{
  gst_revbuf_post (self, GST_MESSAGE_ERROR, error->domain, error->code,
      gst_revbuf_details ("storage"), "%s", error->message);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_revbuf_fail_memory (GstRevBuf * self)
{
  return GST_REVBUF_FAIL (self, RESOURCE, NO_SPACE_LEFT, "no-memory",
      "There is not enough memory for a buffer: close other programs.");
}

void
gst_revbuf_report_news (GstRevBuf * self, const gchar * name,
    gint64 ahead_frames, const gchar * result)
{
  gboolean is_backward = self->state.velocity < 0;
  GstStructure *news = gst_structure_new_empty (name);
  GstClockTime pts_ns, stream_ns;
  const GstSegment *segment = &self->out.segment;
  GstRevBufOutput then;

  if (!self->out.is_sent && self->tape.is_running)
    gst_revbuf_tape_begin_segment (self);
  else if (!self->out.is_sent)
    gst_revbuf_begin_segment (self);
  then = self->out;
  gst_retro_clock_advance (&then.clock, MAX (ahead_frames, 0));
  then.n_frames += then.clock.frames - self->out.clock.frames;
  pts_ns = then.clock.now_ns;
  stream_ns = segment->time + timedsp_scale_time (is_backward
      && GST_CLOCK_TIME_IS_VALID (segment->stop) ? segment->stop - pts_ns :
      pts_ns - segment->start, ABS (segment->applied_rate));
  gst_structure_set (news, "frame", G_TYPE_INT64,
      gst_retro_frame_at (stream_ns, then.clock.rate),
      "timestamp", G_TYPE_UINT64, pts_ns, "stream-time", G_TYPE_UINT64,
      stream_ns, "running-time", G_TYPE_UINT64,
      gst_revbuf_output_running_time (&then), NULL);
  if (result != NULL)
    gst_structure_set (news, "result", G_TYPE_STRING, result, NULL);
  else
    gst_structure_set (news, "direction",
        g_type_from_name ("GstRevBufDirection"),
        is_backward ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD, NULL);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self), news));
}

/* ---- reports -------------------------------------------------------------------- */

void
gst_revbuf_report (GstRevBuf * self, const TimeBlocksReport * report)
{
  const Sentence *sentence = &sentences[report->code];
  GstClockTime time_ns =
      gst_retro_time_at (report->frame, self->out.clock.rate);
  gint64 ahead_frames = report->ahead_frames;

  if (self->tape.is_running)    /* at the current speed */
    ahead_frames = ABS (report->frame - gst_revbuf_tape_boundary (self,
            self->state.velocity)) /
        MAX (ABS (self->tape.state.speed), GST_REVBUF_REST_RATE);
  if (sentence->domain != NULL)
    gst_revbuf_post (self, GST_MESSAGE_WARNING, sentence->domain (),
        sentence->code, gst_revbuf_details (sentence->reason), sentence->text,
        GST_OBJECT_NAME (self));
  else
    GST_INFO_OBJECT (self, "%s at frame %" G_GINT64_FORMAT ": %g",
        sentence->text, report->frame, report->value);
  if (report->code == TIMEBLOCKS_SEAM_ODD)
    gst_revbuf_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SEEK, gst_structure_new (DETAILS, "reason",
            G_TYPE_STRING, "seam-odd", "frame", G_TYPE_INT64, report->frame,
            "stream-time", G_TYPE_UINT64, time_ns, "difference", G_TYPE_DOUBLE,
            report->value, NULL),
        "Two seeks to the audio at %.3f s brought different audio, so the output "
        "there may be wrong: set mode=collect on %s.", time_ns / 1e9,
        GST_OBJECT_NAME (self));
  if (report->code >= TIMEBLOCKS_SEAM_EQUAL
      && report->code <= TIMEBLOCKS_SEAM_ODD)
    gst_revbuf_report_news (self, "revbuf-seam", ahead_frames,
        sentence->reason);
}

void
gst_revbuf_report_failure (GstRevBuf * self, const TimeBlocksReport * report)
{
  const Sentence *sentence = &sentences[report->code];

  gst_revbuf_post (self, GST_MESSAGE_ERROR, sentence->domain (),
      sentence->code, gst_revbuf_details (sentence->reason), sentence->text,
      GST_OBJECT_NAME (self));
}

void
gst_revbuf_distrust (GstRevBuf * self)
{
  g_atomic_int_set (&self->distrusts_seeks, TRUE);
  GST_REVBUF_WARN (self, RESOURCE, SEEK, "seeks-differ",
      "Upstream's seeks lead to other places than they say, so the stream is "
      "collected: set mode=collect on %s to do so at once.",
      GST_OBJECT_NAME (self));
}

GstStructure *
gst_revbuf_report_stats (GstRevBuf * self)
{
  const TimeBlocksState *state = &self->state;
  GST_RETRO_HOLD (&self->lock);
  GST_RETRO_AUTO_LOCK (self);

  return gst_structure_new ("application/x-revbuf-stats",
      "blocks", G_TYPE_UINT64, state->stats.blocks,
      "seams-verified", G_TYPE_UINT64, state->stats.seams_equal,
      "seams-aligned", G_TYPE_UINT64, state->stats.seams_shifted,
      "seams-crossfaded", G_TYPE_UINT64, state->stats.seams_faded,
      "prerolls-widened", G_TYPE_UINT64, state->stats.prerolls_widened,
      "preroll-frames", G_TYPE_INT64, state->preroll_frames,
      "bytes-spilled", G_TYPE_UINT64, self->spilled_bytes, NULL);
}
