/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes correct streams through the elements, with any format, rate and buffer sizes.
 */

#include "fuzzgst.h"
#include "../plugin/support/scalemodel.h"
#include "../plugin/support/uses.h"

#include <math.h>

#define MAX_SAMPLES 6000
#define MAX_OUTPUT_FRAMES 60000

/* A stream, and the sizes of its buffers. */
typedef struct
{
  FuzzInput *input;
  GstAudioInfo info;
  guint64 n_frames;
  gsize cuts[5];
} Stream;

static void
make_stream (Stream * s, FuzzInput * input, gboolean for_timescale)
{
  guint i;

  s->input = input;
  fuzz_info (input, for_timescale, &s->info);
  if (GST_AUDIO_INFO_RATE (&s->info) == G_MAXINT)
    s->info.rate = 500000000;   /* at higher rates, times in ns cannot distinguish
                                 * frames */
  s->n_frames = 1 + fuzz_below (input,
      MAX_SAMPLES / GST_AUDIO_INFO_CHANNELS (&s->info));
  for (i = 0; i < 4; i++)
    s->cuts[i] = fuzz_flag (input) ? 1 + fuzz_below (input, 40) :
        1 + fuzz_below (input, 3000);
  s->cuts[4] = 0;
}

/* Creates an element that keeps some streams in memory, and others in a file. */
static RetroTest *
new_test (const Stream * s, const gchar * description)
{
  static const guint64 memories[] = { 64 << 20, 0, 1000, 5000 };
  RetroTest *t = retro_test_new (description);

  g_object_set (t->element, "max-memory", FUZZ_ONE_OF (s->input, memories),
      NULL);
  gst_harness_push_event (t->h, gst_event_new_stream_start ("fuzz"));
  return t;
}

/* Requires the output that the table of uses states
 * (Tests/plugin/support/uses.h). */
static void
use (Stream * s, const RetroUse * use)
{
  AUTO_TEST t = new_test (s, use->element);

  retro_use_start (use, t, &s->info, 0, s->n_frames);
  fail_unless_equals_int (retro_use_push (use, t, 0, s->n_frames, s->cuts),
      GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  retro_use_assert (use, t, 0, s->n_frames);
  if (retro_test_n_buffers (t) > 0 && !retro_use_passes (use))
    retro_test_assert_perfect (t, 0);
}

/* Requires that n frames become floor (n × factor) frames, with any settings. */
static void
scale (Stream * s)
{
  AUTO_TEST t = new_test (s, "timescale");
  gdouble factor = fuzz_factor (s->input);
  guint64 frames;

  s->n_frames = MIN (s->n_frames, 1 + MAX_OUTPUT_FRAMES / factor
      / GST_AUDIO_INFO_CHANNELS (&s->info));
  g_object_set (t->element, "factor", factor,
      "interpolation", (gint) fuzz_below (s->input, SCALE_N_INTERPOLATIONS),
      "quality", (gint) fuzz_below (s->input, 11),
      "alignment", (gint) fuzz_below (s->input, 2),
      "keep-pitch", fuzz_flag (s->input), "semitones", fuzz_flag (s->input) ?
      0 : (gdouble) fuzz_below (s->input, 193) / 4 - 24,
      "window", (gint) fuzz_below (s->input, 4), NULL);
  retro_test_start (t, &s->info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, s->n_frames, s->cuts);
  fail_unless (retro_test_eos (t));
  frames = retro_test_frames_out (t);
  fail_unless (fabs (frames + 0.5 - s->n_frames * factor) <= 0.5 + 1e-6,
      "%u frames × %.17g are %u", (guint) s->n_frames, factor, (guint) frames);
  if (frames > 0)
    retro_test_assert_perfect (t, 0);
}

void
fuzz_laws (FuzzInput * input)
{
  const RetroUse *row = &retro_uses[fuzz_below (input, RETRO_N_USES)];
  Stream s;

  if (fuzz_flag (input)) {
    make_stream (&s, input, TRUE);
    scale (&s);
  } else {
    make_stream (&s, input, retro_use_scales (row));
    use (&s, row);
  }
}
