/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes streams through two sessions with the same settings, rates and seeks. One
 * session runs the baseline code, which every processor can run. The other session runs
 * the code that is chosen for this processor. The sessions must return the same actions,
 * and equal output, byte for byte. If the settings do not change, n frames become
 * floor (n × factor) frames.
 */

#include "dsp.h"

#include <timescale.h>

#ifdef __x86_64__
#include "../../Sources/CTimeDSP/timedspcpu.h"
#endif

#define SECOND_NS UINT64_C (1000000000)
#define MOST_STEPS 24
/* Maximum number of samples in a buffer and in its output. Limits the time per input. */
#define MOST_SAMPLES 20000
/* Maximum number of actions for one input. A session that returns more actions is
 * assumed to be in an endless loop. */
#define MOST_ACTIONS 100000

/* A session, and the state of the code that performs its actions. */
typedef struct
{
  TimeScale *scale;
  bool plain;                   /* whether it runs the baseline code */
  FuzzFrames *made;             /* output since the stream began */
  FuzzFrames *kept;             /* NULL if nothing is kept */
  uint64_t log;                 /* a checksum of all its actions */
  uint64_t next_ns, offset;     /* where the next buffer must begin, unless it is
                                 * marked as discontinuous */
  uint64_t first;               /* first frame that is ready, as an index into `kept` */
  bool failed;
} Owner;

typedef struct
{
  FuzzInput *input;
  TimeDSPConfig audio;
  uint32_t rate;
  TimeScaleSettings settings;
  Owner one, other;
  bool controlled;
  uint64_t seed, next;          /* next frame of the stream */
  uint64_t pts_ns;
  double factor;                /* the factor since the beginning; 0 if it has changed */
  uint64_t fail_at;             /* number of the action that fails; 0 if none fails */
} Stream;

/* ---- one owner ---------------------------------------------------------- */

static void
note (Owner * owner, uint64_t value)
{
  owner->log = (owner->log ^ value) * UINT64_C (1099511628211);
}

static void
process (Owner * owner, TimeScaleAction * action, const void *const *in,
    void *const *out)
{
#ifdef __x86_64__
  if (owner->plain) {
    timedsp_variants ()[0]->scale (action, in, out);
    return;
  }
#endif
  timescale_process (action, in, out);
}

/* Requires that a buffer follows the previous buffer in time, unless it is marked as
 * discontinuous. */
static void
check_stamp (Owner * owner, const TimeScaleAction * action, size_t frames)
{
  const TimeScaleStamp *stamp = &action->stamp;

  REQUIRE (stamp->offset_end - stamp->offset == frames, "%zu frames", frames);
  REQUIRE (stamp->discont || (stamp->pts_ns == owner->next_ns
          && stamp->offset == owner->offset), "%llu, %llu",
      (unsigned long long) stamp->pts_ns, (unsigned long long) owner->next_ns);
  owner->next_ns = stamp->pts_ns + stamp->duration_ns;
  owner->offset = stamp->offset_end;
  note (owner, stamp->pts_ns);
  note (owner, stamp->discont);
}

/* Sets @in to the planes of @frames, beginning with frame @first. */
static void
find_planes (const FuzzFrames * frames, uint64_t first, const void **in)
{
  unsigned i;

  for (i = 0; i < frames->n_planes; i++)
    in[i] = (const char *) frames->planes[i] + first * frames->frame_bytes;
}

static void
scale (Stream * s, Owner * owner, const FuzzFrames * buffer,
    TimeScaleAction * action)
{
  const FuzzFrames *source =
      action->source == TIMESCALE_FROM_KEPT ? owner->kept : buffer;
  uint64_t first = action->first +
      (action->source == TIMESCALE_FROM_KEPT ? owner->first : 0);
  const void *in[TIMEDSP_MAX_CHANNELS];
  FuzzFrames *out = fuzz_frames_new (&s->audio, action->capacity);

  if (action->source != TIMESCALE_FROM_NOTHING) {
    REQUIRE (first + action->frames <= source->frames, "%zu frames",
        action->frames);
    find_planes (source, first, in);
  }
  process (owner, action,
      action->source == TIMESCALE_FROM_NOTHING ? NULL : in, out->planes);
  REQUIRE (action->status == TIMEDSP_OK, "%d", action->status);
  REQUIRE (action->frames_used <= action->frames
      && action->frames_made <= action->capacity, "%zu of %zu",
      action->frames_made, action->capacity);
  if (action->frames_made > 0)
    check_stamp (owner, action, action->frames_made);
  fuzz_frames_append (owner->made, out, action->frames_made);
}

static void
pass (Stream * s, Owner * owner, const FuzzFrames * buffer,
    TimeScaleAction * action)
{
  const void *in[TIMEDSP_MAX_CHANNELS];
  FuzzFrames *out;

  REQUIRE (action->frames == buffer->frames, "%zu", action->frames);
  find_planes (buffer, 0, in);
  process (owner, action, in, NULL);
  if (action->status != TIMEDSP_OK)
    return;
  check_stamp (owner, action, buffer->frames);
  out = fuzz_frames_of_stream (&s->audio, s->next, buffer->frames, s->seed,
      false);
  fuzz_frames_append (owner->made, out, buffer->frames);
}

static void
load (Owner * owner, TimeScaleAction * action)
{
  size_t left = owner->kept->frames - action->first;

  owner->first = action->first;
  action->frames = left < 700 ? left : 700;
}

static void
keep (Stream * s, Owner * owner, size_t frames)
{
  if (owner->kept == NULL)
    owner->kept = fuzz_frames_new (&s->audio, 0);
  fuzz_frames_append (owner->kept, fuzz_frames_of_stream (&s->audio, s->next,
          frames, s->seed, false), frames);
}

static void
forget_kept (Owner * owner)
{
  if (owner->kept != NULL)
    fuzz_frames_free (owner->kept);
  owner->kept = NULL;
}

static void
act (Stream * s, Owner * owner, const FuzzFrames * buffer,
    TimeScaleAction * action)
{
  switch (action->kind) {
    case TIMESCALE_PREPARE:
      timescale_prepare (action);
      break;
    case TIMESCALE_PASS:
      pass (s, owner, buffer, action);
      break;
    case TIMESCALE_PROCESS:
      scale (s, owner, buffer, action);
      break;
    case TIMESCALE_KEEP:
      keep (s, owner, buffer->frames);
      break;
    case TIMESCALE_LOAD:
      load (owner, action);
      break;
    case TIMESCALE_FORGET:
      forget_kept (owner);
      break;
    case TIMESCALE_SEND_SEGMENT:
      note (owner, action->segment.start);
      note (owner, action->segment.stop);
      note (owner, action->segment.time);
      note (owner, action->segment.base);
      break;
    case TIMESCALE_SEND_GAP:
      note (owner, action->time_ns);
      break;
    case TIMESCALE_ASK_DURATION:
      action->duration_ns = 3 * SECOND_NS;
      break;
    case TIMESCALE_FAIL:
      owner->failed = true;
      break;
    default:
      break;
  }
}

/* Performs all actions of the session. */
static void
run_one (Stream * s, Owner * owner, const TimeScaleInput * input,
    const FuzzFrames * buffer)
{
  TimeScaleAction *action =
      timescale_receive (owner->scale, input, s->controlled);
  uint64_t count = 0;

  while (action != NULL) {
    REQUIRE (++count < MOST_ACTIONS, "it never ends");
    note (owner, action->kind);
    act (s, owner, buffer, action);
    if (action->kind == TIMESCALE_READ_CURVES) {
      s->settings.factor = 0.5 + (double) (action->time_ns % 1000003) / 1000003;
      timescale_configure (owner->scale, &s->settings);
    }
    action->failed = action->kind == TIMESCALE_FAIL || count == s->fail_at;
    action = timescale_done (owner->scale, s->controlled);
  }
}

static void
run (Stream * s, const TimeScaleInput * input, const FuzzFrames * buffer)
{
  TimeScaleSettings before = s->settings;

  run_one (s, &s->one, input, buffer);
  s->settings = before;
  run_one (s, &s->other, input, buffer);
}

/* ---- inputs ------------------------------------------------------------- */

static void
feed (Stream * s)
{
  size_t frames = 1 + fuzz_below (s->input, 3000);
  TimeScaleInput input = {.kind = TIMESCALE_BUFFER,
    .buffer = {.pts_ns = s->pts_ns,.sent_stop_ns = UINT64_MAX}
  };
  TimeScaleBuffer *buffer = &input.buffer;
  FuzzFrames *audio;

  while (frames > 1 && frames * s->audio.channels
      * (1 + s->settings.factor) > MOST_SAMPLES)
    frames /= 2;
  buffer->frames = frames;
  buffer->duration_ns = frames * SECOND_NS / s->rate;
  buffer->discont = fuzz_byte (s->input) > 240;
  buffer->silent = fuzz_byte (s->input) > 200;
  if (fuzz_byte (s->input) > 240)
    buffer->sent_stop_ns = fuzz_edge (s->input);
  if (buffer->discont)
    s->factor = 0;
  audio = fuzz_frames_of_stream (&s->audio, s->next, frames, s->seed, false);
  run (s, &input, audio);
  fuzz_frames_free (audio);
  s->next += frames;
  s->pts_ns += buffer->duration_ns;
}

static void
begin_segment (Stream * s)
{
  static const double rates[] = { 1, 1, 1, 2, 0.5, 1.3 };
  TimeSegment segment = {.rate = FUZZ_ONE_OF (s->input, rates),
    .applied_rate = fuzz_byte (s->input) > 220 ? -1 : 1,.stop = UINT64_MAX,
    .duration = UINT64_MAX
  };
  TimeScaleInput input = {.kind = TIMESCALE_SEGMENT,.segment = &segment };

  if (fuzz_flag (s->input) || segment.applied_rate < 0)
    segment.stop = 1 + fuzz_below (s->input, 4 * SECOND_NS);
  segment.time = fuzz_flag (s->input) ? 0 : fuzz_below (s->input, SECOND_NS);
  segment.base = fuzz_below (s->input, SECOND_NS);
  s->pts_ns = 0;
  s->factor = s->next > 0 ? 0 : s->settings.absorbs_rate ?
      s->settings.factor / segment.rate : s->settings.factor;
  forget_kept (&s->one);
  forget_kept (&s->other);
  run (s, &input, NULL);
}

static void
end_stream (Stream * s)
{
  TimeScaleInput input = {.kind = TIMESCALE_END };

  run (s, &input, NULL);
}

static TimePitch
any_pitch (FuzzInput * input)
{
  TimePitch pitch = {.kept = fuzz_flag (input) };

  pitch.window = fuzz_below (input, 4);
  if (fuzz_flag (input))
    pitch.semitones = (double) fuzz_below (input, 49) - 24;
  pitch.formants = fuzz_below (input, 2);
  if (fuzz_flag (input))
    pitch.formant_semitones = (double) fuzz_below (input, 49) - 24;
  return pitch;
}

static double
any_factor (FuzzInput * input)
{
  double factor = fuzz_flag (input) ? 1 : fuzz_double (input);

  /* with a factor out of this range, an input would take too long */
  return factor >= 0.05 && factor <= 20 ? factor : 1.5;
}

static void
configure (Stream * s)
{
  if (fuzz_flag (s->input))
    s->settings.factor = any_factor (s->input);
  if (fuzz_flag (s->input))
    s->settings.pitch = any_pitch (s->input);
  s->settings.interpolation = fuzz_below (s->input, TIMEDSP_N_INTERPOLATIONS);
  s->settings.quality = fuzz_below (s->input, 8);
  timescale_configure (s->one.scale, &s->settings);
  timescale_configure (s->other.scale, &s->settings);
  s->factor = 0;
}

/* Makes queries, as another thread could. A later input time must not be mapped to an
 * earlier output time. */
static void
ask (Stream * s)
{
  uint64_t a = fuzz_edge (s->input), b = fuzz_edge (s->input);
  uint64_t low = a < b ? a : b, high = a < b ? b : a;
  double multiplier = fuzz_double (s->input);
  TimeScaleSeek seek = {.start_ns = fuzz_edge (s->input),.stop_ns = -1,
    .sets_start = 1
  }, same = seek;

  REQUIRE (timescale_to_output (s->one.scale, low)
      <= timescale_to_output (s->one.scale, high), "%llu, %llu",
      (unsigned long long) low, (unsigned long long) high);
  timescale_seek (s->one.scale, &seek);
  timescale_seek (s->other.scale, &same);
  REQUIRE (seek.start_ns == same.start_ns && seek.stop_ns == -1, "%lld",
      (long long) seek.start_ns);
  if (fuzz_flag (s->input)) {
    timescale_seek (s->one.scale, NULL);
    timescale_seek (s->other.scale, NULL);
  }
  if (fuzz_flag (s->input) && multiplier >= 0.1 && multiplier <= 10) {
    REQUIRE (timescale_rate (s->one.scale, multiplier)
        == timescale_rate (s->other.scale, multiplier), "%g", multiplier);
    s->factor = 0;
  }
}

static void
send_gap (Stream * s)
{
  uint64_t duration_ns = fuzz_flag (s->input) ? UINT64_MAX :
      fuzz_below (s->input, SECOND_NS);

  TimeScaleInput input = {.kind = TIMESCALE_GAP,
    .buffer = {.pts_ns = s->pts_ns,.duration_ns = duration_ns}
  };

  run (s, &input, NULL);
  s->factor = 0;
}

static void
flush (Stream * s)
{
  int everything = fuzz_byte (s->input) > 220;

  timescale_flush (s->one.scale, everything);
  timescale_flush (s->other.scale, everything);
  forget_kept (&s->one);
  forget_kept (&s->other);
  if (everything) {
    timescale_format (s->one.scale, &s->audio, s->rate);
    timescale_format (s->other.scale, &s->audio, s->rate);
  }
  begin_segment (s);
}

static void
step (Stream * s)
{
  s->fail_at = fuzz_byte (s->input) > 250 ? 1 + fuzz_below (s->input, 20) : 0;
  s->factor = s->fail_at > 0 ? 0 : s->factor;
  switch (fuzz_below (s->input, 16)) {
    case 0:
    case 1:
      configure (s);
      break;
    case 2:
      ask (s);
      break;
    case 3:
      send_gap (s);
      break;
    case 4:
      flush (s);
      break;
    case 5:
      end_stream (s);
      s->factor = 0;
      break;
    case 6:
      begin_segment (s);
      break;
    case 7:
      s->controlled = !s->controlled && fuzz_flag (s->input);
      s->factor = 0;
      break;
    default:
      feed (s);
  }
}

/* ---- one input of the fuzzer -------------------------------------------- */

static void
open_owner (Stream * s, Owner * owner, bool plain)
{
  memset (owner, 0, sizeof *owner);
  owner->scale = timescale_new ();
  owner->plain = plain;
  owner->made = fuzz_frames_new (&s->audio, 0);
  timescale_configure (owner->scale, &s->settings);
  timescale_format (owner->scale, &s->audio, s->rate);
}

static void
close_owner (Owner * owner)
{
  forget_kept (owner);
  fuzz_frames_free (owner->made);
  timescale_free (owner->scale);
}

static void
call_without (void)
{
  TimeScaleAction action = { 0 };

  timescale_configure (NULL, NULL);
  timescale_seek (NULL, NULL);
  timescale_flush (NULL, 1);
  timescale_prepare (&action);
  timescale_process (&action, NULL, NULL);
  REQUIRE (timescale_receive (NULL, NULL, 0) == NULL
      && timescale_done (NULL, 0) == NULL && !timescale_rate (NULL, 1)
      && timescale_to_output (NULL, 7) == 7 && timescale_is_identity (NULL),
      "without a session");
  timescale_free (NULL);
}

void
fuzz_scale (FuzzInput * input)
{
  static const uint32_t rates[] = { 8000, 8000, 8000, 1, 11025, 44100 };
  Stream s = {.input = input,.audio = fuzz_config (input) };
  unsigned i;

  call_without ();
  if (!fuzz_config_is_sound (&s.audio) || s.audio.channels > 16)
    return;
  s.rate = FUZZ_ONE_OF (input, rates);
  s.settings.factor = any_factor (input);
  s.settings.interpolation = s.audio.interpolation;
  s.settings.quality = s.audio.quality;
  s.settings.absorbs_rate = fuzz_flag (input);
  s.settings.alignment = fuzz_byte (input) > 200;
  if (fuzz_flag (input))
    s.settings.pitch = any_pitch (input);
  s.seed = fuzz_bytes (input, 2);
  open_owner (&s, &s.one, true);
  open_owner (&s, &s.other, false);
  begin_segment (&s);
  for (i = 0; i < MOST_STEPS && fuzz_more (input); i++)
    step (&s);
  end_stream (&s);
  REQUIRE (s.one.log == s.other.log && s.one.failed == s.other.failed,
      "they say different things");
  fuzz_frames_require_equal (s.one.made, s.other.made);
  fuzz_require_length (s.next, s.factor, s.one.made->frames);
  close_owner (&s.one);
  close_owner (&s.other);
}
