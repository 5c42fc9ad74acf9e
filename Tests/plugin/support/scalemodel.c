/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scalemodel.h"

#include <string.h>

const ScaleFactor scale_factors[SCALE_N_FACTORS] = {
  {1, 1}, {2, 1}, {1, 2}, {3, 2}, {7, 10}, {100, 1}, {1, 100}, {147, 160}
};

#define NICK(NAME, nick, before, after, sentence) nick,

/* *INDENT-OFF* */
const gchar *const scale_interpolations[SCALE_N_INTERPOLATIONS] = {
  TIMEDSP_INTERPOLATIONS (NICK)
};
/* *INDENT-ON* */

RetroTest *
scale_test_new (ScaleFactor factor, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  g_object_set (t->element, "factor", (gdouble) factor.num / factor.den, NULL);
  g_free (description);
  return t;
}

guint64
scale_length (guint64 n, ScaleFactor factor)
{
  return n * factor.num / factor.den;
}

GstClockTime
scale_time (GstClockTime time, ScaleFactor factor)
{
  return gst_util_uint64_scale_round (time, factor.num, factor.den);
}

GstAudioInfo
scale_plain_info (void)
{
  return retro_test_info (GST_AUDIO_FORMAT_F64, INTERLEAVED, PLAIN_RATE, 1);
}

/* ---- sound -------------------------------------------------------------- */

static gdouble
sample_at (guint64 frame, guint channel)
{
  gdouble pulse = 1 - frame % 40 / 40.0;
  gdouble noise = (frame * frame * 31 + frame * (channel + 7)) % 101 / 101.0;
  gboolean pauses = frame % 3000 >= 2500;

  return (pauses ? 0 : pulse * pulse * pulse / 2) + noise / 16 - 0.25;
}

GstBuffer *
scale_sound (const GstAudioInfo * info, guint64 first, gsize n_frames)
{
  guint n_channels = GST_AUDIO_INFO_CHANNELS (info), c;
  gsize bytes = GST_AUDIO_INFO_BPS (info), i;
  guint8 *samples = g_malloc (n_frames * n_channels * bytes), *to = samples;
  GstBuffer *buffer;

  for (i = first; i < first + n_frames; i++)
    for (c = 0; c < n_channels; c++, to += bytes) {
      gdouble f64 = sample_at (i, c);
      gfloat f32 = f64;
      gint16 s16 = f64 * G_MAXINT16;
      gint32 s32 = f64 * G_MAXINT32;

      switch (GST_AUDIO_INFO_FORMAT (info)) {
        case GST_AUDIO_FORMAT_S16:
          memcpy (to, &s16, bytes);
          break;
        case GST_AUDIO_FORMAT_S32:
          memcpy (to, &s32, bytes);
          break;
        case GST_AUDIO_FORMAT_F32:
          memcpy (to, &f32, bytes);
          break;
        default:
          memcpy (to, &f64, bytes);
      }
    }
  buffer = retro_test_buffer_of (info, samples, n_frames,
      retro_test_time (info, first));
  g_free (samples);
  return buffer;
}

void
scale_push_sound (RetroTest * t, guint64 first, guint64 n_frames, guint64 piece)
{
  guint64 at = first, end = first + n_frames;

  for (; at < end; at += piece)
    fail_unless_equals_int (gst_harness_push (t->h, scale_sound (&t->info, at,
                MIN (piece, end - at))), GST_FLOW_OK);
}

void
scale_set (RetroTest * t, const gchar * properties)
{
  gchar **parts = g_strsplit_set (properties, " =", -1);
  guint i;

  for (i = 0; parts[i] != NULL && parts[i + 1] != NULL; i += 2)
    gst_util_set_object_arg (G_OBJECT (t->element), parts[i], parts[i + 1]);
  g_strfreev (parts);
}

void
scale_ask_for_rate (RetroTest * t, gdouble rate, gboolean by_seek)
{
  if (by_seek)
    gst_harness_push_upstream_event (t->h, gst_event_new_seek (rate,
            GST_FORMAT_TIME, GST_SEEK_FLAG_INSTANT_RATE_CHANGE,
            GST_SEEK_TYPE_NONE, -1, GST_SEEK_TYPE_NONE, -1));
  else
    gst_harness_push_event (t->h, gst_event_new_instant_rate_change (rate, 0));
}
