/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/report.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* The sentence for a report; %s is the name of the element. A sentence without a domain
 * is only written to the log. */
typedef struct
{
  GQuark (*domain) (void);
  gint code;
  const gchar *text;
} Sentence;

static const Sentence sentences[] = {
  [TIMEPLAY_MARKERS_WERE_CLAMPED] =
      {gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "A loop marker lies outside the stream, so it was moved to the end: set "
        "loop-start and loop-stop inside the stream."},
  [TIMEPLAY_MARKERS_WERE_CROSSED] =
      {gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "loop-stop lies before loop-start, so they were swapped: set loop-stop to "
        "the later time."},
  [TIMEPLAY_MARKERS_WERE_EMPTY] =
      {gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS,
      "There is nothing between loop-start and loop-stop, so the whole stream is "
        "repeated: set loop-stop to a later time."},
  [TIMEPLAY_SPLICE_EQUAL] = {NULL, 0, "equal seam"},
  [TIMEPLAY_SPLICE_ALIGNED] = {NULL, 0, "shifted seam"},
  [TIMEPLAY_SPLICE_FADED] = {NULL, 0, "faded seam"},
  [TIMEPLAY_PREROLL_WIDENED] = {NULL, 0, "runs differ, wider preroll"},
  [TIMEPLAY_START_FORGOTTEN] = {NULL, 0, "another stream after a seek"},
  [TIMEPLAY_NO_MEMORY] =
      {gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "There is not enough memory for a block: lower block-time or max-memory "
        "of %s."},
  [TIMEPLAY_FORMAT_CHANGED] = {gst_stream_error_quark, GST_STREAM_ERROR_FORMAT,
      "The stream changes its format, or does not match its caps: put "
        "audioconvert and audioresample before %s."},
  [TIMEPLAY_IS_CONTESTED] = {gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Another revbuf seeks in the source of %s, and each disturbs the other: "
        "set mode=collect on both, or reverse the audio before it is split."},
  [TIMEPLAY_IS_FOLLOWED] = {gst_stream_error_quark, GST_STREAM_ERROR_FAILED,
      "Several streams follow one another, and a seek reaches only one: set "
        "mode=collect on %s."},
  [TIMEPLAY_SEEK_REFUSED] = {gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Upstream refused a seek that is needed to play backwards: set "
        "mode=collect on %s."},
  [TIMEPLAY_NOT_EXACT] = {gst_stream_error_quark, GST_STREAM_ERROR_DECODE,
      "The same audio was decoded twice with different results, so the seam "
        "cannot be exact: set mode=collect on %s, or seam=smooth to crossfade "
        "it."},
  [TIMEPLAY_AUDIO_MISSING] = {gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "After a seek, upstream left out audio that it had sent before: set "
        "mode=collect on %s."},
  [TIMEPLAY_NO_AUDIO] = {gst_resource_error_quark, GST_RESOURCE_ERROR_SEEK,
      "Upstream says that it can seek, but sends no audio after a seek: set "
        "mode=collect on %s."},
};

void
gst_revbuf_report (GstRetroFilter * filter, const TimePlayAction * action,
    guint rate)
{
  const Sentence *sentence = &sentences[action->report];
  gint64 frame = action->frame;

  if (action->report == TIMEPLAY_ENDS_EARLY)
    GST_ELEMENT_WARNING (filter, RESOURCE, SEEK,
        ("Upstream states that the stream lasts %.3f s, but after a seek it ended "
            "at %.3f s: check that the file is complete, or set mode=collect on "
            "%s to play it without seeks.", action->value,
            (gdouble) frame / rate, GST_OBJECT_NAME (filter)), (NULL));
  else if (action->report == TIMEPLAY_SPLICE_ODD)
    GST_ELEMENT_WARNING (filter, RESOURCE, SEEK,
        ("Two seeks to the audio at %.3f s brought different audio, so the "
            "output there may be wrong: set mode=collect on %s.",
            (gdouble) frame / rate, GST_OBJECT_NAME (filter)),
        ("seam at frame %" G_GINT64_FORMAT ", difference %.1e", frame,
            action->value));
  else if (sentence->domain != NULL)
    gst_element_message_full (GST_ELEMENT (filter), GST_MESSAGE_WARNING,
        sentence->domain (), sentence->code, g_strdup (sentence->text), NULL,
        __FILE__, GST_FUNCTION, __LINE__);
  else
    GST_INFO_OBJECT (filter, "%s at frame %" G_GINT64_FORMAT ": %g",
        sentence->text, frame, action->value);
}

void
gst_revbuf_report_source (GstRetroFilter * filter, TimePlayWay way,
    TimePlaySource source)
{
  const gchar *instead =
      way == TIMEPLAY_WARNS_UNLOOPED ? "the stream is not looped" :
      way == TIMEPLAY_WARNS_COLLECTED ?
      "the stream is collected to its end before it is played" :
      "the direction changes only at the next segment";
  const gchar *text;

  if (source == TIMEPLAY_SOURCE_LACKS_TIMES)
    text = "The sample rate is too high for frame-accurate seeks, so "
        "%s: put audioresample before %s.";
  else if (source == TIMEPLAY_SOURCE_DIFFERS)
    text = "A timescale upstream outputs different frames after each seek, so "
        "%s: put %s before timescale.";
  else
    text =
        "Upstream cannot seek, so %s: put %s after an element that can seek.";
  GST_ELEMENT_WARNING (filter, RESOURCE, SEEK, (text, instead,
          GST_OBJECT_NAME (filter)), (NULL));
}

void
gst_revbuf_report_error (GstRetroFilter * filter, const TimePlayAction * action)
{
  const Sentence *sentence = &sentences[action->report];

  if (action->report == TIMEPLAY_BROKEN_OFF)
    gst_retro_filter_fail (filter, g_error_new (GST_STREAM_ERROR,
            GST_STREAM_ERROR_FAILED,
            "Upstream ended in the middle of the stream, %" G_GINT64_FORMAT
            " frames earlier than before: check the file.",
            (gint64) action->frame));
  else
    gst_retro_filter_fail (filter, g_error_new (sentence->domain (),
            sentence->code, sentence->text, GST_OBJECT_NAME (filter)));
}

GstStructure *
gst_revbuf_report_stats (const TimePlayStats * stats)
{
  return gst_structure_new ("application/x-revbuf-stats",
      "blocks", G_TYPE_UINT64, stats->blocks,
      "seams-verified", G_TYPE_UINT64, stats->splices_verified,
      "seams-aligned", G_TYPE_UINT64, stats->splices_aligned,
      "seams-crossfaded", G_TYPE_UINT64, stats->splices_faded,
      "prerolls-widened", G_TYPE_UINT64, stats->prerolls_widened,
      "preroll-frames", G_TYPE_INT64, stats->preroll_frames, NULL);
}
