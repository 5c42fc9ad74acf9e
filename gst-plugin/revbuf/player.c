/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The player's task, and its states.
 */

#include "revbuf/gstrevbuf.h"

/* If the audio ends this much earlier than upstream says, we report it. Decoders drop the
 * encoder's padding, a few packets at most. Among the formats in docs/formats.md, AAC in MP4 is
 * the worst, at 31 ms. */
#define MAX_PADDING_NS (500 * GST_MSECOND)

/* ---- the right to send --------------------------------------------------------- */

void
gst_revbuf_begin_sending (GstRevBuf * self)
{
  GST_PAD_STREAM_LOCK (self->srcpad);
  self->sends++;
}

void
gst_revbuf_end_sending (GstRevBuf * self)
{
  GstEvent *event;
  gboolean stops;

  for (; self->sends == 1 && self->open_stops > 0; self->open_stops--) {
    g_mutex_lock (&self->lock);
    if (self->open_flushes > 0)
      self->open_flushes--;
    stops = self->open_flushes == 0 && self->in.awaited != GST_EVENT_FLUSH_STOP;
    gst_revbuf_changed (self);
    g_mutex_unlock (&self->lock);
    gst_revbuf_reset_running_time (self);
    if (!stops)
      continue;
    event = gst_event_new_flush_stop (TRUE);
    gst_event_set_seqnum (event, self->flush_seqnum);
    gst_pad_push_event (self->srcpad, event);
  }
  self->sends--;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
}

/* ---- the input of the task ------------------------------------------------------- */

void
gst_revbuf_refresh (GstRevBuf * self)
{
  gdouble velocity = self->state.velocity;
  gdouble heard;
  GST_RETRO_HOLD (&self->lock);

  timeblocks_get_state (self->blocks, &self->state);
  if (!self->tape.is_running)
    return;
  /* while the tape runs, the blocks are at one end of the window */
  self->tape.direction = self->state.velocity < 0 ? -1 : 1;
  heard = gst_revbuf_tape_velocity (self);
  self->state.velocity = heard != 0 ? heard : velocity;
  self->state.boundary = gst_revbuf_tape_boundary (self);
}

void
gst_revbuf_fail (GstRevBuf * self, guint code)
{
  self->failure = (TimeBlocksReport) {
  .code = (TimeBlocksCode) code};
  self->has_failure = TRUE;
}

/* Waits, without the right to send, until `changes` differs from @changes. */
static void
player_wait_for_change (GstRevBuf * self, guint changes)
{
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  g_mutex_lock (&self->lock);
  while (!self->is_stopping && self->changes == changes)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  GST_PAD_STREAM_LOCK (self->srcpad);
}

static void
player_open_stream (GstRevBuf * self)
{
  GstRevBufSettings settings;
  TimeBlocksSettings now;
  GST_RETRO_HOLD (&self->lock);
  gint rate = self->format.rate;

  settings = gst_revbuf_get_settings (self);
  now = gst_revbuf_settings_of_blocks (&settings, rate);
  self->is_opening = self->pending.has_settings = FALSE;
  timeblocks_open (self->blocks, &self->format, &now,
      MAX (gst_revbuf_frame_at (self->begin_ns, rate), 0));
  if (GST_CLOCK_TIME_IS_VALID (self->record_ns))
    self->decode = timeblocks_record_start (self->blocks,
        gst_retro_frame_at (self->record_ns, rate),
        gst_revbuf_frame_at (self->record_stop_ns, rate));
  self->is_recording = self->decode != NULL;
  if (self->is_recording)
    self->in.upstream = UPSTREAM_FILLING;
  self->out = (GstRevBufOutput) {
  .base_ns = self->base_ns};
  gst_segment_init (&self->out.segment, GST_FORMAT_TIME);
  gst_retro_clock_clear (&self->out.clock, rate);
  self->stage = STAGE_STOPPED;
  self->pass_frames = self->recorded_frames = 0;
  self->has_failure = self->ends_stream = self->has_reported_end = FALSE;
  self->must_open_segment = FALSE;
  self->estimate_frame = TIMEDSP_UNKNOWN;
  self->tells_direction_change = self->tells_loop_pass = FALSE;
  timeblocks_get_state (self->blocks, &self->state);
  gst_revbuf_changed (self);
}

/* ---- requests ------------------------------------------------------------------------ */

static void
player_serve (GstRevBuf * self, const GstRevBufRequest * request)
{
  GstRevBufOutput *out = &self->out;
  gboolean jumps = request->move == TIMEBLOCKS_GO_TO
      || (request->move == TIMEBLOCKS_START
      && request->last_frame == TIMEDSP_UNKNOWN);
  gint rate = out->clock.rate;
  TimeBlocksTarget target = {.move = request->move };

  out->is_sent = FALSE;
  self->pass_frames = self->n_fetches = 0;
  out->is_broken |= jumps;
  gst_revbuf_output_set_rate (out, ABS (request->rate));
  if (request->format.rate > 0 && rate != (gint) request->format.rate) {
    rate = request->format.rate;
    gst_retro_clock_clear (&out->clock, rate);
  }
  target.velocity = request->is_backward ? -1 : 1;
  target.start_frame = gst_retro_frame_at (request->start_ns, rate);
  target.stop_frame = gst_revbuf_frame_at (request->stop_ns, rate);
  target.end_frame = gst_revbuf_frame_at (request->duration_ns, rate);
  target.last_frame = request->last_frame;
  target.format = request->format;
  timeblocks_go (self->blocks, &target);
  self->tells_direction_change = !request->is_first
      && request->is_backward != gst_revbuf_is_reversed (self);
  self->promise_ns = request->duration_ns;
}

/* Picks up the input before each step. Returns the decode that has arrived. Hold the lock.
 *
 * Playback that begins without a seek waits until we've recorded the start of the stream. By then,
 * parsers have seen enough to know the duration. If recording has failed, we report that first. */
static TimeDecode *
player_take_input (GstRevBuf * self, GstRevBufPending * input)
{
  static const GstRevBufPending none;
  GstRevBufPending *waiting = &self->pending;

  if (waiting->has_request && !(self->is_recording
          && waiting->request.move == TIMEBLOCKS_START)
      && !(self->has_failure && self->stage == STAGE_STOPPED)) {
    self->is_recording = FALSE;
    if (self->in.is_rest)
      self->in.is_rest = self->in.is_last = self->in.next_waits = FALSE;
    if (self->restarts_time) {
      self->out.base_ns = self->restart_ns;
      self->out.n_frames = 0;
      self->out.is_broken = TRUE;
    }
    self->restarts_time = FALSE;
    self->served = waiting->has_resume ? waiting->resume : waiting->request;
    self->stage = STAGE_PLAYING;
  }
  *input = none;
  if (self->stage == STAGE_PLAYING) {
    *input = *waiting;
    *waiting = none;
    if (input->has_stop)
      self->served.seqnum = input->stop_seqnum;
  }
  self->seen = self->in;
  return self->stage == STAGE_PLAYING || self->is_recording ?
      g_steal_pointer (&self->arrived) : NULL;
}

/* Sets the playback rate of the next frames. `speed` doesn't affect it while the tape plays, or
 * if there's an encoder downstream, because an encoder would end its file at a new rate. */
static void
player_set_rate (GstRevBuf * self)
{
  const GstRevBufTape *tape = &self->tape;
  gdouble rate;

  self->rate_factor = !tape->resamples && !tape->is_running
      && !tape->is_scrubbing
      && !gst_retro_output_examine (&self->output).has_encoder ?
      CLAMP (ABS (tape->speed), GST_REVBUF_MIN_RATE, TIMESPEED_MAX_SPEED) : 1;
  rate = ABS (self->served.rate) * self->rate_factor;
  if (rate == self->out.segment.rate)
    return;
  gst_revbuf_output_set_rate (&self->out, rate);
  self->out.is_sent = FALSE;
}

static void
player_apply_input (GstRevBuf * self, const GstRevBufPending * input)
{
  GstRevBufSettings settings;
  TimeBlocksSettings now;
  gint velocity;

  settings = gst_revbuf_get_settings (self);
  if (input->has_settings || input->has_request)
    gst_revbuf_tape_park (self);
  if (input->has_settings) {
    now = gst_revbuf_settings_of_blocks (&settings, self->out.clock.rate);
    if (timeblocks_configure (self->blocks, &now))
      self->out.is_sent = FALSE;
  }
  if (input->has_request)
    player_serve (self, &input->request);
  if (input->has_resume)
    player_serve (self, &input->resume);
  velocity = (settings.direction == TIMEDSP_BACKWARD) !=
      (self->served.rate < 0) ? -1 : 1;
  if (input->has_request) {
    self->ends_stream = self->is_stopped = self->has_failure = FALSE;
    self->must_open_segment =
        (self->served.flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
    self->tape.is_running = self->tape.is_scrubbing = FALSE;
    self->tape.sign = velocity;
  }
  gst_revbuf_tape_configure (self, &settings, input);
  player_set_rate (self);
  if (!input->has_direction_change || gst_revbuf_tape_is_wanted (self))
    return;
  self->tape.sign = velocity;
  if (!timeblocks_set_velocity (self->blocks, velocity))
    return;
  self->out.is_sent = FALSE;
  self->pass_frames = 0;
  self->begins_at_end = FALSE;
  self->tells_direction_change = TRUE;
  self->served.move = TIMEBLOCKS_RESUME;
}

/* ---- ends --------------------------------------------------------------------------------- */

/* Warns if the stream ends earlier than upstream says. A duration from a header stays the same.
 * Without a header, MP3 and AAC parsers estimate it from the bit rate, and their estimate
 * changes, so we don't warn. Returns whether we released the right to send. */
static gboolean
player_compare_end (GstRevBuf * self)
{
  GstClockTime promised_ns = self->promise_ns, told_ns = GST_CLOCK_TIME_NONE;
  gint64 end = self->state.end_frame;

  if (self->seen.is_followed || end == TIMEDSP_UNKNOWN
      || !GST_CLOCK_TIME_IS_VALID (promised_ns)
      || gst_retro_time_at (end, self->out.clock.rate) + MAX_PADDING_NS >=
      promised_ns)
    return FALSE;
  self->promise_ns = GST_CLOCK_TIME_NONE;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  if (!gst_revbuf_examine (self->sinkpad).has_others)
    told_ns = gst_retro_pad_duration (self->sinkpad);
  if (told_ns == promised_ns && !self->has_reported_end) {
    self->has_reported_end = TRUE;
    gst_revbuf_report_early_end (self, promised_ns, end);
  }
  GST_PAD_STREAM_LOCK (self->srcpad);
  return TRUE;
}

/* The next stream begins where this one ended, unless there's been a seek or a flush since. */
static void
player_hand_over (GstRevBuf * self)
{
  gboolean hands_over;

  gst_revbuf_begin_sending (self);
  g_mutex_lock (&self->lock);
  hands_over = !self->pending.has_request
      && gst_revbuf_may_hand_over (self, &self->in);
  if (hands_over) {
    gst_revbuf_player_clear (self);
    g_atomic_int_set (&self->is_active, FALSE);
    self->next_base_ns = gst_revbuf_output_running_time (&self->out)
        + self->shift_ns;
    gst_revbuf_changed (self);
  }
  g_mutex_unlock (&self->lock);
  if (hands_over)
    gst_revbuf_send_waiting (self);
  gst_revbuf_end_sending (self);
}

static void
player_finish_pass (GstRevBuf * self)
{
  /* we've played something from the end, but never found out where that is */
  gboolean has_no_end = self->begins_at_end && self->pass_frames > 0
      && self->state.end_frame == TIMEDSP_UNKNOWN;

  if (self->state.is_lost || has_no_end) {
    gst_revbuf_fail (self, TIMEBLOCKS_NO_AUDIO);
  } else if (timeblocks_next_pass (self->blocks)) {
    self->out.is_sent = FALSE;
    self->pass_frames = 0;
    self->begins_at_end = FALSE;
    self->tells_loop_pass = TRUE;
  } else if (self->seen.is_followed
      && !gst_revbuf_may_hand_over (self, &self->seen)) {
    gst_revbuf_fail (self, GST_REVBUF_IS_FOLLOWED);
  } else {
    self->stage = STAGE_ENDING;
  }
  gst_revbuf_refresh (self);
  self->tells_direction_change |= self->tells_loop_pass
      && (self->state.velocity < 0) != gst_revbuf_is_reversed (self);
}

/* ---- the steps ------------------------------------------------------------------------------ */

/* If seeks end up in the wrong place, we might play for ever. A stated duration can be wrong, but
 * not by that much. */
static gboolean
player_is_endless (GstRevBuf * self)
{
  GstClockTime stated_ns = self->served.duration_ns;
  guint64 second = self->out.clock.rate;

  return GST_CLOCK_TIME_IS_VALID (stated_ns) && self->pass_frames >
      2 * (guint64) gst_retro_frame_at (stated_ns, second) + 10 * second;
}

void
gst_revbuf_note_flow (GstRevBuf * self, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (self, "sending stopped: %s", gst_flow_get_name (ret));
  self->ends_stream = ret != GST_FLOW_EOS;
  self->stage = ret == GST_FLOW_FLUSHING ? STAGE_STOPPED : STAGE_LEAVING;
}

/* Sends the next frames, after their segment and any pending events. */
static void
player_send (GstRevBuf * self)
{
  GstFlowReturn ret = GST_FLOW_OK;
  TimeBlocksSpan span;

  gst_revbuf_begin_sending (self);
  gst_revbuf_player_send_segment (self);
  gst_revbuf_send_waiting (self);
  if (timeblocks_read (self->blocks, &span)) {
    ret = gst_revbuf_send_frames (self, &span);
    self->pass_frames += span.frames;
    self->n_fetches = 0;
    g_mutex_lock (&self->lock);
    timeblocks_get_state (self->blocks, &self->state);
    if (!self->pending.has_request)
      self->playhead_ns = GST_CLOCK_TIME_NONE;
    g_mutex_unlock (&self->lock);
  }
  gst_revbuf_end_sending (self);
  if (ret == GST_FLOW_OK && player_is_endless (self))
    gst_revbuf_fail (self, GST_REVBUF_IS_ENDLESS);
  gst_revbuf_note_flow (self, ret);
}

/* Returns FALSE if it must wait for a change. */
static gboolean
player_play (GstRevBuf * self)
{
  const GstRevBufInflow *seen = &self->seen;
  /* if the next stream has begun, we can only play what's in memory */
  gboolean is_cut_off = seen->is_last && seen->next_waits, done;

  if (self->tape.is_running) {
    done = gst_revbuf_tape_play (self);
    if (!self->tape.is_running)
      player_set_rate (self);
    return done;
  }
  if (!is_cut_off && (gst_revbuf_fetch_wanted (self, NULL)
          || player_compare_end (self) || gst_revbuf_fetch_last (self)))
    return TRUE;
  if (self->state.ready_frames > 0) {
    if (gst_revbuf_tape_is_wanted (self)) {
      gst_revbuf_tape_start (self);
      player_set_rate (self);
      return TRUE;
    }
    if (self->tape.is_curved)
      gst_retro_sync_values (GST_OBJECT (self),
          gst_revbuf_output_running_time (&self->out));
    /* if the curve has changed the speed, the tape starts first */
    if (!self->tape.is_curved
        || gst_revbuf_get_settings (self).speed == self->tape.speed)
      player_send (self);
    return TRUE;
  }
  if (!is_cut_off && (self->state.left_frames > 0
          || (seen->is_last && seen->upstream != UPSTREAM_PARKED)))
    return FALSE;
  player_finish_pass (self);
  return TRUE;
}

/* Returns TRUE if @report says that seeks end up in the wrong place, but decoding from the start
 * may give us what they can't. */
static gboolean
player_is_astray (GstRevBuf * self, const TimeBlocksReport * report)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  return (report->code == TIMEBLOCKS_SEAM_ODD
      || report->code == TIMEBLOCKS_BROKEN_OFF
      || report->code == TIMEBLOCKS_AUDIO_MISSING
      || report->code == TIMEBLOCKS_NO_AUDIO)
      && settings.direction == TIMEDSP_BACKWARD
      && settings.loop == TIMEDSP_LOOP_NONE && !self->seen.is_followed;
}

/* Posts any messages. Releases the right to send while it does, because the application's
 * handlers may seek. Returns FALSE if there was nothing to post. */
static gboolean
player_tell (GstRevBuf * self)
{
  TimeBlocksReport report;
  gboolean has_report = timeblocks_get_report (self->blocks, &report);
  gboolean is_astray = FALSE;

  if (!has_report && !self->has_failure && !self->must_open_segment)
    return FALSE;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  while (has_report) {
    if (self->stage == STAGE_PLAYING && player_is_astray (self, &report))
      is_astray = TRUE;
    else
      gst_revbuf_report (self, &report);
    has_report = timeblocks_get_report (self->blocks, &report);
  }
  if (self->must_open_segment)
    gst_retro_output_open_segment (&self->output, TRUE,
        self->served.start_ns, self->served.seqnum);
  self->must_open_segment = FALSE;
  if (self->has_failure && self->stage == STAGE_STOPPED) {
    /* nobody will serve the request that we recorded the start for */
    g_mutex_lock (&self->lock);
    if (self->pending.has_request)
      self->served = self->pending.request;
    self->pending.has_request = self->pending.has_resume = FALSE;
    self->is_recording = FALSE;
    g_mutex_unlock (&self->lock);
  }
  if (self->has_failure) {
    is_astray |= self->stage != STAGE_COLLECTING
        && player_is_astray (self, &self->failure);
    if (!is_astray)
      gst_revbuf_report_failure (self, &self->failure);
    self->ends_stream = TRUE;
    self->stage = STAGE_LEAVING;
  }
  self->has_failure = FALSE;
  if (is_astray)
    gst_revbuf_report_distrust (self);
  GST_PAD_STREAM_LOCK (self->srcpad);
  if (is_astray) {
    gst_revbuf_tape_stop (self);
    gst_revbuf_collect_rest (self);
  }
  return TRUE;
}

/* Does what the stage needs. Returns FALSE if it must wait for a change. */
static gboolean
player_perform (GstRevBuf * self)
{
  GstRevBufNeighbours source;

  switch (self->stage) {
    case STAGE_PLAYING:
      return player_play (self);
    case STAGE_COLLECTING:     /* mode=collect takes over once decoding from the start begins */
      if (self->seen.next_waits)
        player_hand_over (self);
      else if (self->seen.upstream == UPSTREAM_PARKED)
        gst_revbuf_fail (self, GST_REVBUF_SEEK_REFUSED);
      else
        return FALSE;
      return TRUE;
    case STAGE_ENDING:
      if (gst_revbuf_may_hand_over (self, &self->seen)) {
        player_hand_over (self);
        return TRUE;
      }
      gst_revbuf_begin_sending (self);
      if (!self->out.is_sent)   /* if there was nothing to play, we still owe a segment */
        gst_revbuf_player_send_segment (self);
      gst_revbuf_end_sending (self);
      self->stage = STAGE_LEAVING;
      return TRUE;
    case STAGE_LEAVING:
      /* let upstream run to its end, unless a seek still needs it */
      GST_PAD_STREAM_UNLOCK (self->srcpad);
      source = gst_revbuf_examine (self->sinkpad);
      g_mutex_lock (&self->lock);
      if (!self->pending.has_request && self->in.awaited == GST_EVENT_UNKNOWN
          && (!source.is_held || self->is_stopped)) {
        self->in.is_let_go = TRUE;
        self->after = source.ends_together ? GST_FLOW_OK : GST_FLOW_EOS;
      }
      gst_revbuf_changed (self);
      g_mutex_unlock (&self->lock);
      GST_PAD_STREAM_LOCK (self->srcpad);
      self->stage = STAGE_PARTING;
      return TRUE;
    case STAGE_PARTING:
      self->stage = STAGE_STOPPED;
      gst_revbuf_begin_sending (self);
      gst_revbuf_send_waiting (self);
      gst_revbuf_send_end (self);
      gst_revbuf_end_sending (self);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Does one thing. Returns FALSE if it must wait for a change. */
static gboolean
player_advance (GstRevBuf * self, const GstRevBufPending * input,
    TimeDecode * arrived)
{
  if (input->has_settings || input->has_direction_change || input->has_scrub
      || input->has_request)
    player_apply_input (self, input);
  gst_revbuf_refresh (self);
  if (input->has_request)
    self->begins_at_end = self->state.velocity < 0
        && self->state.boundary == TIMEDSP_UNKNOWN;
  if (input->has_stop) {
    if (arrived != NULL)
      timeblocks_cancel (self->blocks, arrived);
    gst_revbuf_tape_stop (self);
    self->ends_stream = self->is_stopped = TRUE;
    self->stage = STAGE_ENDING;
    return TRUE;
  }
  if (self->stage == STAGE_PLAYING && self->seen.is_contested)
    gst_revbuf_fail (self, GST_REVBUF_IS_CONTESTED);
  else if (arrived != NULL && self->seen.is_broken)
    gst_revbuf_fail (self, TIMEBLOCKS_FORMAT_CHANGED);
  if (self->has_failure && arrived != NULL)
    timeblocks_cancel (self->blocks, g_steal_pointer (&arrived));
  if (self->is_recording && !self->has_failure) {
    if (arrived == NULL)
      return FALSE;
    self->is_recording = FALSE;
    self->recorded_frames = MAX (timedecode_next_frame (arrived), 0);
    self->has_failure = !timeblocks_end_recording (self->blocks, arrived,
        &self->failure);
    return TRUE;
  }
  /* we report a seam before we send the audio that it confirms */
  if (arrived != NULL && gst_revbuf_fetch_wanted (self, arrived))
    return TRUE;
  if (player_tell (self))
    return TRUE;
  if (self->seen.upstream == UPSTREAM_AGAIN && !input->has_request) {
    gst_revbuf_fetch (self);
    return TRUE;
  }
  return player_perform (self);
}

/* The function of the pad's task. GstPad calls it over and over while holding the pad's stream
 * lock, which is the right to send. Each call does one thing, so we look at the input again after
 * we've released the lock. */
static void
player_loop (gpointer data)
{
  GstRevBuf *self = data;
  gboolean is_stopping, is_opening, is_free;
  TimeDecode *arrived = NULL;
  GstRevBufPending input;
  guint changes;

  g_mutex_lock (&self->lock);
  changes = self->changes;
  is_stopping = self->is_stopping;
  is_free = self->is_active && !is_stopping && self->open_flushes == 0
      && self->in.awaited == GST_EVENT_UNKNOWN;
  is_opening = self->is_opening;
  if (is_free && !is_opening)
    arrived = player_take_input (self, &input);
  g_mutex_unlock (&self->lock);

  if (is_stopping)
    gst_pad_pause_task (self->srcpad);
  else if (!is_free)
    player_wait_for_change (self, changes);
  else if (is_opening)
    player_open_stream (self);
  else if (!player_advance (self, &input, arrived))
    player_wait_for_change (self, changes);
}

/* ---- the thread -------------------------------------------------------------------------- */

gboolean
gst_revbuf_start_thread (GstRevBuf * self)
{
  gboolean started = gst_pad_start_task (self->srcpad, player_loop, self, NULL);
  GstTask *task;

  g_mutex_lock (&self->lock);
  self->is_starting = FALSE;
  if (!started)
    g_atomic_int_set (&self->is_active, FALSE);
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  if (started)
    return TRUE;
  /* GstTask thinks the task is running, so we could never start it again, and joining it would
   * never return. We remove its callbacks, because the thread pool may still run it when the pad is
   * gone. */
  GST_OBJECT_LOCK (self->srcpad);
  task = g_steal_pointer (&GST_PAD_TASK (self->srcpad));
  GST_OBJECT_UNLOCK (self->srcpad);
  gst_task_stop (task);
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_object_unref (task);
  GST_REVBUF_FAIL (self, RESOURCE, NO_SPACE_LEFT, "no-thread",
      "Could not start a thread for %s: close other programs, or raise the "
      "limit (ulimit -u).", GST_OBJECT_NAME (self));
  return FALSE;
}

/* ---- the element's states ------------------------------------------------------------------- */

void
gst_revbuf_player_clear (GstRevBuf * self)
{
  self->in = (GstRevBufInflow) {
  .awaited = GST_EVENT_UNKNOWN};
  self->pending = (GstRevBufPending) {
  .has_request = FALSE};
  g_hash_table_remove_all (self->open_seeks);
  self->last_seek = GST_SEQNUM_INVALID;
  self->segments = 0;
  self->begin_ns = self->passed_ns = GST_CLOCK_TIME_NONE;
  self->playhead_ns = GST_CLOCK_TIME_NONE;
  self->stop_is_own = self->is_limited = FALSE;
  self->stage = STAGE_STOPPED;
  self->rate_factor = 1;
  gst_revbuf_tape_clear (&self->tape);
  gst_revbuf_drop_decodes (self);
  if (self->blocks != NULL)
    timeblocks_clear (self->blocks);
}

gboolean
gst_revbuf_player_open (GstRevBuf * self)
{
  if (self->blocks == NULL) {
    gst_revbuf_fail_memory (self);
    return FALSE;
  }
  GST_RETRO_HOLD (&self->lock);
  gst_revbuf_player_clear (self);
  self->is_stopping = FALSE;
  return TRUE;
}

void
gst_revbuf_player_close (GstRevBuf * self)
{
  GST_RETRO_HOLD (&self->lock);

  while (self->is_starting)
    g_cond_wait (&self->changed, &self->lock);
  self->is_stopping = TRUE;
  gst_revbuf_changed (self);
}

void
gst_revbuf_player_stop (GstRevBuf * self)
{
  gst_pad_stop_task (self->srcpad);
  GST_RETRO_HOLD (&self->lock);
  g_atomic_int_set (&self->is_active, FALSE);
  gst_revbuf_player_clear (self);
  g_queue_clear_full (&self->events, (GDestroyNotify) gst_event_unref);
}

void
gst_revbuf_player_init (GstRevBuf * self)
{
  self->seqnum = gst_revbuf_fetch_seqnum ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->formats =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_audio_info_free);
  self->open_seeks = g_hash_table_new (NULL, NULL);
  self->blocks = timeblocks_new (gst_revbuf_format_convert);
  self->is_stopping = TRUE;
  gst_revbuf_player_clear (self);
}
