/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "resamplers.h"

#include <corebridge.h>
#include <gst/audio/audio.h>
#include <samplerate.h>
#include <soxr.h>
#include <stdlib.h>

static const size_t sample_bytes[] = { 2, 4, 4, 8 };

/* ---- Retrograde: the option is the interpolation, and 16 times the quality ------ */

static int
ours_open (Resampler * r, int option)
{
  TimeDSPConfig config = { r->format, TIMEDSP_INTERLEAVED, option % 16,
    r->channels, option / 16
  };

  return core_scaler_new (&config, (double) r->ratio.out / r->ratio.in,
      (CoreScaler **) & r->state) == TIMEDSP_OK;
}

static size_t
ours_run (Resampler * r)
{
  const void *in = r->in;
  void *out = r->out;
  size_t used, made;

  CORE_CHOSEN (core_scaler_process) (r->state, &in, BLOCK_FRAMES, &out,
      r->out_capacity, &used, &made);
  return made;
}

static void
ours_close (Resampler * r)
{
  core_scaler_free (r->state);
}

/* ---- GstAudioResampler: the option is the method, and 16 times the quality */

static int
gst_open (Resampler * r, int option)
{
  static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
    GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
  };
  GstStructure *options = gst_structure_new_empty ("options");

  gst_audio_resampler_options_set_quality (option % 16, option / 16,
      r->ratio.in, r->ratio.out, options);
  r->state =
      gst_audio_resampler_new (option % 16, GST_AUDIO_RESAMPLER_FLAG_NONE,
      formats[r->format], r->channels, r->ratio.in, r->ratio.out, options);
  gst_structure_free (options);
  return r->state != NULL;
}

static size_t
gst_run (Resampler * r)
{
  size_t made = gst_audio_resampler_get_out_frames (r->state, BLOCK_FRAMES);

  gst_audio_resampler_resample (r->state, &r->in, BLOCK_FRAMES, &r->out, made);
  return made;
}

static void
gst_close (Resampler * r)
{
  gst_audio_resampler_free (r->state);
}

/* ---- libsamplerate: the option is the converter --------------------------- */

static int
src_open (Resampler * r, int option)
{
  int error;

  if (r->format == TIMEDSP_F32)
    r->state = src_new (option, r->channels, &error);
  return r->state != NULL;
}

static size_t
src_run (Resampler * r)
{
  SRC_DATA data = {.data_in = r->in,.data_out = r->out,
    .input_frames = BLOCK_FRAMES,.output_frames = r->out_capacity,
    .src_ratio = (double) r->ratio.out / r->ratio.in
  };

  src_process (r->state, &data);
  return data.output_frames_gen;
}

static void
src_close (Resampler * r)
{
  src_delete (r->state);
}

/* ---- soxr: the option is the recipe, combined with the flags ---- */

static int
soxr_open (Resampler * r, int option)
{
  static const soxr_datatype_t types[] = { SOXR_INT16_I, SOXR_INT32_I,
    SOXR_FLOAT32_I, SOXR_FLOAT64_I
  };
  const gboolean variable = option & SOXR_VR;
  soxr_quality_spec_t quality = soxr_quality_spec (option & 15, option & ~15);
  soxr_io_spec_t io = soxr_io_spec (types[r->format], types[r->format]);
  soxr_error_t error;

  if (variable && r->format != TIMEDSP_F32)
    return FALSE;
  r->state = soxr_create (r->ratio.in, r->ratio.out, r->channels, &error, &io,
      &quality, NULL);
  if (r->state != NULL && variable)
    soxr_set_io_ratio (r->state, (double) r->ratio.in / r->ratio.out, 0);
  return r->state != NULL;
}

static size_t
soxr_run (Resampler * r)
{
  size_t used, made = 0;

  soxr_process (r->state, r->in, BLOCK_FRAMES, &used, r->out, r->out_capacity,
      &made);
  return made;
}

static void
soxr_close (Resampler * r)
{
  soxr_delete (r->state);
}

/* ---- all of them ---------------------------------------------------------- */

#define OURS(name, option) { "ours: " name, ours_open, ours_run, ours_close, option }
#define GST(name, option) { "gst: " name, gst_open, gst_run, gst_close, option }
#define SRC(name, option) { "libsamplerate: " name, src_open, src_run, src_close, option }
#define SOXR(name, option) { "soxr: " name, soxr_open, soxr_run, soxr_close, option }

const ResamplerKind resampler_kinds[] = {
  OURS ("nearest", TIMEDSP_NEAREST),
  OURS ("linear", TIMEDSP_LINEAR),
  OURS ("smooth", TIMEDSP_SMOOTH),
  OURS ("cubic", TIMEDSP_CUBIC),
  OURS ("sinc 4", TIMEDSP_SINC + 16 * 4),
  OURS ("sinc 6", TIMEDSP_SINC + 16 * 6),
  OURS ("sinc 10", TIMEDSP_SINC + 16 * 10),
  GST ("nearest", GST_AUDIO_RESAMPLER_METHOD_NEAREST + 16 * 4),
  GST ("linear", GST_AUDIO_RESAMPLER_METHOD_LINEAR + 16 * 4),
  GST ("cubic", GST_AUDIO_RESAMPLER_METHOD_CUBIC + 16 * 4),
  GST ("kaiser 4", GST_AUDIO_RESAMPLER_METHOD_KAISER + 16 * 4),
  GST ("kaiser 10", GST_AUDIO_RESAMPLER_METHOD_KAISER + 16 * 10),
  SRC ("linear", SRC_LINEAR),
  SRC ("fastest", SRC_SINC_FASTEST),
  SRC ("medium", SRC_SINC_MEDIUM_QUALITY),
  SRC ("best", SRC_SINC_BEST_QUALITY),
  SOXR ("HQ", SOXR_HQ),
  SOXR ("VHQ", SOXR_VHQ),
  SOXR ("HQ, variable", SOXR_HQ | SOXR_VR),
};

const int n_resampler_kinds =
    sizeof (resampler_kinds) / sizeof (resampler_kinds[0]);

/* The same noise for all, at half of full scale. */
static void
fill (Resampler * r)
{
  size_t i, n = (size_t) BLOCK_FRAMES * r->channels;
  unsigned seed = 1;

  for (i = 0; i < n; i++) {
    double value;

    seed = seed * 1664525 + 1013904223;
    value = (double) (int) seed / 0x1p32;
    if (r->format == TIMEDSP_S16)
      ((int16_t *) r->in)[i] = 0x7fff * value;
    else if (r->format == TIMEDSP_S32)
      ((int32_t *) r->in)[i] = 0x7fffffff * value;
    else if (r->format == TIMEDSP_F32)
      ((float *) r->in)[i] = value;
    else
      ((double *) r->in)[i] = value;
  }
}

Resampler *
resampler_new (const ResamplerKind * kind, Ratio ratio, TimeDSPFormat format,
    int channels)
{
  Resampler *r = calloc (1, sizeof (Resampler));
  size_t frame_bytes = sample_bytes[format] * channels;

  if (r == NULL)
    return NULL;
  *r = (Resampler) {
  .kind = kind,.ratio = ratio,.format = format,.channels = channels};
  r->out_capacity = (size_t) BLOCK_FRAMES *ratio.out / ratio.in + 1024;
  r->in = malloc (BLOCK_FRAMES * frame_bytes);
  r->out = malloc (r->out_capacity * frame_bytes);
  if (r->in == NULL || r->out == NULL || !kind->open (r, kind->option)) {
    free (r->in);
    free (r->out);
    free (r);
    return NULL;
  }
  fill (r);
  return r;
}

void
resampler_free (Resampler * r)
{
  r->kind->close (r);
  free (r->in);
  free (r->out);
  free (r);
}

double
resampler_step (Resampler * r)
{
  return (double) r->kind->run (r) * r->channels;
}
