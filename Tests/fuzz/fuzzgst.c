/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fuzzgst.h"

#include <string.h>

GST_ELEMENT_REGISTER_DECLARE (revbuf);
GST_ELEMENT_REGISTER_DECLARE (timescale);

/* Replaces a function of GStreamer's test library that can only be used in a test
 * suite. */
#undef _mark_point
void
_mark_point (const char *file, int line)
{
}

void
_ck_assert_failed (const char *file, int line, const char *expr, ...)
{
  const char *format;
  va_list args;

  fprintf (stderr, "%s:%d: %s\n  ", file, line, expr);
  va_start (args, expr);
  format = va_arg (args, const char *);
  if (format != NULL)
    vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  abort ();
}

static __thread bool tolerant;

void
fuzz_tolerate_warnings (bool tolerate)
{
  tolerant = tolerate;
}

static void
on_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer unused)
{
  if (!(level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
      || tolerant)
    return;
  fprintf (stderr, "%s: %s\n", domain, message);
  abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv ("GST_REGISTRY_FORK", "no", TRUE);
  g_setenv ("GST_REGISTRY_UPDATE", "no", TRUE);
  g_setenv ("GST_REGISTRY_1_0", "/dev/null", TRUE);
  gst_init (NULL, NULL);
  g_log_set_default_handler (on_log, NULL);
  GST_ELEMENT_REGISTER (revbuf, NULL);
  GST_ELEMENT_REGISTER (timescale, NULL);
  retro_test_load_core ();
  return 0;
}

/* ---- values ------------------------------------------------------------- */

void
fuzz_info (FuzzInput * input, gboolean for_timescale, GstAudioInfo * info)
{
  static const GstAudioFormat scalable[] = { GST_AUDIO_FORMAT_S16,
    GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
  };
  static const gint rates[] = { 8000, 44100, 48000, 1, 7, 1000, 192000,
    384000, 11025, 3, 100, G_MAXINT
  };
  static const gint channels[] = { 1, 2, 3, 6, 8, 17, 64 };
  GstAudioFormat format = for_timescale ? FUZZ_ONE_OF (input, scalable) :
      GST_AUDIO_FORMAT_S8 + fuzz_below (input, 29);
  gint rate = FUZZ_ONE_OF (input, rates);
  gint n_channels = FUZZ_ONE_OF (input, channels);

  *info = retro_test_info (format, fuzz_flag (input) ? PLANAR : INTERLEAVED,
      rate, n_channels);
}

GstClockTime
fuzz_time (FuzzInput * input)
{
  unsigned how = fuzz_byte (input);

  if (how < 64)
    return 0;
  if (how < 96)
    return GST_CLOCK_TIME_NONE;
  if (how < 224)
    return fuzz_bytes (input, 2) * 125000;      /* up to 8 s */
  return fuzz_edge (input);
}

gdouble
fuzz_factor (FuzzInput * input)
{
  gdouble factor = fuzz_double (input);

  return factor >= 0.01 && factor <= 100 ? factor : 1;
}
