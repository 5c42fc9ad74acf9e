/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer for revbuf while it fetches blocks with seeks. The source has the same faults as real
 * sources, and an application sends commands. Nothing may hang. Afterwards, the stream must be
 * played backwards to its end, or an error must be reported.
 */

#include "fuzzgst.h"
#include "../plugin/support/retrotestplay.h"

#define MAX_STEPS 30
#define MAX_SAMPLES 12000
#define MAX_PAUSE_US 3000
#define END_TIMEOUT_NS (60 * GST_SECOND)

typedef struct
{
  FuzzInput *input;
  RetroPlay *play;
  gboolean has_faults;          /* if TRUE, the expected frames are not known */
  gboolean paused;
  gboolean flushed_behind;      /* there was a flush that the element did not see, so
                                 * the sink may be waiting */
} Run;

/* ---- the source --------------------------------------------------------- */

static void
choose_cut (Run * run)
{
  static const gsize cuts[][4] = { {1000, 0}, {1, 0}, {333, 10, 0},
  {7, 1, 64, 0}, {1152, 0}, {4096, 1, 0}
  };

  run->play->knobs->cut = FUZZ_ONE_OF (run->input, cuts);
}

/* Chooses the times that the source reports. */
static void
choose_times (Run * run)
{
  RetroTestKnobs *knobs = run->play->knobs;
  guint how = fuzz_byte (run->input);

  if (how % 4 == 3)
    knobs->untimed_frames = how % 8 == 3 ? 1 : how * 100;
  if (how > 200) {
    knobs->duration_ns = GST_CLOCK_TIME_NONE;
  } else if (how > 150) {       /* a wrong duration */
    knobs->duration_ns = fuzz_time (run->input);
    run->has_faults = TRUE;
  }
}

static void
add_fault (Run * run)
{
  RetroTestKnobs *knobs = run->play->knobs;
  guint64 frames = fuzz_below (run->input, 4000);

  switch (fuzz_below (run->input, 8)) {
    case 0:
      knobs->settle_frames = frames;
      break;
    case 1:
      knobs->settle_at_0_frames = frames;
      break;
    case 2:
      knobs->settle_more_frames = frames;
      knobs->settle_more_below_frame = fuzz_below (run->input, 8000);
      break;
    case 3:
      knobs->shift_frames = frames % 300;
      break;
    case 4:
      knobs->rounding_ns = frames * 1000;
      break;
    case 5:
      knobs->breaks_at_frame = 1 + frames;
      knobs->breaks_in_take = fuzz_below (run->input, 4);
      knobs->breaks_with_error = fuzz_flag (run->input);
      break;
    case 6:
      knobs->refused_seek = 1 + frames % 8;
      break;
    default:
      knobs->noisy = GST_AUDIO_INFO_FORMAT (&knobs->info)
          == GST_AUDIO_FORMAT_S16;
  }
  run->has_faults = TRUE;
}

static gboolean (*source_event) (GstBaseSrc *, GstEvent *);

/* Tolerates criticals: GstBaseSrc clamps the stop of a seek to the duration,
 * but not its start, and then logs a critical. */
static gboolean
tolerant_event (GstBaseSrc * source, GstEvent * event)
{
  gboolean ok;

  fuzz_tolerate_warnings (TRUE);
  ok = source_event (source, event);
  fuzz_tolerate_warnings (FALSE);
  return ok;
}

static void
tolerate_source (RetroTestSource * source)
{
  GstBaseSrcClass *klass = GST_BASE_SRC_GET_CLASS (source);

  if (source_event == NULL)
    source_event = klass->event;
  klass->event = tolerant_event;
}

static RetroPlay *
make_play (Run * run)
{
  static const gchar *const modes[] = { "seek", "seek", "seek", "auto", "auto",
    "collect"
  };
  gchar *description = g_strdup_printf ("revbuf mode=%s direction=%s "
      "block-time=%u seam=%s", FUZZ_ONE_OF (run->input, modes),
      fuzz_flag (run->input) ? "reverse" : "forward",
      (guint) (GST_MSECOND + fuzz_below (run->input, 256) * 4 * GST_MSECOND),
      fuzz_flag (run->input) ? "exact" : "smooth");
  GstAudioInfo info;
  RetroPlay *play;
  guint64 most;

  fuzz_info (run->input, FALSE, &info);
  info.rate = CLAMP (info.rate, 1000, 192000);
  most = MAX_SAMPLES / GST_AUDIO_INFO_CHANNELS (&info);
  play = retro_play_new (description, &info, 1 + fuzz_below (run->input, most));
  play->knobs->pts_offset_ns = fuzz_byte (run->input) > 240 ? GST_SECOND : 0;
  g_free (description);
  return play;
}

/* ---- commands ----------------------------------------------------------- */

static GstClockTime
some_time (Run * run)
{
  const RetroTestKnobs *knobs = run->play->knobs;

  return retro_test_time (&knobs->info, knobs->n_frames)
      * fuzz_byte (run->input) / 250;
}

static void
turn (Run * run)
{
  retro_play_set_reverse (run->play, fuzz_flag (run->input));
}

static void
loop (Run * run)
{
  g_object_set (run->play->revbuf, "loop", fuzz_below (run->input, 3),
      "loop-start", some_time (run), "loop-stop", some_time (run), NULL);
}

/* Returns whether a seek without a flush is possible. A source that receives such a seek
 * waits until its buffer is accepted, and a sink accepts a buffer only in PLAYING. */
static gboolean
is_playing (Run * run)
{
  GstState state;

  return !run->paused && !run->flushed_behind
      && gst_element_get_state (run->play->pipeline, &state, NULL,
      GST_SECOND / 10) == GST_STATE_CHANGE_SUCCESS
      && state == GST_STATE_PLAYING;
}

static void
seek (Run * run)
{
  static const gdouble rates[] = { 1, -1, 2, -2, 0.5, -0.5, 1e-3, -100 };
  gdouble rate = FUZZ_ONE_OF (run->input, rates);
  GstSeekFlags flags = fuzz_flag (run->input) ? GST_SEEK_FLAG_ACCURATE : 0;
  GstSeekType type = fuzz_flag (run->input) ? GST_SEEK_TYPE_SET :
      GST_SEEK_TYPE_NONE;
  GstClockTime start = some_time (run), stop = some_time (run);

  if (fuzz_below (run->input, 4) > 0 || !is_playing (run))
    flags |= GST_SEEK_FLAG_FLUSH;
  if (fuzz_below (run->input, 8) == 0)
    flags |= GST_SEEK_FLAG_SEGMENT;
  /* GStreamer logs a critical if the stop is before the start */
  retro_play_seek (run->play, rate, flags, type, MIN (start, stop), type,
      MAX (start, stop));
}

/* A foreign seek, sent to upstream directly, not through the element. */
static void
seek_source (Run * run)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (run->play->source),
      "src");

  gst_pad_send_event (pad, gst_event_new_seek (1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, some_time (run),
          GST_SEEK_TYPE_SET, GST_CLOCK_TIME_NONE));
  gst_object_unref (pad);
  run->flushed_behind = TRUE;
}

static void
ask (Run * run)
{
  g_autoptr (GstStructure) stats = NULL;

  retro_play_position (run->play);
  retro_play_duration (run->play);
  g_object_get (run->play->revbuf, "stats", &stats, NULL);
}

/* Sets a state. The change may fail if the stream has failed. */
static void
set_state (Run * run, GstState state)
{
  REQUIRE (gst_element_set_state (run->play->pipeline, state)
      != GST_STATE_CHANGE_FAILURE || run->has_faults, "state %d", state);
}

static void
change_state (Run * run)
{
  static const GstState states[] = { GST_STATE_PAUSED, GST_STATE_PLAYING,
    GST_STATE_READY, GST_STATE_NULL
  };
  GstState state = FUZZ_ONE_OF (run->input, states);

  set_state (run, state);
  if (state < GST_STATE_PAUSED)
    set_state (run, GST_STATE_PLAYING);
  run->paused = state == GST_STATE_PAUSED;
}

static void
turn_knob (Run * run)
{
  g_object_set (run->play->revbuf, "mode", fuzz_below (run->input, 3), "seam",
      fuzz_below (run->input, 2), "block-time",
      GST_MSECOND + some_time (run), NULL);
}

static void
pause (Run * run)
{
  g_usleep (fuzz_below (run->input, MAX_PAUSE_US));
}

static void (*const steps[]) (Run *) = {
  turn, turn, loop, seek, seek, seek_source, ask, change_state, turn_knob,
  pause, pause, pause
};

/* ---- one input of the fuzzer -------------------------------------------- */

/* Requires that the whole stream is played backwards, or that an error is reported. */
static void
require_end (Run * run)
{
  RetroPlay *play = run->play;
  gint64 deadline = g_get_monotonic_time () + END_TIMEOUT_NS / 1000;
  GstMessage *error = NULL;
  gboolean eos = FALSE;

  retro_play_stop (play);
  play->forgets = play->eos = play->flushing = FALSE;
  gst_bus_set_flushing (play->out.bus, TRUE);
  gst_bus_set_flushing (play->out.bus, FALSE);
  g_object_set (play->revbuf, "direction", 1, "mode", 0, "loop", 0,
      "loop-start", (guint64) 0, "loop-stop", GST_CLOCK_TIME_NONE, NULL);
  retro_play_set_state (play, GST_STATE_PLAYING);
  while (!eos && error == NULL) {
    error = gst_bus_timed_pop_filtered (play->out.bus, GST_MSECOND,
        GST_MESSAGE_ERROR);
    g_mutex_lock (&play->lock);
    eos = play->eos;
    g_mutex_unlock (&play->lock);
    REQUIRE (g_get_monotonic_time () < deadline, "neither an end nor an error");
  }
  retro_play_stop (play);
  REQUIRE (error == NULL || run->has_faults, "an error");
  gst_clear_message (&error);
  if (!run->has_faults)
    retro_test_assert_down (&play->out, 0, play->knobs->n_frames);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = fuzz_input (data, size);
  Run run = {.input = &input };
  guint i;

  run.play = make_play (&run);
  tolerate_source (run.play->source);
  choose_cut (&run);
  choose_times (&run);
  if (fuzz_flag (&input))
    add_fault (&run);
  run.play->forgets = TRUE;
  retro_play_set_state (run.play, GST_STATE_PLAYING);
  for (i = 0; i < MAX_STEPS && fuzz_more (&input); i++)
    FUZZ_ONE_OF (&input, steps) (&run);
  require_end (&run);
  retro_play_free (run.play);
  return 0;
}
