/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For x86-64, the hot functions are compiled in several variants. All variants that this
 * processor supports must reverse in the same way, and an environment variable selects one.
 * timescale/settings.c compares what they scale and stretch.
 */

#include "../../Sources/CTimeDSP/timedspcpu.h"
#include "retrotest.h"

#include <cpuid.h>
#include <string.h>

/* ---- reversing ---------------------------------------------------------- */

/* Compares the output frame by frame, according to the definition in timedsp.h. */
static void
assert_reversed (const guint8 * input, const guint8 * output, gsize n_frames,
    gsize frame_bytes)
{
  gsize i;

  for (i = 0; i < n_frames; i++)
    if (memcmp (output + i * frame_bytes,
            input + (n_frames - 1 - i) * frame_bytes, frame_bytes) != 0)
      fail ("frame %zu of %zu, of %zu bytes", i, n_frames, frame_bytes);
}

static void
assert_reverses (const TimeDSPVariant * variant, gsize frame_bytes)
{
  const gsize most = 130 * frame_bytes;
  guint8 *input = g_malloc (most), *output = g_malloc (most);
  gsize n, i;

  for (i = 0; i < most; i++)
    input[i] = i * 2654435761u >> 13;
  for (n = 0; n <= 130; n += 1 + n / 40) {
    fail_unless_equals_int (variant->reverse (input, output, n, frame_bytes),
        TIMEDSP_OK);
    assert_reversed (input, output, n, frame_bytes);
    memcpy (output, input, most);
    fail_unless_equals_int (variant->reverse (output, output, n, frame_bytes),
        TIMEDSP_OK);
    assert_reversed (input, output, n, frame_bytes);
  }
  g_free (input);
  g_free (output);
}

LOOP_TEST (all_reverse_frames_of_every_size, 65)
{
  const TimeDSPVariant *const *variant;

  for (variant = timedsp_variants (); *variant != NULL; variant++)
    assert_reverses (*variant, __i__ + 1);
}

/* ---- selection -------------------------------------------------------------- */

/* The name of the best variant that this processor supports, according to CPUID.
 * Valgrind emulates CPUID. */
static const gchar *
best_name (void)
{
  guint a, b, c, d;

  if (!__get_cpuid_count (7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
    return "baseline";
  return "avx2";
}

TEST (the_processor_decides)
{
  const TimeDSPVariant *const *variants = timedsp_variants ();
  guint i;

  fail_unless_equals_string (variants[0]->name, "baseline");
  for (i = 1; variants[i] != NULL; i++) {
    fail_unless (variants[i]->reverse != variants[i - 1]->reverse);
    fail_unless (variants[i]->process != variants[0]->process);
    fail_unless (variants[i]->drain != variants[0]->drain);
    fail_unless (variants[i]->read != variants[0]->read);
  }
  fail_unless_equals_string (variants[i - 1]->name, best_name ());
}

/* meson.build runs this test with each value of the environment variable. */
TEST (the_environment_chooses)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  const gchar *expected = best_name ();

  for (; *variant != NULL; variant++) {
    if (g_strcmp0 (g_getenv ("RETROGRADE_CPU"), (*variant)->name) == 0)
      expected = (*variant)->name;
  }
  fail_unless_equals_string (timedsp_chosen_variant ()->name, expected);
}
