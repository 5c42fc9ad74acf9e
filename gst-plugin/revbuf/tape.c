/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

#include <math.h>
#include <string.h>

/* Buffers last 10 ms, so that you hear a new speed immediately. */
#define BUFFERS_PER_SECOND 100
/* A new speed is reached within 5 ms. */
#define RAMPS_PER_SECOND 200
/* The window: at speed 8 and the highest quality, a buffer needs 3,000 frames around it at 44.1
 * kHz. */
#define MIN_WINDOW_FRAMES 32768

/* If the position in the segment is off by more than this, we send the segment again. */
#define MAX_ERROR_NS (100 * GST_MSECOND)
/* If less than this is left of a segment, we send it again. */
#define MIN_ROOM_NS (200 * GST_MSECOND)

#define PASS(window, n) (&g_array_index ((window)->passes, GstRevBufPass, n))
#define LAST_PASS(window) PASS (window, (window)->passes->len - 1)

/* The address of @place in plane @p. */
static guint8 *
tape_plane (const GstRevBufWindow * window, guint p, gint64 place)
{
  return window->samples + (p * window->capacity_frames + place -
      window->first) * window->format.stride_bytes;
}

/* ---- the window: passes --------------------------------------------------------------------- */

/* The pass that contains @place. */
static GstRevBufPass
tape_pass (const GstRevBufWindow * window, gint64 place)
{
  guint n = window->passes->len - 1;

  while (n > 0 && PASS (window, n)->first > place)
    n--;
  return *PASS (window, n);
}

static gint64
tape_frame_of (const GstRevBufPass * pass, gint64 place)
{
  return pass->frame + (place - pass->first) * pass->step;
}

static gint64
tape_frame (const GstRevBufWindow * window, gint64 place)
{
  GstRevBufPass pass = tape_pass (window, place);

  return tape_frame_of (&pass, place);
}

/* Sets @boundary to where in the stream the blocks have to read to extend the window at @side.
 * Returns the direction. */
static gint
tape_edge (const GstRevBufWindow * window, gint side, gint64 * boundary)
{
  gint64 place = side > 0 ? window->end : window->first - 1;
  GstRevBufPass pass = tape_pass (window, place);
  gint direction = side * pass.step;

  *boundary = tape_frame_of (&pass, place) + (direction < 0);
  return direction;
}

/* Notes that @place, at @side, has @frame. If @frame doesn't follow its neighbour, another pass
 * begins. */
static void
tape_add_pass (GstRevBufWindow * window, gint64 place, gint64 frame,
    gint step, gint side)
{
  GstRevBufPass *outer = side > 0 ? LAST_PASS (window) : PASS (window, 0);
  GstRevBufPass pass = {.first = place,.frame = frame,.step = step };

  if (outer->step == step && tape_frame_of (outer, place) == frame)
    return;
  if (side > 0) {
    g_array_append_val (window->passes, pass);
  } else {
    outer->frame = tape_frame_of (outer, place + 1);
    outer->first = place + 1;
    g_array_prepend_val (window->passes, pass);
  }
}

/* ---- the window: frames --------------------------------------------------------------------- */

/* Adds @n places at @side. Their samples aren't set yet. */
static void
tape_make_room (GstRevBufWindow * window, gint64 n, gint side)
{
  gint64 size = window->end - window->first, from;
  gsize stride = window->format.stride_bytes;
  guint p;

  /* drop half at once, because what's left has to be moved */
  if (size + n > window->capacity_frames)
    size = window->capacity_frames / 2;
  from = side > 0 ? window->end - size : window->first;
  for (p = 0; p < window->format.planes; p++)
    memmove (tape_plane (window, p, window->first + (side < 0 ? n : 0)),
        tape_plane (window, p, from), size * stride);
  window->first = side > 0 ? from : from - n;
  window->end = window->first + size + n;
}

/* Adds @span, which was read in @direction, at @side. If there's no room, drops frames at the
 * other side. */
static void
tape_add (GstRevBufWindow * window, const TimeBlocksSpan * span,
    gint direction, gint side)
{
  gint64 n = span->frames;
  gsize stride = window->format.stride_bytes;
  gint64 first;
  GArray *passes = window->passes;
  guint p, drop = 0;

  tape_make_room (window, n, side);
  first = side > 0 ? window->end - n : window->first;
  for (p = 0; p < window->format.planes; p++) {
    const guint8 *from = (const guint8 *) span->samples + p * span->plane_bytes;
    guint8 *to = tape_plane (window, p, first);

    if (direction == side)
      memcpy (to, from, n * stride);
    else
      timedsp_reverse (from, to, n, stride);
  }
  tape_add_pass (window, side > 0 ? first : first + n - 1,
      direction > 0 ? span->frame : span->frame + n - 1, direction * side,
      side);
  /* drop the passes that have no frames in the window */
  while (drop + 1 < passes->len && PASS (window, drop + 1)->first <=
      window->first)
    drop++;
  g_array_remove_range (passes, 0, drop);
  while (passes->len > 1 && LAST_PASS (window)->first >= window->end)
    g_array_set_size (passes, passes->len - 1);
}

/* ---- the speed --------------------------------------------------------------------- */

static gint64
tape_frames_per (GstRevBuf * self, gint part)
{
  return MAX (self->out.clock.rate / part, 1);
}

static gboolean
tape_wants_resampling (const GstRevBufTape * tape)
{
  return tape->is_scrubbing || (tape->resamples ?
      fabs (tape->speed) != 1 || tape->is_curved :
      fabs (tape->speed) < GST_REVBUF_MIN_RATE);
}

gboolean
gst_revbuf_tape_is_wanted (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;
  TimeDSPFormat format;

  if (tape->is_running)
    return TRUE;
  if (!tape_wants_resampling (tape))
    return FALSE;
  if (gst_retro_info_dsp_format (self->state.format.id, &format))
    return TRUE;
  if (!tape->has_warned)
    GST_REVBUF_WARN (self, STREAM, FORMAT, "speed-needs-format",
        "The speed of this format cannot be changed: put audioconvert and a "
        "caps filter for F32, S16, S32 or F64 before %s.",
        GST_OBJECT_NAME (self));
  tape->has_warned = TRUE;
  return FALSE;
}

/* The speed of the tape, without the direction of a loop pass. With speed-mode=rate, the rest of
 * the speed is in the playback rate. */
static gdouble
tape_speed (GstRevBuf * self)
{
  const GstRevBufTape *tape = &self->tape;
  gdouble speed = tape->resamples ? tape->speed :
      fabs (tape->speed) < GST_REVBUF_MIN_RATE ? 0 : tape->speed < 0 ? -1 : 1;

  return self->served.rate < 0 ? -speed : speed;
}

static gint
tape_step_of (const GstRevBufTape * tape)
{
  return tape_pass (&tape->window, tape->state.frame).step;
}

static void
tape_follow (GstRevBuf * self, gint64 ramp_frames)
{
  GstRevBufTape *tape = &self->tape;
  gdouble target = tape_speed (self);
  gint64 here = tape->state.frame, frame;

  if (tape->is_scrubbing) {
    /* we go to the place that the stream time would have if there were no loop */
    frame = gst_revbuf_frame_at (tape->scrub_ns, self->out.clock.rate)
        - tape_frame (&tape->window, here);
    if (GST_CLOCK_TIME_IS_VALID (tape->scrub_ns))
      timespeed_scrub (tape->reader, here + frame * tape_step_of (tape),
          CLAMP (gst_retro_frame_at (tape->scrub_duration_ns,
                  self->out.clock.rate), 1, (gint64) TIMESPEED_MAX_FRAMES), 0,
          &tape->state);
    tape->scrub_ns = GST_CLOCK_TIME_NONE;
    tape->target = NAN;         /* no speed is equal to this */
  } else if (target != tape->target) {
    tape->target = target;
    timespeed_ramp (tape->reader, target, ramp_frames, &tape->state);
  }
}

/* Empties the window. @frame will be at the current place, and the following frames go in direction
 * @step. The limits are unknown until we run into them again. */
static void
tape_reset_window (GstRevBufTape * tape, gint64 frame, gint step)
{
  GstRevBufPass pass = {.first = tape->state.frame,.frame = frame,.step = step
  };

  tape->window.first = tape->window.end = pass.first;
  g_array_set_size (tape->window.passes, 0);
  g_array_append_val (tape->window.passes, pass);
  tape->side = 0;
  tape->start_limit = TIMESPEED_NO_START;
  tape->end_limit = TIMESPEED_NO_END;
  timespeed_limit (tape->reader, tape->start_limit, tape->end_limit);
}

void
gst_revbuf_tape_park (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;

  if (!tape->is_running)
    return;
  timeblocks_move (self->blocks, gst_revbuf_tape_boundary (self,
          self->state.velocity), self->state.velocity, !tape->is_scrubbing);
  tape_reset_window (tape, tape_frame (&tape->window,
          tape->state.frame), tape_step_of (tape));
}

/* Makes a reader for the window's format. If there's already a reader, the new one continues
 * where it is. */
static gboolean
tape_make_reader (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;
  const TimeBlocksFormat *format = &tape->window.format;
  TimeSpeedSettings settings = {
    .audio = {.layout = format->planes > 1 ? TIMEDSP_PLANAR :
          TIMEDSP_INTERLEAVED,.channels = format->channels,.quality =
          tape->quality},
    .fade_frames = tape_frames_per (self, BUFFERS_PER_SECOND)
  };
  TimeSpeed *reader;

  if (!gst_retro_info_dsp_format (format->id, &settings.audio.format)
      || timespeed_new (&settings, tape->reader, &reader, &tape->state) !=
      TIMEDSP_OK)
    return FALSE;
  timespeed_free (tape->reader);
  tape->reader = reader;
  return TRUE;
}

/* A scrub may go past the markers of a loop. */
static void
tape_set_scrubbing (GstRevBuf * self, gboolean is_scrubbing)
{
  if (self->tape.is_scrubbing == is_scrubbing)
    return;
  self->tape.is_scrubbing = is_scrubbing;
  gst_revbuf_tape_park (self);
}

void
gst_revbuf_tape_configure (GstRevBuf * self,
    const GstRevBufSettings * settings, const GstRevBufPending * input)
{
  GstRevBufTape *tape = &self->tape;

  if (input->ends_scrub)
    tape_set_scrubbing (self, FALSE);
  tape->speed = settings->speed;
  tape->resamples = !settings->changes_rate;
  if (tape->quality != settings->quality) {
    tape->quality = settings->quality;
    if (tape->reader != NULL && !tape_make_reader (self))
      gst_revbuf_fail (self, TIMEBLOCKS_NO_MEMORY);
  }
  if (tape->is_running && !tape->is_curved)
    tape_follow (self, tape_frames_per (self, RAMPS_PER_SECOND));
  if (!input->has_scrub)
    return;
  tape_set_scrubbing (self, TRUE);
  tape->scrub_ns = input->scrub_ns;
  tape->scrub_duration_ns = input->scrub_duration_ns;
  if (tape->is_running)
    tape_follow (self, 0);
}

gint64
gst_revbuf_tape_boundary (GstRevBuf * self, gdouble velocity)
{
  const GstRevBufTape *tape = &self->tape;

  return tape_frame (&tape->window, tape->state.frame) + (velocity < 0);
}

gdouble
gst_revbuf_tape_velocity (GstRevBuf * self)
{
  return self->tape.state.speed * tape_step_of (&self->tape);
}

/* ---- what it reads ----------------------------------------------------------------- */

typedef enum
{ EXTENDED, BUSY, WAITS } Extension;

/* Reads the next frames into the window, at @side. */
static Extension
tape_extend (GstRevBuf * self, gint side)
{
  GstRevBufTape *tape = &self->tape;
  TimeBlocksSpan span;
  gint64 boundary;
  gint direction;

  if (tape->side != side) {
    direction = tape_edge (&tape->window, side, &boundary);
    timeblocks_move (self->blocks, boundary, direction, !tape->is_scrubbing);
  }
  tape->side = side;
  if (gst_revbuf_fetch_wanted (self, NULL))
    return BUSY;
  if (timeblocks_read (self->blocks, &span)) {
    tape_add (&tape->window, &span, tape->direction, side);
    return EXTENDED;
  }
  if (self->state.left_frames > 0)
    return WAITS;
  if (!tape->is_scrubbing && !self->state.is_lost
      && timeblocks_next_pass (self->blocks))
    return EXTENDED;
  if (side > 0)
    tape->end_limit = tape->window.end;
  else
    tape->start_limit = tape->window.first;
  timespeed_limit (tape->reader, tape->start_limit, tape->end_limit);
  return EXTENDED;
}

/* Makes an empty window begin where the kernel does, at @first or @end, so that we read all of it in
 * the direction of the tape. Otherwise, we'd fetch in both directions before you hear more than the
 * first frames. */
static void
tape_lead_in (GstRevBuf * self, gint64 first, gint64 end)
{
  GstRevBufTape *tape = &self->tape;
  gint64 place = tape->state.speed < 0 ? end : first;
  gint64 frame = tape_frame (&tape->window, place);

  if (frame > self->state.pass_first_frame
      && (self->state.pass_end_frame == TIMEDSP_UNKNOWN
          || frame < self->state.pass_end_frame)) {
    tape->window.first = tape->window.end = place;
    PASS (&tape->window, 0)->first = place;
    PASS (&tape->window, 0)->frame = frame;
  }
}

/* Reads the input that the next @n output frames need. */
static Extension
tape_reach (GstRevBuf * self, gsize n)
{
  GstRevBufTape *tape = &self->tape;
  Extension got = EXTENDED;
  gint64 first, end;

  while (got == EXTENDED) {
    timespeed_needs (tape->reader, n, &first, &end);
    first = MAX (first, tape->start_limit);
    end = MIN (end, tape->end_limit);
    if (first >= end)
      return EXTENDED;
    if (tape->window.first == tape->window.end)
      tape_lead_in (self, first, end);
    if (tape->window.end < end)
      got = tape_extend (self, 1);
    else if (tape->window.first > first)
      got = tape_extend (self, -1);
    else
      return EXTENDED;
  }
  return got;
}

/* ---- start and stop ------------------------------------------------------------------ */

void
gst_revbuf_tape_start (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;
  gboolean is_backward = self->state.velocity < 0;
  gint64 frame = self->state.boundary - is_backward;
  gboolean continues = self->pass_frames > 0
      || self->served.last_frame != TIMEDSP_UNKNOWN;

  if (tape->reader == NULL || tape->window.format.id != self->state.format.id) {
    gst_revbuf_tape_clear (tape);
    tape->window.format = self->state.format;
    tape->window.capacity_frames =
        MAX (self->state.format.rate, MIN_WINDOW_FRAMES);
    tape->window.samples = g_try_malloc (tape->window.capacity_frames *
        self->state.format.planes * self->state.format.stride_bytes);
    tape->window.passes = g_array_new (FALSE, FALSE, sizeof (GstRevBufPass));
    if (tape->window.samples == NULL || !tape_make_reader (self)) {
      gst_revbuf_tape_clear (tape);
      gst_revbuf_fail (self, TIMEBLOCKS_NO_MEMORY);
      return;
    }
  }
  tape->target = continues || tape->is_scrubbing ? tape->sign :
      tape_speed (self);
  timespeed_start (tape->reader, frame, tape->target, &tape->state);
  tape_reset_window (tape, frame, is_backward ? -tape->sign : tape->sign);
  tape->is_running = TRUE;
  self->out.is_sent = FALSE;
  if (!tape->is_curved)
    tape_follow (self, tape_frames_per (self, RAMPS_PER_SECOND));
}

void
gst_revbuf_tape_stop (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;

  if (!tape->is_running)
    return;
  gst_revbuf_tape_park (self);
  tape->is_running = FALSE;
  self->served.move = TIMEBLOCKS_RESUME;
  tape->sign =
      self->state.velocity < 0 ? -tape_step_of (tape) : tape_step_of (tape);
  self->out.is_sent = FALSE;
  gst_revbuf_refresh (self);
}

void
gst_revbuf_tape_clear (GstRevBufTape * tape)
{
  tape->is_running = FALSE;
  timespeed_free (g_steal_pointer (&tape->reader));
  g_clear_pointer (&tape->window.samples, g_free);
  g_clear_pointer (&tape->window.passes, g_array_unref);
}

/* ---- the output ----------------------------------------------------------------------- */

static GstClockTime
tape_position_ns (GstRevBuf * self)
{
  const GstRevBufTape *tape = &self->tape;
  gint64 frame = tape_frame (&tape->window, tape->state.frame);
  gdouble second = self->out.clock.rate;

  return gst_retro_time_at (frame, self->out.clock.rate)
      + (gint64) (tape->state.fraction * tape_step_of (tape) * GST_SECOND /
      second);
}

/* The applied rate for the next segment: the speed at the end of the current move, unless the
 * move crosses zero. */
static gdouble
tape_applied_rate (GstRevBuf * self)
{
  const GstRevBufTape *tape = &self->tape;
  gdouble now = gst_revbuf_tape_velocity (self);
  gdouble rate = tape->state.final_speed * tape_step_of (tape);
  gboolean is_backward = now != 0 ? now < 0 : rate != 0 ? rate < 0 :
      gst_revbuf_is_reversed (self);

  if (now * rate < 0)
    rate = now;
  rate = MAX (fabs (rate), GST_REVBUF_REST_RATE);
  return is_backward ? -rate : rate;
}

/* Returns FALSE if a sink that counts from the segment we sent would be too far off, or if the
 * segment is running out. */
static gboolean
tape_is_true_segment (GstRevBuf * self, gdouble rate)
{
  const GstRevBufTape *tape = &self->tape;
  const GstRevBufOutput *out = &self->out;
  gdouble elapsed_ns = (gdouble) out->clock.now_ns - out->segment.start;
  gdouble applied_rate = out->segment.applied_rate;
  gdouble told_ns = tape->origin_ns + elapsed_ns * applied_rate;
  gdouble error_ns = told_ns - tape_position_ns (self);
  gdouble needed_ns = MIN (MIN_ROOM_NS, tape_position_ns (self) / fabs (rate));

  if (!out->is_sent)
    return FALSE;
  return (rate < 0) == (applied_rate < 0)
      && (tape->state.frames_left > 0 || (tape->is_settled
          && rate == applied_rate))
      && fabs (error_ns) <= MAX_ERROR_NS
      && (!GST_CLOCK_TIME_IS_VALID (out->segment.stop)
      || out->clock.now_ns + needed_ns <= out->segment.stop + GST_MSECOND);
}

void
gst_revbuf_tape_begin_segment (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;
  GstRevBufOutput *out = &self->out;
  gdouble rate = tape_applied_rate (self);
  GstClockTime now_ns = tape_position_ns (self);
  GstClockTime frame_ns = gst_util_uint64_scale_ceil (1, GST_SECOND,
      out->clock.rate);
  gboolean is_backward = rate < 0;

  tape->is_settled = tape->state.frames_left == 0;
  tape->origin_ns = now_ns;
  out->segment.start = now_ns;
  out->segment.time = is_backward ? 0 : now_ns;
  /* backwards, we begin at the end of this frame. If the tape rests at the
   * beginning, the output still needs some room in the segment */
  out->segment.stop = is_backward ? now_ns +
      timedsp_scale_time (MAX (now_ns + frame_ns, MAX_ERROR_NS), 1 / -rate) :
      GST_CLOCK_TIME_NONE;
  out->segment.applied_rate = rate;
  out->segment.base = gst_revbuf_output_running_time (out);
  gst_retro_clock_start (&out->clock, now_ns);
}

/* Reads the next @n frames. Returns NULL if there aren't any, or if memory can't be allocated. */
static GstBuffer *
tape_read (GstRevBuf * self, gsize n)
{
  GstRevBufTape *tape = &self->tape;
  const GstRevBufWindow *window = &tape->window;
  const GstAudioInfo *info = window->format.id;
  guint n_planes = window->format.planes, p;
  gpointer *out = g_newa (gpointer, n_planes);
  gconstpointer *in = g_newa (gconstpointer, n_planes);
  GstBuffer *buffer = gst_retro_buffer_new (info, n, out);
  gsize made;

  if (buffer == NULL) {
    gst_revbuf_fail (self, TIMEBLOCKS_NO_MEMORY);
    return NULL;
  }
  for (p = 0; p < n_planes; p++)
    in[p] = tape_plane (window, p, window->first);
  if (tape->state.is_silent)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  timespeed_read (tape->reader, in, window->first,
      window->end - window->first, out, n, &tape->state);
  made = tape->state.frames_produced;
  if (made < n) {
    GstBuffer *whole = buffer;

    buffer = made == 0 ? NULL : gst_retro_buffer_new_copy (info,
        (const gconstpointer *) out, 0, made, FALSE);
    gst_buffer_unref (whole);
  }
  return buffer;
}

/* Sends the next @n frames, or fewer if they end at an edge. */
static void
tape_send (GstRevBuf * self, gsize n)
{
  GstRevBufTape *tape = &self->tape;
  GstRevBufPass before = tape_pass (&tape->window, tape->state.frame);
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *buffer;
  gdouble velocity;

  gst_revbuf_begin_sending (self);
  tape->is_settled &= tape->state.frames_left == 0;
  if (tape_is_true_segment (self, tape_applied_rate (self))) {
    gst_revbuf_tell_news (self);
  } else {
    gst_revbuf_tape_begin_segment (self);
    gst_revbuf_push_segment (self);
  }
  gst_revbuf_send_waiting (self);
  buffer = tape_read (self, n);
  if (buffer != NULL)
    ret = gst_revbuf_send_buffer (self, buffer, tape->state.frames_produced);
  self->n_fetches = 0;
  gst_revbuf_refresh (self);
  g_mutex_lock (&self->lock);
  if (!self->pending.has_request)
    self->playhead_ns = tape_position_ns (self);
  g_mutex_unlock (&self->lock);
  gst_revbuf_end_sending (self);
  if (tape_pass (&tape->window, tape->state.frame).first != before.first) {
    self->tells_loop_pass = TRUE;
    self->out.is_sent = FALSE;
  }
  velocity = gst_revbuf_tape_velocity (self);
  self->tells_direction_change |= velocity != 0
      && (velocity < 0) != gst_revbuf_is_reversed (self);
  gst_revbuf_set_velocity (self, velocity);
  gst_revbuf_note_flow (self, ret);
}

gboolean
gst_revbuf_tape_play (GstRevBuf * self)
{
  GstRevBufTape *tape = &self->tape;
  gsize n = tape_frames_per (self, BUFFERS_PER_SECOND);
  GstRevBufOutput then = self->out;
  gint64 boundary;
  gint direction;
  Extension got;

  if (tape->is_curved) {
    /* read the curve at the running time where the next frames end */
    then.n_frames += n;
    gst_retro_sync_values (GST_OBJECT (self),
        gst_revbuf_output_running_time (&then));
    tape->speed = gst_revbuf_get_settings (self).speed;
    tape_follow (self, n);
  }
  got = tape_reach (self, n);
  if (got != EXTENDED)
    return got == BUSY;
  tape_send (self, n);
  if (self->stage != STAGE_PLAYING)
    return TRUE;
  if (tape->state.edge != 0 && !tape->is_scrubbing) {
    direction = tape_edge (&tape->window, tape->state.edge, &boundary);
    gst_revbuf_tape_stop (self);
    timeblocks_move (self->blocks, boundary, direction, TRUE);
    self->out.is_sent = TRUE;   /* if this was the last pass, no frames follow */
    gst_revbuf_refresh (self);
  } else if (tape->state.is_exact && !tape_wants_resampling (tape)) {
    gst_revbuf_tape_stop (self);
  }
  return TRUE;
}
