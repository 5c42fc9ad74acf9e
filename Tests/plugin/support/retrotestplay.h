/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestplay: a pipeline with a test source, revbuf and a sink that does not
 * wait for a clock. Everything that reaches the sink is recorded, and the sink
 * can be blocked at a given frame.
 */

#ifndef RETRO_TEST_PLAY_H
#define RETRO_TEST_PLAY_H

#include "retrotest.h"
#include "retrotestsource.h"

G_BEGIN_DECLS

typedef struct _RetroPlay RetroPlay;

/* Called for each buffer before it is recorded, in the streaming thread. @from and @to
 * are the numbers of frames that have been output before and after the buffer. */
typedef void (*RetroPlayWatch) (RetroPlay * play, guint64 from, guint64 to);

/**
 * RetroPlay:
 * @out: the output, for the functions of retrotest.h that don't need a harness. Only use it when
 *   no data flows
 * @revbuf: the element under test
 * @knobs: the settings of the source, which must be set before it starts
 * @frames_out: number of frames since the start
 * @gate_frames: when this many frames have been output, the next buffer is blocked
 * @forgets: whether the output is discarded instead of recorded
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

/* The plain format: two channels of S32 at 8000 frames per second. No two
 * frames are equal. */
GstAudioInfo retro_play_info (void);

/* Creates a pipeline. @description is revbuf with its properties. */
RetroPlay *retro_play_new (const gchar * description,
    const GstAudioInfo * info, guint64 n_frames);

/* Creates a pipeline with the format of retro_play_info(). */
RetroPlay *retro_play_new_plain (const gchar * description, guint64 n_frames);

void retro_play_free (RetroPlay * play);

/* AUTO_PLAY play = retro_play_new (…) is freed at the end of its block. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RetroPlay, retro_play_free)
#define AUTO_PLAY g_autoptr (RetroPlay)

void retro_play_set_state (RetroPlay * play, GstState state);

/* Plays until EOS. */
void retro_play_run (RetroPlay * play);

/* Opens the gate, and waits until EOS. */
void retro_play_finish (RetroPlay * play);

/* Plays until EOS. Asserts that it comes before @n_frames frames have been output, so that a test
 * of output that might not end is short. */
void retro_play_run_within (RetroPlay * play, guint64 n_frames);

/* Moves the gate to @gate_frames, and waits until this many frames have been output. */
void retro_play_go_on (RetroPlay * play, guint64 gate_frames);

/* Starts with the gate at @gate_frames, and waits until the gate is reached. */
void retro_play_start (RetroPlay * play, guint64 gate_frames);

/* Waits for @n SEGMENT_DONE events. */
void retro_play_wait_segment_done (RetroPlay * play, guint n);

/* Sets PAUSED, and waits until the sink has its first buffer. */
void retro_play_pause (RetroPlay * play);

/* Stops the data flow, discards the recorded output and all messages, so that the same
 * pipeline can play again. */
void retro_play_rewind (RetroPlay * play);

/* Stops the data flow, so that the recorded output can be used. */
void retro_play_stop (RetroPlay * play);

/* Adds a probe to the static pad @pad of @element. */
void retro_play_probe (gpointer element, const gchar * pad,
    GstPadProbeType type, GstPadProbeCallback callback, gpointer data);

/* Inserts @element between revbuf and the sink. */
void retro_play_insert (RetroPlay * play, GstElement * element);

/* Sends a seek to the pipeline, as an application does. */
gboolean retro_play_seek (RetroPlay * play, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop);

void retro_play_set_reverse (RetroPlay * play, gboolean reverse);

/* The answer of the sink to a position query. NONE if there is none. */
GstClockTime retro_play_position (RetroPlay * play);
GstClockTime retro_play_duration (RetroPlay * play);

guint64 retro_play_stat (RetroPlay * play, const gchar * name);

/* Waits for a message of @type (transfer full). */
GstMessage *retro_play_wait_message (RetroPlay * play, GstMessageType type);

/* Waits for an error or a warning; returns its text, which must be freed. */
gchar *retro_play_wait_sentence (RetroPlay * play, GstMessageType type);

/* The text of the next error or warning that is on the bus. NULL if there is none. */
gchar *retro_play_pop_sentence (RetroPlay * play, GstMessageType type);

/* Waits for an error or a warning. Asserts that its text contains @words. */
void retro_play_assert_says (RetroPlay * play, GstMessageType type,
    const gchar * words);

/* Waits for an error or a warning whose details give @reason (transfer full). Sets @details to the
 * details, which belong to the message. */
GstMessage *retro_play_wait_report (RetroPlay * play, GstMessageType type,
    const gchar * reason, const GstStructure ** details);

/* Waits for such a report. Asserts that its text contains @words, too. */
void retro_play_assert_reports (RetroPlay * play, GstMessageType type,
    const gchar * reason, const gchar * words);

/* ---- the output; only in the plain format ----------------------------------- */

/* Index in the stream of each frame that was output. G_MAXUINT64 for bytes that are
 * not a frame of the stream. */
GArray *retro_play_heard (RetroPlay * play);

/**
 * RetroPlayLegs:
 * @RETRO_PLAY_JOINED: each leg begins with a neighbour of the last frame of the previous leg
 * @RETRO_PLAY_LOOPED: a leg may begin anywhere, without a discontinuity
 * @RETRO_PLAY_SOUGHT: a leg may begin anywhere, with a discontinuity
 *
 * How the output continues from one leg to the next. A leg is the part of the
 * output that belongs to one segment.
 */
typedef enum
{
  RETRO_PLAY_JOINED,
  RETRO_PLAY_LOOPED,
  RETRO_PLAY_SOUGHT
} RetroPlayLegs;

/**
 * retro_play_assert_sound:
 * @n_flushes: number of flushes that the test has caused
 * @legs: how the first frame of a leg follows the previous leg
 *
 * Asserts that the output is consistent: each buffer is in its segment, running
 * time is continuous from one buffer to the next, stream times are those of the
 * frames, successive frames in a leg (see RetroPlayLegs) are neighbours in the
 * stream, only the first frame and the first one after a flush are
 * discontinuities, and there was no other flush.
 */
void retro_play_assert_sound (RetroPlay * play, guint n_flushes,
    RetroPlayLegs legs);

/* ---- seeks and their output ----------------------------------------------- */

/* Seeks to the frames [@first, @end); if @end is -1, the seek does not set the stop. */
gboolean retro_play_seek_to (RetroPlay * play, gdouble rate,
    GstSeekFlags flags, gint64 first, gint64 end);

/* Returns the frames that were output since the last flush. If @legs is TRUE,
 * returns only the frames since the last segment, even if there was no flush. */
GArray *retro_play_heard_since (RetroPlay * play, gboolean legs);

/* Asserts that the frames [@first, @end) were output after the last seek, in descending
 * order if @backward is TRUE. */
void retro_play_assert_heard (RetroPlay * play, gboolean flushed,
    gboolean backward, guint64 first, guint64 end);

/* Asserts the frames after the last seek, and that the output is consistent. Frees @play. */
void retro_play_assert_played (RetroPlay * play, guint n_flushes,
    gboolean backward, guint64 first, guint64 end);

/* Plays to the end, and asserts the same. */
void retro_play_finish_with (RetroPlay * play, guint n_flushes,
    gboolean backward, guint64 first, guint64 end);

G_END_DECLS
#endif /* RETRO_TEST_PLAY_H */
