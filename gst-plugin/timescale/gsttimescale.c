/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-timescale
 * @title: timescale
 * @short_description: Stretches or compresses audio in time, or changes its pitch
 *
 * timescale changes the duration of audio, and its pitch with it, like a tape that runs
 * slower or faster. It can also change only one of the two. #timescale:factor is the
 * duration of the output divided by that of the input: with 2, ten seconds become twenty.
 *
 * With #timescale:interpolation `sinc`, the default, all frequencies in the pass band are
 * preserved, and frequencies too high for the output are filtered out before they can
 * alias. #timescale:quality determines how well. `linear`, `smooth` and the others are
 * simple formulas, and are fast.
 *
 * n input frames become floor (n × factor) output frames. The result is the same, bit for
 * bit, however the stream is divided into buffers. Positions are exact, so hours of audio do
 * not drift.
 * Integer results are rounded half to even and clipped.
 *
 * #timescale:factor and #timescale:rate may change during playback. The change begins after
 * at most 30 ms of output (150 ms if buffers are longer than 80 ms). The speed then changes
 * linearly to the new one, within 5 ms of the input or of the output, whichever is longer.
 * If a GstController sets the factor (over the stream time of the input), its curve is read
 * every 5 ms, and the speed changes linearly in between. The number of output frames is the
 * integral of the factor. #timescale:interpolation and #timescale:quality may change, too,
 * and take effect at the next frame.
 *
 * Durations, positions and seeks are in times of the output: after a timescale with factor
 * 2, a file of 10 seconds lasts 20. If the factor has changed, each part counts with its
 * own factor. A stream that plays backwards is reversed at the input, as by revbuf, and a
 * single factor applies to all of it.
 *
 * With #timescale:absorb-rate, timescale itself applies the rate of a segment. Such a
 * segment results from a seek with that rate, and is output with rate 1 and an applied
 * rate. A seek with GST_SEEK_FLAG_INSTANT_RATE_CHANGE changes the factor immediately, and
 * need not be supported by upstream.
 *
 * With #timescale:keep-pitch, only the duration changes: a phase vocoder stretches the
 * sound, and keeps transients sharp and the channels in phase. #timescale:semitones changes
 * the pitch without the duration. The pitch of the output is that of the input, divided by
 * the factor unless it is kept, times 2^(semitones / 12). From factor 0.25 to 4 the sound
 * is good. If neither duration nor pitch changes, the output is the input, bit for bit.
 *
 * Formants, the resonances that distinguish a man's voice from a child's, move with the
 * pitch. With #timescale:formants `keep` they stay at the frequencies of the input for any
 * change of pitch, and #timescale:formant-semitones moves them in addition. Either of these
 * uses the vocoder, too. Tones, which have no formants, are left unchanged.
 *
 * All of these properties may change during playback. When the vocoder starts, it first
 * needs a window of sound: at 48 kHz, the change is audible up to 0.25 s of input later.
 * When neither duration nor pitch is changed any more, the vocoder stops and buffers are
 * passed through, unless a GstController sets the factor. #timescale:window sets the length
 * of the window; a change takes effect at the next segment.
 *
 * The latency is the amount of input after a position that interpolation and vocoder need.
 * At 48 kHz it is 2 ms for the interpolation alone. With #timescale:keep-pitch near factor
 * 1 it is 110 ms for the window `music` and 24 ms for `low-latency`, more below factor 1.
 * With #timescale:semitones it is higher: 26 to 63 ms for `low-latency`, 115 to 312 ms for
 * `music`. After a live source, the average factor should be 1: a larger one delays the
 * output more and more, and a smaller one makes it underrun.
 *
 * With #timescale:alignment `endpoints`, the whole stream is kept (in memory up to
 * #timescale:max-memory, beyond that in a temporary file). It is then scaled so that its
 * first and last frame are kept. If the pitch is kept or changed, it is scaled as a stream
 * instead, and nothing is kept.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.flac ! decodebin ! audioconvert ! timescale factor=1.5 ! wavenc ! filesink location=slow.wav
 * ]| Makes a file half as long again.
 * |[
 * gst-launch-1.0 filesrc location=in.ogg ! decodebin ! audioconvert ! timescale rate=2 interpolation=linear ! autoaudiosink
 * ]| Plays at double speed.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale keep-pitch=true rate=1.5"
 * ]| Plays speech half as fast again, at its original pitch.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale semitones=4 formants=keep"
 * ]| Raises a voice by four semitones; it still sounds like the same person.
 *
 * Since: 0.1
 */

#include "timescale/gsttimescale.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY (gst_timescale_debug);
#define GST_CAT_DEFAULT gst_timescale_debug

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

GST_ELEMENT_REGISTER_DECLARE (timescale);

G_DEFINE_FINAL_TYPE (GstTimeScale, gst_timescale, GST_TYPE_RETRO_FILTER);
GST_ELEMENT_REGISTER_DEFINE (timescale, "timescale", GST_RANK_NONE,
    GST_TYPE_TIMESCALE);

/* ---- instant changes of the rate ---------------------------------------- */

static gboolean
gst_timescale_instant_rate (GstRetroFilter * filter, gdouble multiplier)
{
  GST_RETRO_AUTO_LOCK (filter);

  return timescale_rate (GST_TIMESCALE (filter)->session, multiplier);
}

/* Handles a seek with INSTANT_RATE_CHANGE by changing the factor, without upstream. Returns
 * FALSE if the direction would change. */
static gboolean
seek_instantly (GstRetroFilter * filter, gdouble rate)
{
  GstSegment in;

  return gst_retro_pad_get_segment (filter->sinkpad, &in, NULL)
      && rate * in.rate > 0
      && gst_timescale_instant_rate (filter, rate / in.rate);
}

/* ---- seeks and queries -------------------------------------------------- */

/* Converts the times of @seek to times of the input. @seek is NULL if upstream has refused
 * the last seek. */
static void
translate_seek (GstRetroFilter * filter, TimeScaleSeek * seek)
{
  GST_RETRO_AUTO_LOCK (filter);

  timescale_seek (GST_TIMESCALE (filter)->session, seek);
}

static gboolean
gst_timescale_seek (GstRetroFilter * filter, GstEvent * event)
{
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  TimeScaleSeek seek;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (event, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  if ((flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && seek_instantly (filter, rate)) {
    gst_event_unref (event);
    return TRUE;
  }
  seek.start_ns = start;
  seek.stop_ns = stop;
  seek.sets_start = start_type == GST_SEEK_TYPE_SET;
  seek.sets_stop = stop_type == GST_SEEK_TYPE_SET;
  translate_seek (filter, &seek);
  if (gst_retro_filter_send_seek (filter, event, rate, seek.start_ns,
          stop_type, seek.stop_ns))
    return TRUE;
  translate_seek (filter, NULL);
  return FALSE;
}

/* Whether the output repeats after a seek, which is true only of unchanged audio. Scaled
 * audio differs, because the phase of the scaler and the state of the stretcher depend on
 * the first frame. */
static gboolean
gst_timescale_repeats (GstRetroFilter * filter)
{
  if (gst_object_has_active_control_bindings (GST_OBJECT (filter)))
    return FALSE;
  GST_RETRO_AUTO_LOCK (filter);
  return timescale_is_identity (GST_TIMESCALE (filter)->session);
}

static gint64
to_output_time (GstTimeScale * self, gint64 time_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  return timescale_to_output (self->session, time_ns);
}

/* Converts the answer of upstream to times of the output. */
static void
scale_answer (GstTimeScale * self, GstQuery * query)
{
  GstFormat format;
  gint64 start, stop;
  gboolean seekable;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_duration (query, format, to_output_time (self, stop));
      break;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, &start);
      if (format == GST_FORMAT_TIME)
        gst_query_set_position (query, format, to_output_time (self, start));
      break;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_seeking (query, format, seekable,
            to_output_time (self, start), to_output_time (self, stop));
      break;
    default:
      break;
  }
}

static gboolean
gst_timescale_query (GstRetroFilter * filter, GstQuery * query)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstRetroFilterClass *parent_class =
      GST_RETRO_FILTER_CLASS (gst_timescale_parent_class);
  gboolean sent_already;

  /* once audio has been sent, the base class itself answers, with a time of the output */
  sent_already = GST_QUERY_TYPE (query) == GST_QUERY_POSITION
      && GST_CLOCK_TIME_IS_VALID (gst_retro_filter_get_position (filter));

  if (!parent_class->query (filter, query))
    return FALSE;
  if (!sent_already)
    scale_answer (self, query);
  return TRUE;
}

/* ---- the element -------------------------------------------------------- */

static void
gst_timescale_finalize (GObject * object)
{
  GstTimeScale *self = GST_TIMESCALE (object);

  timescale_free (self->session);
  g_clear_pointer (&self->store, gst_retro_store_free);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_timescale_parent_class)->finalize (object);
}

static void
gst_timescale_init (GstTimeScale * self)
{
  self->session = timescale_new ();
  gst_timescale_properties_init (self);
}

static void
gst_timescale_class_init (GstTimeScaleClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRetroFilterClass *filter_class = GST_RETRO_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_timescale_debug, "timescale", 0,
      "scaling of audio in time");

  object_class->finalize = gst_timescale_finalize;
  gst_timescale_properties_class_init (object_class);

  gst_timescale_play_class_init (filter_class);
  filter_class->seek = gst_timescale_seek;
  filter_class->instant_rate = gst_timescale_instant_rate;
  filter_class->repeats = gst_timescale_repeats;
  filter_class->query = gst_timescale_query;

  gst_retro_filter_class_add_templates (filter_class, formats,
      G_N_ELEMENTS (formats));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Audio time scaler", "Filter/Effect/Audio",
      "Stretches or compresses audio in time, with or without changing its "
      "pitch", "The Retrograde authors <retrograde@localhost>");
}
