/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scalestream.h"

#include <gst/check/gstcheck.h>

static const gsize sample_bytes[] = { 2, 4, 4, 8 };

static void
scale (ScaleStream * s, TimeScaleAction * action, const guint8 * buffer)
{
  const guint8 *from = action->source == TIMESCALE_FROM_KEPT ?
      s->kept + s->loaded * s->frame_bytes : buffer;
  const void *in[] = { from == NULL ? NULL :
        from + action->first * s->frame_bytes
  };
  guint8 *memory = NULL;
  void *out[1];

  if (s->most > 0)
    action->capacity = MIN (action->capacity, s->most);
  out[0] = s->place != NULL ? s->place (action->capacity * s->frame_bytes) :
      (memory = g_malloc (action->capacity * s->frame_bytes));
  s->process (action, action->source == TIMESCALE_FROM_NOTHING ? NULL : in,
      out);
  fail_unless_equals_int (action->status, TIMEDSP_OK);
  g_byte_array_append (s->made, out[0], action->frames_made * s->frame_bytes);
  g_free (memory);
}

static void
pass (ScaleStream * s, TimeScaleAction * action, const guint8 * buffer)
{
  const void *in[] = { buffer };

  s->process (action, in, NULL);
  if (action->status == TIMEDSP_OK)
    g_byte_array_append (s->made, buffer, action->frames * s->frame_bytes);
}

static void
act (ScaleStream * s, TimeScaleAction * action, const guint8 * buffer)
{
  switch (action->kind) {
    case TIMESCALE_PREPARE:
      timescale_prepare (action);
      break;
    case TIMESCALE_PASS:
      pass (s, action, buffer);
      break;
    case TIMESCALE_PROCESS:
      scale (s, action, buffer);
      break;
    case TIMESCALE_KEEP:
      s->kept = buffer;
      break;
    case TIMESCALE_LOAD:
      s->loaded = action->first;
      action->frames = s->next - action->first;
      break;
    case TIMESCALE_ASK_DURATION:
      action->duration_ns = TIMEDSP_NO_TIME;
      break;
    default:
      fail_if (action->kind == TIMESCALE_FAIL);
  }
}

static void
run (ScaleStream * s, const TimeScaleInput * input, const guint8 * buffer)
{
  TimeScaleAction *action = timescale_receive (s->session, input, FALSE);

  for (; action != NULL; action = timescale_done (s->session, FALSE))
    act (s, action, buffer);
}

void
scale_stream_open (ScaleStream * s, const TimeDSPConfig * audio)
{
  TimeSegment segment = {.rate = 1,.applied_rate = 1,.stop = TIMEDSP_NO_TIME,
    .duration = TIMEDSP_NO_TIME
  };
  TimeScaleInput input = {.kind = TIMESCALE_SEGMENT,.segment = &segment };

  if (s->process == NULL)
    s->process = timescale_process;
  s->settings.interpolation = audio->interpolation;
  s->settings.quality = audio->quality;
  s->frame_bytes = sample_bytes[audio->format] * audio->channels;
  s->made = g_byte_array_new ();
  s->session = timescale_new ();
  timescale_configure (s->session, &s->settings);
  timescale_format (s->session, audio, s->rate);
  run (s, &input, NULL);
}

void
scale_stream_feed (ScaleStream * s, gconstpointer in, gsize frames)
{
  TimeScaleInput input = {.kind = TIMESCALE_BUFFER };

  input.buffer.pts_ns = s->next * 1000000000 / s->rate;
  input.buffer.duration_ns = frames * 1000000000 / s->rate;
  input.buffer.frames = frames;
  input.buffer.sent_stop_ns = TIMEDSP_NO_TIME;
  s->next += frames;
  run (s, &input, in);
}

GByteArray *
scale_stream_close (ScaleStream * s)
{
  TimeScaleInput input = {.kind = TIMESCALE_END };

  run (s, &input, NULL);
  timescale_free (s->session);
  return s->made;
}
