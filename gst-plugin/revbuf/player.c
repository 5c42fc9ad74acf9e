/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The player's task, and its states.
 */

#include "revbuf/player.h"
#include "common/segment.h"
#include "common/workarounds.h"
#include "revbuf/format.h"
#include "revbuf/report.h"

#define GST_CAT_DEFAULT gst_revbuf_debug

/* If the audio ends this much earlier than upstream says, we report it. Decoders drop the
 * encoder's padding, a few packets at most. Among the formats in docs/formats.md, AAC in MP4 is
 * the worst, at 31 ms. */
#define MAX_PADDING_NS (500 * GST_MSECOND)

/* ---- the right to send --------------------------------------------------------- */

void
gst_revbuf_player_begin_sending (GstRevBufPlayer * player)
{
  GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
  player->sends++;
}

void
gst_revbuf_player_end_sending (GstRevBufPlayer * player)
{
  GstEvent *event;
  gboolean stops;

  for (; player->sends == 1 && player->open_stops > 0; player->open_stops--) {
    g_mutex_lock (&player->lock);
    if (player->open_flushes > 0)
      player->open_flushes--;
    stops = player->open_flushes == 0
        && player->in.awaited != GST_EVENT_FLUSH_STOP;
    gst_revbuf_player_changed (player);
    g_mutex_unlock (&player->lock);
    gst_revbuf_reset_running_time (player->revbuf);
    if (!stops)
      continue;
    event = gst_event_new_flush_stop (TRUE);
    gst_event_set_seqnum (event, player->flush_seqnum);
    gst_pad_push_event (player->revbuf->srcpad, event);
  }
  player->sends--;
  GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
}

/* ---- the input of the task ------------------------------------------------------- */

void
gst_revbuf_player_refresh (GstRevBufPlayer * player)
{
  gdouble velocity = player->state.velocity;
  gdouble heard;
  PLAYER_LOCK (player);

  timeblocks_get_state (player->blocks, &player->state);
  if (!player->tape.is_running)
    return;
  /* while the tape runs, the blocks are at one end of the window */
  player->tape.direction = player->state.velocity < 0 ? -1 : 1;
  heard = gst_revbuf_tape_velocity (player);
  player->state.velocity = heard != 0 ? heard : velocity;
  player->state.boundary = gst_revbuf_tape_boundary (player);
}

void
gst_revbuf_player_fail (GstRevBufPlayer * player, guint code)
{
  player->failure = (TimeBlocksReport) {
  .code = (TimeBlocksCode) code};
  player->has_failure = TRUE;
}

/* Waits, without the right to send, until `changes` differs from @changes. */
static void
player_wait_for_change (GstRevBufPlayer * player, guint changes)
{
  GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
  g_mutex_lock (&player->lock);
  while (!player->is_stopping && player->changes == changes)
    g_cond_wait (&player->changed, &player->lock);
  g_mutex_unlock (&player->lock);
  GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
}

static void
player_open_stream (GstRevBufPlayer * player)
{
  GstRevBufSettings settings;
  TimeBlocksSettings now;
  PLAYER_LOCK (player);
  gint rate = player->format.rate;

  settings = gst_revbuf_get_settings (player->revbuf);
  now = gst_revbuf_settings_of_blocks (&settings, rate);
  player->is_opening = player->input.has_settings = FALSE;
  timeblocks_open (player->blocks, &player->format, &now,
      MAX (gst_revbuf_frame_at (player->begin_ns, rate), 0));
  if (GST_CLOCK_TIME_IS_VALID (player->record_ns))
    player->decode = timeblocks_record_start (player->blocks,
        gst_retro_frame_at (player->record_ns, rate),
        gst_revbuf_frame_at (player->record_stop_ns, rate));
  player->is_recording = player->decode != NULL;
  if (player->is_recording)
    player->in.upstream = UPSTREAM_FILLING;
  player->out = (GstRevBufOutput) {
  .base_ns = player->base_ns};
  gst_segment_init (&player->out.segment, GST_FORMAT_TIME);
  gst_retro_clock_clear (&player->out.clock, rate);
  player->stage = STAGE_STOPPED;
  player->pass_frames = player->recorded_frames = 0;
  player->has_failure = player->ends_stream = player->has_reported_end = FALSE;
  player->must_open_segment = FALSE;
  player->estimate_frame = TIMEDSP_UNKNOWN;
  player->tells_direction_change = player->tells_loop_pass = FALSE;
  timeblocks_get_state (player->blocks, &player->state);
  gst_revbuf_player_changed (player);
}

/* ---- requests ------------------------------------------------------------------------ */

static void
player_serve (GstRevBufPlayer * player, const GstRevBufRequest * request)
{
  GstRevBufOutput *out = &player->out;
  gboolean jumps = request->move == TIMEBLOCKS_GO_TO
      || (request->move == TIMEBLOCKS_START
      && request->last_frame == TIMEDSP_UNKNOWN);
  gint rate = out->clock.rate;
  TimeBlocksTarget target = {.move = request->move };

  out->is_sent = FALSE;
  player->pass_frames = player->n_fetches = 0;
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
  timeblocks_go (player->blocks, &target);
  player->tells_direction_change = !request->is_first
      && request->is_backward != gst_revbuf_is_reversed (player->revbuf);
  player->promise_ns = request->duration_ns;
}

/* Picks up the input before each step. Returns the decode that has arrived. Hold the lock.
 *
 * Playback that begins without a seek waits until we've recorded the start of the stream. By then,
 * parsers have seen enough to know the duration. If recording has failed, we report that first. */
static TimeDecode *
player_take_input (GstRevBufPlayer * player, GstRevBufInput * input)
{
  static const GstRevBufInput none;
  GstRevBufInput *waiting = &player->input;

  if (waiting->has_request && !(player->is_recording
          && waiting->request.move == TIMEBLOCKS_START)
      && !(player->has_failure && player->stage == STAGE_STOPPED)) {
    player->is_recording = FALSE;
    if (player->in.is_rest)
      player->in.is_rest = player->in.is_last = player->in.next_waits = FALSE;
    if (player->restarts_time) {
      player->out.base_ns = player->restart_ns;
      player->out.n_frames = 0;
      player->out.is_broken = TRUE;
    }
    player->restarts_time = FALSE;
    player->served = waiting->has_resume ? waiting->resume : waiting->request;
    player->stage = STAGE_PLAYING;
  }
  *input = none;
  if (player->stage == STAGE_PLAYING) {
    *input = *waiting;
    *waiting = none;
    if (input->has_stop)
      player->served.seqnum = input->stop_seqnum;
  }
  player->seen = player->in;
  return player->stage == STAGE_PLAYING || player->is_recording ?
      g_steal_pointer (&player->arrived) : NULL;
}

/* Sets the playback rate of the next frames. `speed` doesn't affect it while the tape plays, or
 * if there's an encoder downstream, because an encoder would end its file at a new rate. */
static void
player_set_rate (GstRevBufPlayer * player)
{
  const GstRevBufTape *tape = &player->tape;
  gdouble rate;

  player->rate_factor = !tape->resamples && !tape->is_running
      && !tape->is_scrubbing
      && !gst_retro_output_examine (&player->revbuf->output).has_encoder ?
      CLAMP (ABS (tape->speed), GST_REVBUF_MIN_RATE, TIMESPEED_MAX_SPEED) : 1;
  rate = ABS (player->served.rate) * player->rate_factor;
  if (rate == player->out.segment.rate)
    return;
  gst_revbuf_output_set_rate (&player->out, rate);
  player->out.is_sent = FALSE;
}

static void
player_apply_input (GstRevBufPlayer * player, const GstRevBufInput * input)
{
  GstRevBufSettings settings;
  TimeBlocksSettings now;
  gint velocity;

  settings = gst_revbuf_get_settings (player->revbuf);
  if (input->has_settings || input->has_request)
    gst_revbuf_tape_park (player);
  if (input->has_settings) {
    now = gst_revbuf_settings_of_blocks (&settings, player->out.clock.rate);
    if (timeblocks_configure (player->blocks, &now))
      player->out.is_sent = FALSE;
  }
  if (input->has_request)
    player_serve (player, &input->request);
  if (input->has_resume)
    player_serve (player, &input->resume);
  velocity = (settings.direction == TIMEDSP_BACKWARD) !=
      (player->served.rate < 0) ? -1 : 1;
  if (input->has_request) {
    player->ends_stream = player->is_stopped = player->has_failure = FALSE;
    player->must_open_segment =
        (player->served.flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
    player->tape.is_running = player->tape.is_scrubbing = FALSE;
    player->tape.sign = velocity;
  }
  gst_revbuf_tape_configure (player, &settings, input);
  player_set_rate (player);
  if (!input->has_direction_change || gst_revbuf_tape_is_wanted (player))
    return;
  player->tape.sign = velocity;
  if (!timeblocks_set_velocity (player->blocks, velocity))
    return;
  player->out.is_sent = FALSE;
  player->pass_frames = 0;
  player->begins_at_end = FALSE;
  player->tells_direction_change = TRUE;
  player->served.move = TIMEBLOCKS_RESUME;
}

/* ---- ends --------------------------------------------------------------------------------- */

/* Warns if the stream ends earlier than upstream says. A duration from a header stays the same.
 * Without a header, MP3 and AAC parsers estimate it from the bit rate, and their estimate
 * changes, so we don't warn. Returns whether we released the right to send. */
static gboolean
player_compare_end (GstRevBufPlayer * player)
{
  GstClockTime promised_ns = player->promise_ns, told_ns = GST_CLOCK_TIME_NONE;
  gint64 end = player->state.end_frame;
  GstRevBuf *revbuf = player->revbuf;

  if (player->seen.is_followed || end == TIMEDSP_UNKNOWN
      || !GST_CLOCK_TIME_IS_VALID (promised_ns)
      || gst_retro_time_at (end, player->out.clock.rate) + MAX_PADDING_NS >=
      promised_ns)
    return FALSE;
  player->promise_ns = GST_CLOCK_TIME_NONE;
  GST_PAD_STREAM_UNLOCK (revbuf->srcpad);
  if (!gst_revbuf_examine (revbuf->sinkpad).has_others)
    told_ns = gst_retro_pad_duration (revbuf->sinkpad);
  if (told_ns == promised_ns && !player->has_reported_end) {
    player->has_reported_end = TRUE;
    gst_revbuf_report_early_end (player, promised_ns, end);
  }
  GST_PAD_STREAM_LOCK (revbuf->srcpad);
  return TRUE;
}

/* The next stream begins where this one ended, unless there's been a seek or a flush since. */
static void
player_hand_over (GstRevBufPlayer * player)
{
  GstRevBuf *revbuf = player->revbuf;
  gboolean hands_over;

  gst_revbuf_player_begin_sending (player);
  g_mutex_lock (&player->lock);
  hands_over = !player->input.has_request
      && gst_revbuf_player_may_hand_over (player, &player->in);
  if (hands_over) {
    gst_revbuf_player_clear (player);
    g_atomic_int_set (&player->is_active, FALSE);
    revbuf->next_base_ns = gst_revbuf_output_running_time (&player->out)
        + revbuf->shift_ns;
    gst_revbuf_player_changed (player);
  }
  g_mutex_unlock (&player->lock);
  if (hands_over)
    gst_revbuf_player_send_waiting (player);
  gst_revbuf_player_end_sending (player);
}

void
gst_revbuf_player_finish_pass (GstRevBufPlayer * player)
{
  /* we've played something from the end, but never found out where that is */
  gboolean has_no_end = player->begins_at_end && player->pass_frames > 0
      && player->state.end_frame == TIMEDSP_UNKNOWN;

  if (player->state.is_lost || has_no_end) {
    gst_revbuf_player_fail (player, TIMEBLOCKS_NO_AUDIO);
  } else if (timeblocks_next_pass (player->blocks)) {
    player->out.is_sent = FALSE;
    player->pass_frames = 0;
    player->begins_at_end = FALSE;
    player->tells_loop_pass = TRUE;
  } else if (player->seen.is_followed
      && !gst_revbuf_player_may_hand_over (player, &player->seen)) {
    gst_revbuf_player_fail (player, GST_REVBUF_IS_FOLLOWED);
  } else {
    player->stage = STAGE_ENDING;
  }
  gst_revbuf_player_refresh (player);
  player->tells_direction_change |= player->tells_loop_pass
      && (player->state.velocity < 0) !=
      gst_revbuf_is_reversed (player->revbuf);
}

/* ---- the steps ------------------------------------------------------------------------------ */

/* If seeks end up in the wrong place, we might play for ever. A stated duration can be wrong, but
 * not by that much. */
static gboolean
player_is_endless (GstRevBufPlayer * player)
{
  GstClockTime stated_ns = player->served.duration_ns;
  guint64 second = player->out.clock.rate;

  return GST_CLOCK_TIME_IS_VALID (stated_ns) && player->pass_frames >
      2 * (guint64) gst_retro_frame_at (stated_ns, second) + 10 * second;
}

void
gst_revbuf_player_note_flow (GstRevBufPlayer * player, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (player->revbuf, "sending stopped: %s",
      gst_flow_get_name (ret));
  player->ends_stream = ret != GST_FLOW_EOS;
  player->stage = ret == GST_FLOW_FLUSHING ? STAGE_STOPPED : STAGE_LEAVING;
}

/* Sends the next frames, after their segment and any pending events. */
static void
player_send (GstRevBufPlayer * player)
{
  GstFlowReturn ret = GST_FLOW_OK;
  TimeBlocksSpan span;

  gst_revbuf_player_begin_sending (player);
  gst_revbuf_player_send_segment (player);
  gst_revbuf_player_send_waiting (player);
  if (timeblocks_read (player->blocks, &span)) {
    ret = gst_revbuf_player_send_frames (player, &span);
    player->pass_frames += span.frames;
    player->n_fetches = 0;
    g_mutex_lock (&player->lock);
    timeblocks_get_state (player->blocks, &player->state);
    if (!player->input.has_request)
      player->playhead_ns = GST_CLOCK_TIME_NONE;
    g_mutex_unlock (&player->lock);
  }
  gst_revbuf_player_end_sending (player);
  if (ret == GST_FLOW_OK && player_is_endless (player))
    gst_revbuf_player_fail (player, GST_REVBUF_IS_ENDLESS);
  gst_revbuf_player_note_flow (player, ret);
}

/* Returns FALSE if it must wait for a change. */
static gboolean
player_play (GstRevBufPlayer * player)
{
  const GstRevBufInflow *seen = &player->seen;
  GstRevBuf *revbuf = player->revbuf;
  /* if the next stream has begun, we can only play what's in memory */
  gboolean is_cut_off = seen->is_last && seen->next_waits, done;

  if (player->tape.is_running) {
    done = gst_revbuf_tape_play (player);
    if (!player->tape.is_running)
      player_set_rate (player);
    return done;
  }
  if (!is_cut_off && (gst_revbuf_player_fetch_wanted (player, NULL)
          || player_compare_end (player)
          || gst_revbuf_player_fetch_last (player)))
    return TRUE;
  if (player->state.ready_frames > 0) {
    if (gst_revbuf_tape_is_wanted (player)) {
      gst_revbuf_tape_start (player);
      player_set_rate (player);
      return TRUE;
    }
    if (player->tape.is_curved)
      gst_retro_sync_values (GST_OBJECT (revbuf),
          gst_revbuf_output_running_time (&player->out));
    /* if the curve has changed the speed, the tape starts first */
    if (!player->tape.is_curved
        || gst_revbuf_get_settings (revbuf).speed == player->tape.speed)
      player_send (player);
    return TRUE;
  }
  if (!is_cut_off && (player->state.left_frames > 0
          || (seen->is_last && seen->upstream != UPSTREAM_PARKED)))
    return FALSE;
  gst_revbuf_player_finish_pass (player);
  return TRUE;
}

/* Returns TRUE if @report says that seeks end up in the wrong place, but decoding from the start
 * may give us what they can't. */
static gboolean
player_is_astray (GstRevBufPlayer * player, const TimeBlocksReport * report)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (player->revbuf);

  return (report->code == TIMEBLOCKS_SEAM_ODD
      || report->code == TIMEBLOCKS_BROKEN_OFF
      || report->code == TIMEBLOCKS_AUDIO_MISSING
      || report->code == TIMEBLOCKS_NO_AUDIO)
      && settings.direction == TIMEDSP_BACKWARD
      && settings.loop == TIMEDSP_LOOP_NONE && !player->seen.is_followed;
}

/* Posts any messages. Releases the right to send while it does, because the application's
 * handlers may seek. Returns FALSE if there was nothing to post. */
static gboolean
player_tell (GstRevBufPlayer * player)
{
  TimeBlocksReport report;
  gboolean has_report = timeblocks_get_report (player->blocks, &report);
  gboolean is_astray = FALSE;

  if (!has_report && !player->has_failure && !player->must_open_segment)
    return FALSE;
  GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
  while (has_report) {
    if (player->stage == STAGE_PLAYING && player_is_astray (player, &report))
      is_astray = TRUE;
    else
      gst_revbuf_report (player, &report);
    has_report = timeblocks_get_report (player->blocks, &report);
  }
  if (player->must_open_segment)
    gst_retro_output_open_segment (&player->revbuf->output, TRUE,
        player->served.start_ns, player->served.seqnum);
  player->must_open_segment = FALSE;
  if (player->has_failure && player->stage == STAGE_STOPPED) {
    /* nobody will serve the request that we recorded the start for */
    g_mutex_lock (&player->lock);
    if (player->input.has_request)
      player->served = player->input.request;
    player->input.has_request = player->input.has_resume = FALSE;
    player->is_recording = FALSE;
    g_mutex_unlock (&player->lock);
  }
  if (player->has_failure) {
    is_astray |= player->stage != STAGE_COLLECTING
        && player_is_astray (player, &player->failure);
    if (!is_astray)
      gst_revbuf_report_failure (player, &player->failure);
    player->ends_stream = TRUE;
    player->stage = STAGE_LEAVING;
  }
  player->has_failure = FALSE;
  if (is_astray)
    gst_revbuf_report_distrust (player->revbuf);
  GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
  if (is_astray) {
    gst_revbuf_tape_stop (player);
    gst_revbuf_player_collect_rest (player);
  }
  return TRUE;
}

/* Does what the stage needs. Returns FALSE if it must wait for a change. */
static gboolean
player_perform (GstRevBufPlayer * player)
{
  GstRevBufNeighbours source;

  switch (player->stage) {
    case STAGE_PLAYING:
      return player_play (player);
    case STAGE_COLLECTING:     /* mode=collect takes over once decoding from the start begins */
      if (player->seen.next_waits)
        player_hand_over (player);
      else if (player->seen.upstream == UPSTREAM_PARKED)
        gst_revbuf_player_fail (player, GST_REVBUF_SEEK_REFUSED);
      else
        return FALSE;
      return TRUE;
    case STAGE_ENDING:
      if (gst_revbuf_player_may_hand_over (player, &player->seen)) {
        player_hand_over (player);
        return TRUE;
      }
      gst_revbuf_player_begin_sending (player);
      if (!player->out.is_sent) /* if there was nothing to play, we still owe a segment */
        gst_revbuf_player_send_segment (player);
      gst_revbuf_player_end_sending (player);
      player->stage = STAGE_LEAVING;
      return TRUE;
    case STAGE_LEAVING:
      /* let upstream run to its end, unless a seek still needs it */
      GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
      source = gst_revbuf_examine (player->revbuf->sinkpad);
      g_mutex_lock (&player->lock);
      if (!player->input.has_request && player->in.awaited == GST_EVENT_UNKNOWN
          && (!source.is_held || player->is_stopped)) {
        player->in.is_let_go = TRUE;
        player->after = source.ends_together ? GST_FLOW_OK : GST_FLOW_EOS;
      }
      gst_revbuf_player_changed (player);
      g_mutex_unlock (&player->lock);
      GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
      player->stage = STAGE_PARTING;
      return TRUE;
    case STAGE_PARTING:
      player->stage = STAGE_STOPPED;
      gst_revbuf_player_begin_sending (player);
      gst_revbuf_player_send_waiting (player);
      gst_revbuf_player_send_end (player);
      gst_revbuf_player_end_sending (player);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Does one thing. Returns FALSE if it must wait for a change. */
static gboolean
player_advance (GstRevBufPlayer * player, const GstRevBufInput * input,
    TimeDecode * arrived)
{
  if (input->has_settings || input->has_direction_change || input->has_scrub
      || input->has_request)
    player_apply_input (player, input);
  gst_revbuf_player_refresh (player);
  if (input->has_request)
    player->begins_at_end = player->state.velocity < 0
        && player->state.boundary == TIMEDSP_UNKNOWN;
  if (input->has_stop) {
    if (arrived != NULL)
      timeblocks_cancel (player->blocks, arrived);
    gst_revbuf_tape_stop (player);
    player->ends_stream = player->is_stopped = TRUE;
    player->stage = STAGE_ENDING;
    return TRUE;
  }
  if (player->stage == STAGE_PLAYING && player->seen.is_contested)
    gst_revbuf_player_fail (player, GST_REVBUF_IS_CONTESTED);
  else if (arrived != NULL && player->seen.is_broken)
    gst_revbuf_player_fail (player, TIMEBLOCKS_FORMAT_CHANGED);
  if (player->has_failure && arrived != NULL)
    timeblocks_cancel (player->blocks, g_steal_pointer (&arrived));
  if (player->is_recording && !player->has_failure) {
    if (arrived == NULL)
      return FALSE;
    player->is_recording = FALSE;
    player->recorded_frames = MAX (timedecode_next_frame (arrived), 0);
    player->has_failure = !timeblocks_end_recording (player->blocks, arrived,
        &player->failure);
    return TRUE;
  }
  /* we report a seam before we send the audio that it confirms */
  if (arrived != NULL && gst_revbuf_player_fetch_wanted (player, arrived))
    return TRUE;
  if (player_tell (player))
    return TRUE;
  if (player->seen.upstream == UPSTREAM_AGAIN && !input->has_request) {
    gst_revbuf_player_fetch (player);
    return TRUE;
  }
  return player_perform (player);
}

/* The function of the pad's task. GstPad calls it over and over while holding the pad's stream
 * lock, which is the right to send. Each call does one thing, so we look at the input again after
 * we've released the lock. */
static void
player_loop (gpointer data)
{
  GstRevBufPlayer *player = data;
  gboolean is_stopping, is_opening, is_free;
  TimeDecode *arrived = NULL;
  GstRevBufInput input;
  guint changes;

  g_mutex_lock (&player->lock);
  changes = player->changes;
  is_stopping = player->is_stopping;
  is_free = player->is_active && !is_stopping && player->open_flushes == 0
      && player->in.awaited == GST_EVENT_UNKNOWN;
  is_opening = player->is_opening;
  if (is_free && !is_opening)
    arrived = player_take_input (player, &input);
  g_mutex_unlock (&player->lock);

  if (is_stopping)
    gst_pad_pause_task (player->revbuf->srcpad);
  else if (!is_free)
    player_wait_for_change (player, changes);
  else if (is_opening)
    player_open_stream (player);
  else if (!player_advance (player, &input, arrived))
    player_wait_for_change (player, changes);
}

/* ---- the thread -------------------------------------------------------------------------- */

gboolean
gst_revbuf_player_start_thread (GstRevBufPlayer * player)
{
  GstRevBuf *revbuf = player->revbuf;
  gboolean started =
      gst_pad_start_task (revbuf->srcpad, player_loop, player, NULL);
  GstTask *task;

  g_mutex_lock (&player->lock);
  player->is_starting = FALSE;
  if (!started)
    g_atomic_int_set (&player->is_active, FALSE);
  gst_revbuf_player_changed (player);
  g_mutex_unlock (&player->lock);
  if (started)
    return TRUE;
  /* GstTask thinks the task is running, so we could never start it again, and joining it would
   * never return. We remove its callbacks, because the thread pool may still run it when the pad is
   * gone. */
  GST_OBJECT_LOCK (revbuf->srcpad);
  task = g_steal_pointer (&GST_PAD_TASK (revbuf->srcpad));
  GST_OBJECT_UNLOCK (revbuf->srcpad);
  gst_task_stop (task);
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_object_unref (task);
  GST_REVBUF_FAIL (revbuf, RESOURCE, NO_SPACE_LEFT, "no-thread",
      "Could not start a thread for %s: close other programs, or raise the "
      "limit (ulimit -u).", GST_OBJECT_NAME (revbuf));
  return FALSE;
}

/* ---- the element's states ------------------------------------------------------------------- */

void
gst_revbuf_player_clear (GstRevBufPlayer * player)
{
  player->in = (GstRevBufInflow) {
  .awaited = GST_EVENT_UNKNOWN};
  player->input = (GstRevBufInput) {
  .has_request = FALSE};
  g_hash_table_remove_all (player->open_seeks);
  player->last_seek = GST_SEQNUM_INVALID;
  player->segments = 0;
  player->begin_ns = player->passed_ns = GST_CLOCK_TIME_NONE;
  player->playhead_ns = GST_CLOCK_TIME_NONE;
  player->stop_is_own = player->is_limited = FALSE;
  player->stage = STAGE_STOPPED;
  player->rate_factor = 1;
  gst_revbuf_tape_clear (&player->tape);
  gst_revbuf_player_drop_decodes (player);
  if (player->blocks != NULL)
    timeblocks_clear (player->blocks);
}

gboolean
gst_revbuf_player_open (GstRevBufPlayer * player)
{
  if (player->blocks == NULL) {
    gst_revbuf_fail_memory (player->revbuf);
    return FALSE;
  }
  PLAYER_LOCK (player);
  gst_revbuf_player_clear (player);
  player->is_stopping = FALSE;
  return TRUE;
}

void
gst_revbuf_player_close (GstRevBufPlayer * player)
{
  PLAYER_LOCK (player);

  while (player->is_starting)
    g_cond_wait (&player->changed, &player->lock);
  player->is_stopping = TRUE;
  gst_revbuf_player_changed (player);
}

void
gst_revbuf_player_stop (GstRevBufPlayer * player)
{
  gst_pad_stop_task (player->revbuf->srcpad);
  PLAYER_LOCK (player);
  g_atomic_int_set (&player->is_active, FALSE);
  gst_revbuf_player_clear (player);
  g_queue_clear_full (&player->events, (GDestroyNotify) gst_event_unref);
}

GstRevBufPlayer *
gst_revbuf_player_new (GstRevBuf * revbuf)
{
  GstRevBufPlayer *player = g_new0 (GstRevBufPlayer, 1);

  player->revbuf = revbuf;
  player->seqnum = gst_revbuf_fetch_seqnum ();
  g_mutex_init (&player->lock);
  g_cond_init (&player->changed);
  player->formats =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_audio_info_free);
  player->open_seeks = g_hash_table_new (NULL, NULL);
  player->blocks = timeblocks_new (gst_revbuf_format_convert);
  player->is_stopping = TRUE;
  gst_revbuf_player_clear (player);
  return player;
}

void
gst_revbuf_player_free (GstRevBufPlayer * player)
{
  gst_revbuf_player_clear (player);
  timeblocks_free (player->blocks);
  g_hash_table_unref (player->open_seeks);
  g_ptr_array_unref (player->formats);
  g_cond_clear (&player->changed);
  g_mutex_clear (&player->lock);
  g_free (player);
}
