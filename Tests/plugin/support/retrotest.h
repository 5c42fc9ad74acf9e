/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotest: functions that the tests of the elements share. An element stands between
 * two pads; everything that leaves it is recorded in order. The bytes of a pushed frame
 * are a function of its index, so a lost, doubled or misplaced frame shows.
 *
 * A trap: the fail_unless_equals_… macros have variables `first` and `second`
 * of their own, so these names must not stand in their arguments.
 */

#ifndef RETRO_TEST_H
#define RETRO_TEST_H

#include <gst/audio/audio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

/* A successful assertion would be written into a file, to find the last one after a
 * crash; a million samples are checked one by one. */
#define _mark_point(file, line) ((void) 0)

G_BEGIN_DECLS

typedef struct _RetroTest RetroTest;

/* Called for each buffer that leaves, in the streaming thread. */
typedef void (*RetroTestWatch) (RetroTest * t, GstBuffer * buffer);

struct _RetroTest
{
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
  GstAudioInfo info;            /* of what is pushed now */
  GPtrArray *items;             /* of GstBuffer and GstEvent, as they left */
  RetroTestWatch watch;
  gpointer watch_data;
};

/* ---- an element under test ---------------------------------------------- */

/* @description is one element with its properties, or several of them, as
 * gst-launch-1.0 takes them. Upstream is not live. */
RetroTest *retro_test_new (const gchar * description);
void retro_test_free (RetroTest * t);

/* ---- pushing ------------------------------------------------------------ */

void retro_test_info (GstAudioInfo * info, GstAudioFormat format,
    GstAudioLayout layout, gint rate, gint channels);

/* One channel of S16 at 8000 frames per second: 125 us each, without rest. */
#define PLAIN_RATE 8000
#define PLAIN_NS(n_frames) \
    ((GstClockTime) (n_frames) * (GST_SECOND / PLAIN_RATE))
void retro_test_plain_info (GstAudioInfo * info);

/* Sends caps of @info. */
void retro_test_caps (RetroTest * t, const GstAudioInfo * info);

/* A TIME segment. */
GstSegment retro_test_segment (gdouble rate, GstClockTime start,
    GstClockTime stop);

/* Sends @segment; its seqnum. */
guint32 retro_test_send_segment (RetroTest * t, const GstSegment * segment);

/* Caps and segment of a stream. */
void retro_test_start (RetroTest * t, const GstAudioInfo * info,
    gdouble rate, GstClockTime start, GstClockTime stop);

/* Bytes of frame @index, interleaved. Native floats are in -1 … 1. */
void retro_test_frame (const GstAudioInfo * info, guint64 index,
    guint8 * frame);

/* Frames @first … @first + @n_frames - 1, stamped with their times. */
GstBuffer *retro_test_buffer (const GstAudioInfo * info, guint64 first,
    gsize n_frames);

/* A buffer with these @samples, interleaved numbers in the format of @info. */
GstBuffer *retro_test_buffer_of (const GstAudioInfo * info,
    gconstpointer samples, gsize n_frames, GstClockTime pts);

GstFlowReturn retro_test_push (RetroTest * t, guint64 first, gsize n_frames);

/* Ways of cutting a stream into buffers, for retro_test_push_cut(). */
#define RETRO_TEST_N_CUTS 6
extern const gsize retro_test_cuts[RETRO_TEST_N_CUTS][5];

/* Pushes @n_frames from @first on, cut into buffers of these sizes, again and
 * again; a 0 ends the list. */
void retro_test_push_cut (RetroTest * t, guint64 first, gsize n_frames,
    const gsize * sizes);

/* Pushes @n_frames as a stream that plays backwards has them: buffers of
 * @block frames, the last one first. */
void retro_test_push_backwards (RetroTest * t, gsize n_frames, gsize block);

gboolean retro_test_eos (RetroTest * t);
void retro_test_flush (RetroTest * t);

/* A TAG event with this title. */
void retro_test_send_tag (RetroTest * t, const gchar * title);

/* Takes the element to READY and back, and begins a new stream. */
void retro_test_restart (RetroTest * t);

/* Time of frame @index at the rate of @info. */
GstClockTime retro_test_time (const GstAudioInfo * info, guint64 index);

/* ---- the output ----------------------------------------------------------- */

/* Forgets what has been recorded. */
void retro_test_clear (RetroTest * t);

guint retro_test_n_buffers (RetroTest * t);
GstBuffer *retro_test_nth_buffer (RetroTest * t, guint n);
guint retro_test_n_events (RetroTest * t, GstEventType type);
GstEvent *retro_test_nth_event (RetroTest * t, GstEventType type, guint n);

/* The nth segment that left. */
GstSegment retro_test_nth_segment (RetroTest * t, guint n);
guint32 retro_test_nth_seqnum (RetroTest * t, guint n);

/* Place of the nth event of @type among all items; of the nth buffer. */
gint retro_test_place_of_event (RetroTest * t, GstEventType type, guint n);
gint retro_test_place_of_buffer (RetroTest * t, guint n);

gsize retro_test_buffer_frames (RetroTest * t, GstBuffer * buffer);
guint64 retro_test_frames_out (RetroTest * t);

/* All samples that left, interleaved. */
GByteArray *retro_test_bytes (RetroTest * t);
/* They are those of @a, then those of @b (nullable), both transfer full. */
void retro_test_assert_bytes (RetroTest * t, GByteArray * a, GByteArray * b);
GByteArray *retro_test_buffer_bytes (const GstAudioInfo * info,
    GstBuffer * buffer);

/* The nth message of @type on the bus; the bus is emptied by the first look. */
GstMessage *retro_test_pop_message (RetroTest * t, GstMessageType type);

/* Takes the error message, which must be there: of the resource domain, with
 * @code and a sentence that contains @words. */
void retro_test_assert_error (RetroTest * t, gint code, const gchar * words);

/* ---- the expected order of frames --------------------------------------- */

/* A list of frame indices, written down by the test. */
GArray *retro_order_new (void);
void retro_order_up (GArray * order, guint64 first, guint64 n_frames);
void retro_order_down (GArray * order, guint64 first, guint64 n_frames);

/* All that left, frame for frame, is @order (transfer full). */
void retro_test_assert_order (RetroTest * t, GArray * order);

/* All that left is frames @first + @n_frames - 1 … @first. */
void retro_test_assert_down (RetroTest * t, guint64 first, guint64 n_frames);
void retro_test_assert_up (RetroTest * t, guint64 first, guint64 n_frames);

/* Buffers @first … @first + @n - 1 follow one another from @t0 on: timestamps
 * are t0 + scale_int (frames since), durations and offsets fit, and of the
 * flags only the first buffer has DISCONT. */
void retro_test_assert_run (RetroTest * t, guint first, guint n,
    GstClockTime t0);

/* All that left is one such run. */
void retro_test_assert_perfect (RetroTest * t, GstClockTime t0);

/* ---- upstream ----------------------------------------------------------- */

/* Answers queries of the element under test for TIME as upstream would; NONE: upstream
 * does not know. */
void retro_test_answer_queries (RetroTest * t, GstClockTime duration,
    GstClockTime position);

/* The same for the latency of a live source. */
void retro_test_answer_latency (RetroTest * t, GstClockTime min,
    GstClockTime max);

/* Sends a seek of TIME format; returns the event that arrives upstream of it. */
GstEvent *retro_test_seek (RetroTest * t, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop);

/* Asks the element; NONE: no answer. */
GstClockTime retro_test_position (RetroTest * t);
GstClockTime retro_test_duration (RetroTest * t);

/* The number of that name in its stats. */
guint64 retro_test_stat (RetroTest * t, const gchar * name);

/* ---- a folder of its own ------------------------------------------------ */

gchar *retro_test_make_folder (void);
void retro_test_remove_folder (gchar * folder);
guint retro_test_files_in (const gchar * folder);

/* Open files of this process that were made in @folder and have no name. */
guint retro_test_nameless_files_of (const gchar * folder);

/* The sum of their sizes. */
guint64 retro_test_nameless_bytes_of (const gchar * folder);

/* ---- running ------------------------------------------------------------ */

/* Makes GStreamer's own elements available, for a pipeline. */
void retro_test_load_core (void);

G_END_DECLS
#endif /* RETRO_TEST_H */
