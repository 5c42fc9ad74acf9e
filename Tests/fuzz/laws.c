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

#define MOST_SAMPLES 6000
#define MOST_OUTPUT_FRAMES 60000

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
      MOST_SAMPLES / GST_AUDIO_INFO_CHANNELS (&s->info));
  for (i = 0; i < 4; i++)
    s->cuts[i] = fuzz_flag (input) ? 1 + fuzz_below (input, 40) :
        1 + fuzz_below (input, 3000);
  s->cuts[4] = 0;
}

static RetroTest *
start (const Stream * s, const gchar * description, gdouble rate,
    GstClockTime stop)
{
  RetroTest *t = retro_test_new (description);

  gst_harness_push_event (t->h, gst_event_new_stream_start ("fuzz"));
  retro_test_start (t, &s->info, rate, 0, stop);
  return t;
}

static void
play_forward (const Stream * s, RetroTest * t)
{
  retro_test_push_cut (t, 0, s->n_frames, s->cuts);
  fail_unless (retro_test_eos (t));
}

/* Returns a limit for the memory. Some streams exceed it, and are stored in a file. */
static guint64
fuzz_memory (FuzzInput * input)
{
  static const guint64 memories[] = { 64 << 20, 0, 1000, 5000 };

  return FUZZ_ONE_OF (input, memories);
}

/* ---- any use ------------------------------------------------------------- */

/* Requires the output that the table of uses states
 * (Tests/plugin/support/uses.h). */
static void
use (Stream * s, const RetroUse * use)
{
  RetroTest *t = retro_test_new (use->element);

  g_object_set (t->element, "max-memory", fuzz_memory (s->input), NULL);
  gst_harness_push_event (t->h, gst_event_new_stream_start ("fuzz"));
  retro_use_start (use, t, &s->info, 0, s->n_frames);
  fail_unless_equals_int (retro_use_push (use, t, 0, s->n_frames, s->cuts),
      GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  retro_use_assert (use, t, 0, s->n_frames);
  if (retro_test_n_buffers (t) > 0 && !retro_use_passes (use))
    retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

/* ---- revbuf ------------------------------------------------------------- */

static void
reverse_twice (Stream * s)
{
  RetroTest *t = start (s, "revbuf direction=reverse mode=collect ! "
      "revbuf direction=reverse mode=collect", 1, GST_CLOCK_TIME_NONE);

  play_forward (s, t);
  retro_test_assert_up (t, 0, s->n_frames);
  retro_test_free (t);
}

static void
chunk (Stream * s)
{
  guint64 rate = GST_AUDIO_INFO_RATE (&s->info);
  GstClockTime block_ns = GST_MSECOND + fuzz_below (s->input, 200) * GST_MSECOND
      + fuzz_bytes (s->input, 2);
  guint64 block = MAX (gst_util_uint64_scale_int (block_ns, rate, GST_SECOND),
      1), first;
  gchar *description = g_strdup_printf ("revbuf direction=reverse mode=chunk "
      "block-time=%" G_GUINT64_FORMAT " max-memory=%" G_GUINT64_FORMAT,
      block_ns, fuzz_memory (s->input));
  RetroTest *t = start (s, description, 1, GST_CLOCK_TIME_NONE);
  GArray *order = retro_order_new ();

  play_forward (s, t);
  for (first = 0; first < s->n_frames; first += block)
    retro_order_down (order, first, MIN (block, s->n_frames - first));
  retro_test_assert_order (t, order);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
  g_free (description);
}

/* ---- timescale ---------------------------------------------------------- */

static GByteArray *
scale_cut (Stream * s, const gchar * description, const gsize * cuts,
    guint64 * frames_out)
{
  RetroTest *t = start (s, description, 1, GST_CLOCK_TIME_NONE);
  GByteArray *bytes;

  retro_test_push_cut (t, 0, s->n_frames, cuts);
  fail_unless (retro_test_eos (t));
  *frames_out = retro_test_frames_out (t);
  if (*frames_out > 0)
    retro_test_assert_perfect (t, 0);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

/* Requires that n frames become floor (n × factor) frames, and that the output does not
 * depend on the buffer sizes. */
static void
assert_scaled (Stream * s, const gchar * description, gdouble factor)
{
  static const gsize whole[] = { G_MAXINT32, 0 };
  guint64 frames, other_frames;
  GByteArray *one, *other;

  s->n_frames = MIN (s->n_frames, 1 + MOST_OUTPUT_FRAMES / factor
      / GST_AUDIO_INFO_CHANNELS (&s->info));
  one = scale_cut (s, description, s->cuts, &frames);
  other = scale_cut (s, description, whole, &other_frames);
  fail_unless (fabs (frames + 0.5 - s->n_frames * factor) <= 0.5 + 1e-6,
      "%u frames × %.17g are %u", (guint) s->n_frames, factor, (guint) frames);
  fail_unless (one->len == other->len && (one->len == 0
          || memcmp (one->data, other->data, one->len) == 0), "%s",
      description);
  g_byte_array_unref (one);
  g_byte_array_unref (other);
}

static void
scale (Stream * s)
{
  gdouble factor = fuzz_factor (s->input);
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], *description;

  g_ascii_dtostr (text, sizeof (text), factor);
  description = g_strdup_printf ("timescale factor=%s interpolation=%s "
      "quality=%d alignment=%s max-memory=%" G_GUINT64_FORMAT, text,
      FUZZ_ONE_OF (s->input, scale_interpolations), (gint) fuzz_below (s->input,
          11), fuzz_flag (s->input) ? "stream" : "endpoints",
      fuzz_memory (s->input));
  assert_scaled (s, description, factor);
  g_free (description);
}

/* Tests the length while the pitch is kept, or shifted by a multiple of a quarter of a
 * semitone. */
static void
stretch (Stream * s)
{
  static const gchar *const windows[] = { "auto", "music", "speech",
    "low-latency"
  };
  gdouble factor = fuzz_factor (s->input);
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], *description;
  gint quarters = fuzz_flag (s->input) ? 0 :
      (gint) fuzz_below (s->input, 193) - 96;

  g_ascii_dtostr (text, sizeof (text), factor);
  description = g_strdup_printf ("timescale factor=%s keep-pitch=%s "
      "semitones=%d.%02d window=%s", text, fuzz_flag (s->input) ? "true" :
      "false", quarters / 4, ABS (quarters) % 4 * 25,
      FUZZ_ONE_OF (s->input, windows));
  assert_scaled (s, description, factor);
  g_free (description);
}

void
fuzz_laws (FuzzInput * input)
{
  static void (*const laws[]) (Stream *) =
      { reverse_twice, chunk, scale, stretch };
  guint which = fuzz_below (input, G_N_ELEMENTS (laws) + 3);
  const RetroUse *row;
  Stream s;

  if (which < G_N_ELEMENTS (laws)) {
    make_stream (&s, input, laws[which] == scale || laws[which] == stretch);
    laws[which] (&s);
  } else {
    row = &retro_uses[fuzz_below (input, RETRO_N_USES)];
    make_stream (&s, input, retro_use_scales (row));
    use (&s, row);
  }
}
