/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestplay: a pipeline of a test source, revbuf and a sink that does not
 * wait for a clock. All that reaches the sink is recorded, and can be stopped
 * at a known frame.
 */

#ifndef RETRO_TEST_PLAY_H
#define RETRO_TEST_PLAY_H

#include "retrotest.h"
#include "retrotestsource.h"

G_BEGIN_DECLS

typedef struct _RetroPlay RetroPlay;

/* Called for each buffer before it is recorded, in the streaming thread;
 * @from and @to count the frames before and after it. */
typedef void (*RetroPlayWatch) (RetroPlay * play, guint64 from, guint64 to);

/**
 * RetroPlay:
 * @out: the output, for the functions of retrotest.h; to be looked at when
 *   nothing flows: it has no harness
 * @revbuf: the element under test
 * @knobs: of the source; to be set before it starts
 * @frames_out: since it started
 * @gate_frames: no buffer comes in when that many are out
 * @forgets: nothing is recorded
 */
struct _RetroPlay
{
  RetroTest out;
  GstElement *pipeline, *revbuf, *sink;
  RetroTestSource *source;
  RetroTestKnobs *knobs;
  RetroPlayWatch watch;
  gpointer watch_data;

  /* under the lock */
  GMutex lock;
  GCond changed;
  guint64 frames_out, gate_frames;
  gboolean forgets;
  gboolean at_gate, flushing, eos;
  guint segments_done, flushes;
};

/* Two channels of S32, no two frames of which are equal, at 8000 frames per
 * second. */
void retro_play_info (GstAudioInfo * info);

/* @description is revbuf with its properties. */
RetroPlay *retro_play_new (const gchar * description,
    const GstAudioInfo * info, guint64 n_frames);

/* … of retro_play_info(). */
RetroPlay *retro_play_new_plain (const gchar * description, guint64 n_frames);

void retro_play_free (RetroPlay * play);

void retro_play_set_state (RetroPlay * play, GstState state);

/* Plays all, until EOS has come. */
void retro_play_run (RetroPlay * play);

/* Opens the gate, until EOS has come. */
void retro_play_finish (RetroPlay * play);

/* Opens the gate up to @gate_frames, and waits until that many are out. */
void retro_play_go_on (RetroPlay * play, guint64 gate_frames);

/* Starts, with the gate at @gate_frames. */
void retro_play_start (RetroPlay * play, guint64 gate_frames);

/* Waits for @n SEGMENT_DONE events. */
void retro_play_wait_segment_done (RetroPlay * play, guint n);

/* Stops the flow, so that the recorded output can be looked at. */
void retro_play_stop (RetroPlay * play);

/* A seek as an application sends it: to the pipeline. */
gboolean retro_play_seek (RetroPlay * play, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop);

void retro_play_set_reverse (RetroPlay * play, gboolean reverse);

/* The sink's answer to a position query; NONE: no answer. */
GstClockTime retro_play_position (RetroPlay * play);
GstClockTime retro_play_duration (RetroPlay * play);

guint64 retro_play_stat (RetroPlay * play, const gchar * name);

/* Waits for a message of @type (transfer full). */
GstMessage *retro_play_wait_message (RetroPlay * play, GstMessageType type);

/* The sentence of the next error or warning, to be freed. */
gchar *retro_play_wait_sentence (RetroPlay * play, GstMessageType type);

/* ---- the output; the plain format only ------------------------------------ */

/* Indices of all frames that came out; G_MAXUINT64: there is no such frame. */
GArray *retro_play_heard (RetroPlay * play);

/**
 * RetroPlayLegs:
 * @RETRO_PLAY_JOINED: each leg continues with the neighbour of the last frame
 * @RETRO_PLAY_LOOPED: a leg may begin anywhere, as if nothing had happened
 * @RETRO_PLAY_SOUGHT: a leg may begin anywhere, which is a discontinuity
 */
typedef enum
{
  RETRO_PLAY_JOINED,
  RETRO_PLAY_LOOPED,
  RETRO_PLAY_SOUGHT
} RetroPlayLegs;

/**
 * retro_play_assert_sound:
 * @n_flushes: flushes that were asked for
 * @legs: how the legs, which have a segment each, belong together
 *
 * Everything fits together: each buffer lies in its segment, running time continues
 * without a gap from one to the next, stream times are those of the frames,
 * neighbouring frames of a leg are neighbours in the stream, the first frame and the
 * first one after a flush are the only discontinuities, and there has been no other
 * flush.
 */
void retro_play_assert_sound (RetroPlay * play, guint n_flushes,
    RetroPlayLegs legs);

G_END_DECLS
#endif /* RETRO_TEST_PLAY_H */
