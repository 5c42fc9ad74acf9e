/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-timescale
 * @title: timescale
 * @short_description: Stretches or compresses audio in time, or changes its pitch
 *
 * timescale changes the duration of audio, and its pitch with it, like a tape running slower or
 * faster. It can also change just one of the two. #timescale:factor is the duration of the output
 * divided by the duration of the input: at factor 2, ten seconds become twenty.
 *
 * With #timescale:interpolation `sinc`, the default, all frequencies in the pass band are
 * preserved, and frequencies too high for the output are filtered out before they can alias.
 * #timescale:quality determines how well. `linear`, `smooth` and the others are simple formulas,
 * and fast.
 *
 * n input frames become floor (n × factor) output frames. The result is the same, bit for bit,
 * however the stream is divided into buffers. Positions are exact, so hours of audio don't drift.
 * Integer results are rounded half to even and clipped.
 *
 * You get one output buffer per input buffer, unless that would last longer than both 100 ms and
 * 1,024 frames. It's then output in pieces of a quarter of the input buffer's duration, but
 * between 10 and 100 ms. If there's nothing to change, buffers pass through as they are, along
 * with their metas.
 *
 * You can change #timescale:factor and #timescale:rate during playback. The change begins with
 * the next output buffer, and the speed then ramps linearly to the new one, within 5 ms of input
 * or output, whichever is longer. If a GstController sets the factor (over the stream time of the
 * input), its curve is read every 5 ms, and the speed changes linearly in between. The number of
 * output frames is the integral of the factor. You can change #timescale:interpolation and
 * #timescale:quality, too, and they take effect with the next buffer.
 *
 * Durations, positions and seeks are in output time: after a timescale with factor 2, a 10-second
 * file lasts 20 seconds. If the factor has changed along the way, each part is scaled by its own
 * factor. A stream that plays backwards is reversed at the input, the way revbuf does it, and a
 * single factor applies to all of it. Audio without timestamps passes through if there's nothing
 * to change. Otherwise it's an error, and you have to put a parser such as rawaudioparse before
 * the element.
 *
 * With #timescale:absorb-rate, timescale applies the rate of a segment itself. You get such a
 * segment after a seek with that rate, and timescale outputs it with rate 1 and an applied rate.
 * A seek with GST_SEEK_FLAG_INSTANT_RATE_CHANGE changes the factor immediately, even if upstream
 * doesn't support it.
 *
 * With #timescale:keep-pitch, only the duration changes: a phase vocoder stretches the sound, and
 * keeps transients sharp and the channels in phase. #timescale:semitones changes the pitch but
 * not the duration. The output pitch is the input pitch times 2^(semitones / 12), divided by the
 * factor unless the pitch is kept. It sounds good from factor 0.25 to 4. If neither the duration
 * nor the pitch changes, the output is the same as the input, bit for bit.
 *
 * Formants are the resonances that make a man's voice sound different from a child's, and they
 * move with the pitch. With #timescale:formants `keep`, they stay at the frequencies of the
 * input, however much the pitch changes, and #timescale:formant-semitones moves them on top of
 * that. Both of these use the vocoder, too. Tones don't have formants, so they aren't affected.
 *
 * You can change all of these properties during playback. When the vocoder starts, it first needs
 * a window of sound, so at 48 kHz you hear the change up to 0.25 s of input later. Once there's
 * no change of duration or pitch any more, the vocoder stops and buffers pass through, unless a
 * GstController sets the factor. #timescale:window sets the length of the window. A change takes
 * effect at the next segment.
 *
 * The latency is how far ahead the interpolation and the vocoder have to read. At 48 kHz, the
 * interpolation alone needs 2 ms. With #timescale:keep-pitch near factor 1 it's 110 ms for the
 * window `music` and 24 ms for `low-latency`, more below factor 1. With #timescale:semitones it's
 * higher: 26 to 63 ms for `low-latency`, 115 to 312 ms for `music`. After a live source, the
 * average factor should be 1: with a larger one, the output falls further and further behind, and
 * with a smaller one, it underruns.
 *
 * With #timescale:alignment `endpoints`, the whole stream is stored first (in memory up to
 * #timescale:max-memory, and the rest in a temporary file). It's then scaled so that its first
 * and last frames stay the same. If you keep or change the pitch, it's scaled as a stream
 * instead, and nothing is stored.
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
 * ]| Raises a voice by four semitones, but it still sounds like the same person.
 *
 * Since: 0.1
 */

#include "timescale/gsttimescale.h"

GST_DEBUG_CATEGORY (gst_time_scale_debug);

#define FORMATS "{ " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", " \
    GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (F64) " }"

/* GStreamer can't map more than 255 planes */
#define CAPS \
    "audio/x-raw, format = " FORMATS ", rate = [ 1, MAX ], " \
    "channels = [ 1, 1024 ], layout = interleaved; " \
    "audio/x-raw, format = " FORMATS ", rate = [ 1, MAX ], " \
    "channels = [ 1, 255 ], layout = non-interleaved"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

GST_ELEMENT_REGISTER_DECLARE (timescale);

#define gst_time_scale_parent_class parent_class
G_DEFINE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (timescale, "timescale", GST_RANK_NONE,
    GST_TYPE_TIME_SCALE);

/* ---- segments ------------------------------------------------------------- */

GstFlowReturn
gst_time_scale_fail_untimed (GstTimeScale * self)
{
  if (self->is_refused)
    return GST_FLOW_ERROR;
  self->is_refused = TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("%s needs audio with timestamps: put a parser such as rawaudioparse "
          "before it.", GST_OBJECT_NAME (self)), ("segment in %s format",
          gst_format_get_name (self->input.segment.format)));
  return GST_FLOW_ERROR;
}

/* If downstream rejects it, we post an error, as queue does, because an event can't return a flow
 * error to upstream. */
static GstFlowReturn
timescale_drain (GstTimeScale * self)
{
  GstFlowReturn ret = gst_time_scale_drain (self);

  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

static gboolean
timescale_has_curve (GstTimeScale * self, const gchar * property)
{
  g_autoptr (GstControlBinding) binding =
      gst_object_get_control_binding (GST_OBJECT (self), property);

  return binding != NULL && !gst_control_binding_is_disabled (binding);
}

/* Starts the segment that has arrived, now that we know its stop. */
static void
timescale_start_segment (GstTimeScale * self)
{
  GstSegment in = self->input.segment;
  gint rate = GST_AUDIO_INFO_RATE (&self->input.info);

  if (gst_retro_input_is_flipping (&self->input))
    gst_retro_segment_reverse (&self->input.segment, &in);
  self->is_curved = gst_object_has_active_control_bindings (GST_OBJECT (self));
  if (self->is_curved)
    gst_retro_sync_values (GST_OBJECT (self), in.time);
  gst_time_scale_copy_settings (self);
  GST_OBJECT_LOCK (self);
  if (self->is_seeking)         /* a seek replaces any instant rate change */
    self->times.multiplier = 1;
  gst_time_scale_times_start (&self->times, &in, self->now.factor,
      self->now.absorbs_rate, rate);
  if (self->is_seeking)
    gst_time_scale_times_answer (&self->times, &self->seek);
  self->is_seeking = FALSE;
  GST_OBJECT_UNLOCK (self);
  self->has_ramped = FALSE;
  gst_retro_clock_clear (&self->clock, rate);
  if (self->times.factor != 1)
    gst_time_scale_times_allow_surplus (&self->times,
        gst_retro_pad_duration (GST_BASE_TRANSFORM_SINK_PAD (self)), rate);
  if (self->times.out.applied_rate > 0 && (timescale_has_curve (self, "factor")
          || timescale_has_curve (self, "rate")))
    self->times.out.stop = GST_CLOCK_TIME_NONE;
  gst_retro_output_open_segment (&self->output,
      self->times.out.flags & GST_SEGMENT_FLAG_SEGMENT,
      gst_segment_to_stream_time (&self->times.out, GST_FORMAT_TIME,
          self->times.out.start), self->output.seqnum);
  gst_time_scale_send_segment (self, &self->times.out);
  /* if the pitch is kept, this takes longer than a short buffer lasts. If it
   * fails, the first buffer reports it. With a curve, we don't know the factor
   * yet. */
  if (rate > 0 && !self->is_curved && !gst_time_scale_wants_keeping (self))
    gst_time_scale_configure (self);
}

void
gst_time_scale_learn_stop (GstTimeScale * self, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&self->input, end_ns))
    timescale_start_segment (self);
}

static gboolean
timescale_handle_segment (GstTimeScale * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GST_DEBUG_OBJECT (self, "received segment %" GST_SEGMENT_FORMAT, segment);
  if (timescale_drain (self) == GST_FLOW_ERROR)
    return FALSE;
  gst_time_scale_forget_frames (self);
  gst_retro_input_set_segment (&self->input, segment);
  self->is_refused = FALSE;
  g_atomic_int_set (&self->is_untimed, segment->format != GST_FORMAT_TIME);
  if (self->is_untimed) {
    gst_retro_output_forget (&self->output);
    if (gst_time_scale_is_inert (self))
      return gst_pad_push_event (self->output.pad, g_steal_pointer (&event));
    gst_time_scale_fail_untimed (self);
    return TRUE;                /* otherwise it would be sent again and again */
  }
  gst_retro_output_expect (&self->output, gst_event_get_seqnum (event));
  if (!gst_retro_input_awaits_stop (&self->input))
    timescale_start_segment (self);
  return TRUE;
}

/* ---- other events ------------------------------------------------------------- */

static gboolean
timescale_chain_up (GstTimeScale * self, GstEvent * event)
{
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event
      (GST_BASE_TRANSFORM (self), event);
}

static gboolean
timescale_set_caps (GstBaseTransform * trans, GstCaps * in, GstCaps * out)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstAudioInfo info;

  if (!gst_audio_info_from_caps (&info, in))
    return FALSE;
  if (gst_audio_info_is_equal (&info, &self->input.info))
    return TRUE;
  gst_retro_input_set_info (&self->input, &info);
  self->n_planes = gst_retro_info_planes (&info);
  self->stride = gst_retro_info_plane_stride (&info);
  self->longest_frames = MAX (GST_AUDIO_INFO_RATE (&info) / 10, 1024);
  self->told_latency_frames = G_MAXSIZE;        /* they may last a different time now */
  gst_time_scale_forget_frames (self);
  return TRUE;
}

static gboolean
timescale_handle_gap (GstTimeScale * self, GstEvent * event)
{
  GstClockTime pts, duration, out_ns;
  GstGapFlags flags;
  gboolean ret = TRUE;

  if (self->is_untimed)
    return timescale_chain_up (self, event);
  gst_event_parse_gap (event, &pts, &duration);
  if (GST_CLOCK_TIME_IS_VALID (pts)
      && self->input.segment.format == GST_FORMAT_TIME) {
    gst_time_scale_learn_stop (self,
        GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts);
    gst_retro_input_take_gap (&self->input, &pts, duration);
    ret = timescale_drain (self) != GST_FLOW_ERROR;
    if (self->is_curved)
      gst_retro_sync_values (GST_OBJECT (self), gst_retro_segment_stream_time
          (&self->times.in, pts));
    gst_time_scale_copy_settings (self);
    gst_time_scale_adopt (self, pts);
    gst_time_scale_enter_segment (self);
    out_ns = gst_time_scale_times_map (&self->times, pts);
    gst_event_parse_gap_flags (event, &flags);
    if (GST_CLOCK_TIME_IS_VALID (duration)) {
      self->times.end_ns = pts + duration;
      duration =
          gst_time_scale_times_map (&self->times, self->times.end_ns) - out_ns;
    }
    gst_retro_output_push_gap (&self->output, out_ns, duration, flags,
        gst_event_get_seqnum (event));
  }
  gst_event_unref (event);
  return ret;
}

/* Handles EOS and SEGMENT_DONE: sends the remaining audio, then the event. */
static gboolean
timescale_handle_end (GstTimeScale * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  gint64 position_ns;
  gboolean ret;

  gst_time_scale_learn_stop (self, GST_CLOCK_TIME_NONE);
  if (timescale_drain (self) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  position_ns = gst_retro_output_get_position (&self->output);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE && position_ns != -1) {
    gst_event_unref (event);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
    gst_event_set_seqnum (event, seqnum);
  }
  ret = timescale_chain_up (self, event);
  gst_retro_output_close_segment (&self->output, position_ns, seqnum);
  return ret;
}

static void
timescale_forget_stream (GstTimeScale * self, gboolean reset_time)
{
  gst_time_scale_forget_frames (self);
  gst_retro_input_reset (&self->input, FALSE);
  gst_retro_output_forget (&self->output);
  g_atomic_int_set (&self->is_untimed, FALSE);
  GST_RETRO_AUTO_LOCK (self);
  gst_time_scale_times_flush (&self->times, self->settings.factor, reset_time);
  self->new_multiplier = 0;
}

static gboolean
timescale_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  gboolean reset_time, ret;
  gdouble multiplier;
  GstAudioInfo info;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      /* downstream may ask for the same caps again, which doesn't change anything */
      gst_event_parse_caps (event, &caps);
      if (gst_audio_info_from_caps (&info, caps)
          && !gst_audio_info_is_equal (&info, &self->input.info)
          && timescale_drain (self) == GST_FLOW_ERROR) {
        gst_event_unref (event);
        return FALSE;
      }
      return timescale_chain_up (self, event);
    case GST_EVENT_SEGMENT:
      return timescale_handle_segment (self, event);
    case GST_EVENT_GAP:
      return timescale_handle_gap (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return timescale_handle_end (self, event);
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &reset_time);
      timescale_forget_stream (self, reset_time);
      ret = timescale_chain_up (self, event);
      gst_retro_output_drop_held (&self->output, FALSE);
      return ret;
    case GST_EVENT_INSTANT_RATE_CHANGE:
      gst_event_parse_instant_rate_change (event, &multiplier, NULL);
      if (!gst_time_scale_multiply_rate (self, multiplier))
        return timescale_chain_up (self, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_STREAM_START:
      timescale_drain (self);
      return timescale_chain_up (self, event);
    default:
      if (self->input.segment.format == GST_FORMAT_TIME
          && gst_retro_output_hold (&self->output, event))
        return TRUE;
      return timescale_chain_up (self, event);
  }
}

/* ---- the element -------------------------------------------------------- */

static gboolean
timescale_stop (GstBaseTransform * trans)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);

  timescale_forget_stream (self, TRUE);
  gst_retro_input_reset (&self->input, TRUE);
  gst_retro_output_drop_held (&self->output, TRUE);
  g_atomic_int_set (&self->output.is_segment_open, FALSE);
  self->told_latency_frames = G_MAXSIZE;
  GST_RETRO_AUTO_LOCK (self);
  self->latency_ns = 0;
  g_array_set_size (self->times.history.pairs, 0);
  self->is_seeking = FALSE;
  return TRUE;
}

static void
gst_time_scale_finalize (GObject * object)
{
  GstTimeScale *self = GST_TIME_SCALE (object);

  gst_time_scale_forget_frames (self);
  gst_time_scale_times_clear (&self->times);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_time_scale_init (GstTimeScale * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_retro_input_reset (&self->input, TRUE);
  gst_retro_output_init (&self->output, GST_BASE_TRANSFORM_SRC_PAD (trans));
  gst_time_scale_times_init (&self->times);
  gst_time_scale_properties_init (self);
  self->base_submit =
      GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer;
  self->base_chain = GST_PAD_CHAINFUNC (GST_BASE_TRANSFORM_SINK_PAD (trans));
  gst_pad_set_chain_function (GST_BASE_TRANSFORM_SINK_PAD (trans),
      GST_DEBUG_FUNCPTR (gst_time_scale_chain));
}

static void
gst_time_scale_class_init (GstTimeScaleClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_time_scale_debug, "timescale", 0,
      "scaling of audio in time");

  object_class->finalize = gst_time_scale_finalize;
  gst_time_scale_properties_class_init (object_class);

  trans_class->stop = GST_DEBUG_FUNCPTR (timescale_stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (timescale_set_caps);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (timescale_sink_event);
  trans_class->src_event = GST_DEBUG_FUNCPTR (gst_time_scale_src_event);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_time_scale_query);
  trans_class->submit_input_buffer =
      GST_DEBUG_FUNCPTR (gst_time_scale_submit_input_buffer);
  trans_class->generate_output =
      GST_DEBUG_FUNCPTR (gst_time_scale_generate_output);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Audio time scaler",
      "Filter/Effect/Rate/Audio",
      "Stretches or compresses audio in time, with or without changing its "
      "pitch", "The Retrograde authors <retrograde@localhost>");
}
