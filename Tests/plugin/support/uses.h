/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * uses: a table of all uses of the elements between two pads, with the expected
 * output. laws/uses.c runs each test on all of them, and the fuzzer of the elements
 * uses them, too.
 */

#ifndef RETRO_USES_H
#define RETRO_USES_H

#include "retrotest.h"

G_BEGIN_DECLS

/* The order of the output frames for a stream with one segment. */
typedef enum
{
  RETRO_UP,                     /* all frames, in ascending order */
  RETRO_DOWN,                   /* all frames, the last one first */
  RETRO_BLOCKS,                 /* in each block of RETRO_BLOCK_NS, the last frame
                                 * first */
  RETRO_SCALED                  /* other frames, floor (n × num / den) */
} RetroOrder;

#define RETRO_BLOCK_NS 12500000

typedef struct
{
  const gchar *element;         /* a description for retro_test_new() */
  gdouble rate;                 /* rate of the segment; if it is -1, the last buffer is
                                 * pushed first */
  RetroOrder order;
  guint num, den;               /* length of the output / length of the input */
  gboolean keeps;               /* whether nothing is output before the end */
} RetroUse;

#define RETRO_N_USES 19
extern const RetroUse retro_uses[RETRO_N_USES];

/* Whether one of the elements is a timescale. A timescale accepts only four sample
 * formats. */
gboolean retro_use_scales (const RetroUse * use);

/* Whether the element forwards buffers unchanged (passthrough). */
gboolean retro_use_passes (const RetroUse * use);

/* Number of output frames for @n_frames input frames. */
guint64 retro_use_length (const RetroUse * use, guint64 n_frames);

/* The segment of a stream with frames @first … @first + @n_frames - 1 in the format
 * @info. */
GstSegment retro_use_segment (const RetroUse * use, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

/* Sends caps for @info, and the segment of retro_use_segment(). */
void retro_use_start (const RetroUse * use, RetroTest * t, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

/* Pushes @n_frames frames from @first on, in the order in which upstream would send them,
 * in buffers as in retro_test_push_cut(). Stops at the first flow return that is not OK,
 * and returns it. */
GstFlowReturn retro_use_push (const RetroUse * use, RetroTest * t, guint64 first,
    guint64 n_frames, const gsize * cuts);

/* Appends to @order the expected output frames for @n_frames input frames from @first on in
 * the format @info. */
void retro_use_order (const RetroUse * use, const GstAudioInfo * info,
    GArray * order, guint64 first, guint64 n_frames);

/* Asserts that the output is the expected one for @n_frames input frames from @first
 * on. For RETRO_SCALED, only the number of frames is checked. */
void retro_use_assert (const RetroUse * use, RetroTest * t, guint64 first,
    guint64 n_frames);

/* The output bytes of a new element, after a stream of @n_frames frames from @first
 * on. */
GByteArray *retro_use_alone (const RetroUse * use, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

G_END_DECLS
#endif /* RETRO_USES_H */
