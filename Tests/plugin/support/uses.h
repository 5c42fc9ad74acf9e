/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * uses: every use of the elements between two pads, with the expected output.
 * laws/uses.c tests each law on all of them, and the fuzzer of the elements takes its
 * streams from here, too.
 */

#ifndef RETRO_USES_H
#define RETRO_USES_H

#include "retrotest.h"

G_BEGIN_DECLS

/* Which frames leave, of a stream of one segment. */
typedef enum
{
  RETRO_UP,                     /* all of them, as they came in time */
  RETRO_DOWN,                   /* all of them, the last one first */
  RETRO_BLOCKS,                 /* the same in each block of RETRO_BLOCK_NS */
  RETRO_SCALED                  /* others: floor (n × num / den) */
} RetroOrder;

#define RETRO_BLOCK_NS 12500000

typedef struct
{
  const gchar *element;         /* as for retro_test_new() */
  gdouble rate;                 /* of its segment; -1: the last buffer comes first */
  RetroOrder order;
  guint num, den;               /* length of the output by that of the input */
  gboolean keeps;               /* nothing leaves before the end of the stream */
} RetroUse;

#define RETRO_N_USES 19
extern const RetroUse retro_uses[RETRO_N_USES];

/* Whether a timescale is in it, which takes four formats. */
gboolean retro_use_scales (const RetroUse * use);

/* Whether buffers go through untouched. */
gboolean retro_use_passes (const RetroUse * use);

/* Frames that leave of @n_frames. */
guint64 retro_use_length (const RetroUse * use, guint64 n_frames);

/* The segment of a stream of frames @first … @first + @n_frames - 1 of @info. */
GstSegment retro_use_segment (const RetroUse * use, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

/* Sends caps of @info and this segment. */
void retro_use_start (const RetroUse * use, RetroTest * t, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

/* Pushes these frames, cut as by retro_test_push_cut(), in the order in which they
 * arrive. The first flow return that is not OK ends it. */
GstFlowReturn retro_use_push (const RetroUse * use, RetroTest * t, guint64 first,
    guint64 n_frames, const gsize * cuts);

/* Appends to @order the output for these frames, whose format is @info. */
void retro_use_order (const RetroUse * use, const GstAudioInfo * info,
    GArray * order, guint64 first, guint64 n_frames);

/* All that has left is what becomes of these frames; of frames that are scaled, their
 * number. */
void retro_use_assert (const RetroUse * use, RetroTest * t, guint64 first,
    guint64 n_frames);

/* The bytes that a stream of these frames becomes in an element of its own. */
GByteArray *retro_use_alone (const RetroUse * use, const GstAudioInfo * info,
    guint64 first, guint64 n_frames);

G_END_DECLS
#endif /* RETRO_USES_H */
