/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "uses.h"

#include <string.h>

#define CHUNK "revbuf direction=reverse mode=chunk block-time=12500000"

/* if upstream cannot seek, mode=seek collects the stream */
const RetroUse retro_uses[RETRO_N_USES] = {
  {"revbuf", 1, RETRO_UP, 1, 1, FALSE},
  {"revbuf", -1, RETRO_DOWN, 1, 1, FALSE},
  {"revbuf mode=collect", -1, RETRO_DOWN, 1, 1, FALSE},
  {"revbuf direction=reverse", 1, RETRO_DOWN, 1, 1, TRUE},
  {"revbuf direction=reverse mode=collect", 1, RETRO_DOWN, 1, 1, TRUE},
  {"revbuf direction=reverse mode=seek", 1, RETRO_DOWN, 1, 1, TRUE},
  {CHUNK, 1, RETRO_BLOCKS, 1, 1, FALSE},
  {"timescale", 1, RETRO_UP, 1, 1, FALSE},
  {"timescale", -1, RETRO_DOWN, 1, 1, FALSE},
  {"timescale alignment=endpoints", 1, RETRO_UP, 1, 1, TRUE},
  {"timescale factor=1.5", 1, RETRO_SCALED, 3, 2, FALSE},
  {"timescale factor=1.5 interpolation=linear", -1, RETRO_SCALED, 3, 2, FALSE},
  {"timescale factor=3", 1, RETRO_SCALED, 3, 1, FALSE},
  {"timescale factor=0.01 interpolation=linear", 1, RETRO_SCALED, 1, 100,
      FALSE},
  {"timescale factor=0.7", 1, RETRO_SCALED, 7, 10, FALSE},
  {"timescale factor=0.7 alignment=endpoints", 1, RETRO_SCALED, 7, 10, TRUE},
  {"timescale factor=1.5 keep-pitch=true", 1, RETRO_SCALED, 3, 2, FALSE},
  {"timescale rate=2 keep-pitch=true", -1, RETRO_SCALED, 1, 2, FALSE},
  {"timescale semitones=-3", 1, RETRO_SCALED, 1, 1, FALSE}
};

gboolean
retro_use_scales (const RetroUse * use)
{
  return strstr (use->element, "timescale") != NULL;
}

gboolean
retro_use_passes (const RetroUse * use)
{
  return use->order == RETRO_UP && !use->keeps;
}

guint64
retro_use_length (const RetroUse * use, guint64 n_frames)
{
  return n_frames * use->num / use->den;
}

GstSegment
retro_use_segment (const RetroUse * use, const GstAudioInfo * info,
    guint64 first_frame, guint64 n_frames)
{
  return retro_test_segment (use->rate, retro_test_time (info, first_frame),
      use->rate > 0 ? GST_CLOCK_TIME_NONE :
      retro_test_time (info, first_frame + n_frames));
}

void
retro_use_start (const RetroUse * use, RetroTest * t, const GstAudioInfo * info,
    guint64 first_frame, guint64 n_frames)
{
  GstSegment segment;

  retro_test_caps (t, info);
  segment = retro_use_segment (use, &t->info, first_frame, n_frames);
  retro_test_send_segment (t, &segment);
}

GstFlowReturn
retro_use_push (const RetroUse * use, RetroTest * t, guint64 first_frame,
    guint64 n_frames, const gsize * cuts)
{
  guint64 end = first_frame + n_frames, done, i;
  GstFlowReturn ret = GST_FLOW_OK;

  for (done = i = 0; done < n_frames && ret == GST_FLOW_OK; i++) {
    guint64 n = MIN (cuts[i], n_frames - done);

    done += n;
    ret = retro_test_push (t, use->rate < 0 ? end - done :
        first_frame + done - n, n);
    if (cuts[i + 1] == 0)
      i = -1;
  }
  return ret;
}

void
retro_use_order (const RetroUse * use, const GstAudioInfo * info,
    GArray * order, guint64 first_frame, guint64 n_frames)
{
  guint64 block = use->order == RETRO_BLOCKS ?
      MAX (gst_util_uint64_scale_int (RETRO_BLOCK_NS,
          GST_AUDIO_INFO_RATE (info), GST_SECOND), 1) : n_frames;

  if (use->order == RETRO_UP)
    retro_order_up (order, first_frame, n_frames);
  else
    retro_order_chunks (order, first_frame, n_frames, block);
}

void
retro_use_assert (const RetroUse * use, RetroTest * t, guint64 first_frame,
    guint64 n_frames)
{
  GArray *order;

  if (use->order == RETRO_SCALED) {
    fail_unless_equals_uint64 (retro_test_frames_out (t),
        retro_use_length (use, n_frames));
    return;
  }
  order = retro_order_new ();
  retro_use_order (use, &t->info, order, first_frame, n_frames);
  retro_test_assert_order (t, order);
}

GByteArray *
retro_use_alone (const RetroUse * use, const GstAudioInfo * info,
    guint64 first_frame, guint64 n_frames)
{
  RetroTest *t = retro_test_new (use->element);

  retro_use_start (use, t, info, first_frame, n_frames);
  retro_use_push (use, t, first_frame, n_frames, retro_test_cuts[0]);
  return retro_test_end (t);
}
