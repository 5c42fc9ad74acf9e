/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotest: functions for the tests of the elements. An element is tested between two
 * pads; all its output is recorded in order. The bytes of a pushed frame are a function
 * of its index, so a lost, repeated or misplaced frame is detected.
 *
 * Note: the fail_unless_equals_… macros define variables named `first` and `second`, so
 * these names must not be used in their arguments.
 */

#ifndef RETRO_TEST_H
#define RETRO_TEST_H

#include <gst/audio/audio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

/* By default, Check records every successful assertion in a file, to report the last
 * one before a crash. This is too slow here, because the tests check a million samples
 * one by one. */
#define _mark_point(file, line) ((void) 0)

G_BEGIN_DECLS

typedef struct _RetroTest RetroTest;

/* Called for each output buffer, in the streaming thread. */
typedef void (*RetroTestWatch) (RetroTest * t, GstBuffer * buffer);

struct _RetroTest
{
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
  GstAudioInfo info;            /* the format of the buffers that are pushed now */
  GPtrArray *items;             /* the output: GstBuffer and GstEvent, in order */
  RetroTestWatch watch;
  gpointer watch_data;
};

/* ---- tests --------------------------------------------------------------- */

/* Returns TRUE if all cases of each test are run, not just some (RETROGRADE_LONG=1). */
gboolean retro_test_is_long (void);

/* Adds @n cases of a test to the program. A short run only runs @n_short of them. */
void retro_test_add (const gchar * file, const gchar * name, TFun function,
    guint n_short, guint n);

/* TEST (its_name) begins a test. LOOP_TEST (its_name, n) begins a test that is run with each
 * value of __i__ from 0 to n - 1, and SOME_TEST (its_name, n_short, n) one that is run with
 * n_short of these values, or with all of them in a long run. */
#define TEST(name) SOME_TEST (name, 1, 1)
#define LOOP_TEST(name, n) SOME_TEST (name, n, n)
#define SOME_TEST(name, n_short, n) \
static void name##_body (int __i__); \
static void \
name (int __i__) \
{ \
  GST_DEBUG ("test start"); \
  tcase_fn_start (#name, __FILE__, __LINE__); \
  name##_body (__i__); \
  gst_task_cleanup_all (); \
} \
static void __attribute__((constructor)) \
name##_add (void) \
{ \
  retro_test_add (__FILE__, #name, name, n_short, n); \
} \
static void \
name##_body (int __i__ G_GNUC_UNUSED)

/* ---- an element under test ---------------------------------------------- */

/* Creates a test. @description is one or more elements with their properties,
 * as for gst-launch-1.0. Upstream is not live. */
RetroTest *retro_test_new (const gchar * description);
void retro_test_free (RetroTest * t);

/* AUTO_TEST t = retro_test_new (…) is freed at the end of its block. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RetroTest, retro_test_free)
#define AUTO_TEST g_autoptr (RetroTest)

/* ---- pushing ------------------------------------------------------------ */

#define INTERLEAVED GST_AUDIO_LAYOUT_INTERLEAVED
#define PLANAR GST_AUDIO_LAYOUT_NON_INTERLEAVED

GstAudioInfo retro_test_info (GstAudioFormat format, GstAudioLayout layout,
    gint rate, gint channels);

/* One channel of S16 at 8000 frames per second: a frame lasts exactly 125 us. */
#define PLAIN_RATE 8000
#define PLAIN_NS(n_frames) \
    ((GstClockTime) (n_frames) * (GST_SECOND / PLAIN_RATE))
GstAudioInfo retro_test_plain_info (void);

/* Sends caps. If @info is NULL, here and below, the format is the plain one. */
void retro_test_caps (RetroTest * t, const GstAudioInfo * info);

/* A segment in TIME format. */
GstSegment retro_test_segment (gdouble rate, GstClockTime start,
    GstClockTime stop);

/* Sends @segment, after plain caps if there were no caps; returns its sequence number. */
guint32 retro_test_send_segment (RetroTest * t, const GstSegment * segment);

/* Sends caps and a segment. */
void retro_test_start (RetroTest * t, const GstAudioInfo * info,
    gdouble rate, GstClockTime start, GstClockTime stop);

/* Creates a test, and sends plain caps and a segment from 0 to @stop, which may be NONE. */
RetroTest *retro_test_plain (const gchar * description, gdouble rate,
    GstClockTime stop);

/* Sets @frame to the bytes of frame @index, interleaved. Samples of native float
 * formats are in -1 … 1. */
void retro_test_frame (const GstAudioInfo * info, guint64 index,
    guint8 * frame);

/* A buffer with frames @first … @first + @n_frames - 1 and the timestamp of the first
 * one. */
GstBuffer *retro_test_buffer (const GstAudioInfo * info, guint64 first,
    gsize n_frames);

/* A buffer with these @samples, which are interleaved in the format of @info. */
GstBuffer *retro_test_buffer_of (const GstAudioInfo * info,
    gconstpointer samples, gsize n_frames, GstClockTime pts);

GstFlowReturn retro_test_push (RetroTest * t, guint64 first, gsize n_frames);

/* Pushes a buffer with this flag. */
GstFlowReturn retro_test_push_flagged (RetroTest * t, GstBufferFlags flag,
    guint64 first, gsize n_frames);

/* Sends a GAP event for the plain frames @first … @first + @n_frames - 1. */
void retro_test_push_gap (RetroTest * t, guint64 first, guint64 n_frames);

/* Lists of buffer sizes for retro_test_push_cut(). */
#define RETRO_TEST_N_CUTS 6
extern const gsize retro_test_cuts[RETRO_TEST_N_CUTS][5];

/* Pushes @n_frames frames from @first on, in buffers of @sizes frames. The list @sizes
 * ends with 0, and is repeated. */
void retro_test_push_cut (RetroTest * t, guint64 first, gsize n_frames,
    const gsize * sizes);

/* Pushes @n_frames frames as in a stream that plays backwards: in buffers of
 * @block frames, the last one first. */
void retro_test_push_backwards (RetroTest * t, gsize n_frames, gsize block);

gboolean retro_test_eos (RetroTest * t);
void retro_test_flush (RetroTest * t);

/* Sends a TAG event with this title. */
void retro_test_send_tag (RetroTest * t, const gchar * title);

/* Sets the element to READY and back, and begins a new stream. */
void retro_test_restart (RetroTest * t);

/* The time of frame @index at the rate of @info. */
GstClockTime retro_test_time (const GstAudioInfo * info, guint64 index);

/* ---- the output ----------------------------------------------------------- */

/* Discards the recorded output. */
void retro_test_clear (RetroTest * t);

guint retro_test_n_buffers (RetroTest * t);
GstBuffer *retro_test_nth_buffer (RetroTest * t, guint n);
guint retro_test_n_events (RetroTest * t, GstEventType type);
GstEvent *retro_test_nth_event (RetroTest * t, GstEventType type, guint n);

/* Segment number @n of the output, and the sequence number of its event. */
GstSegment retro_test_nth_segment (RetroTest * t, guint n);
guint32 retro_test_nth_seqnum (RetroTest * t, guint n);

GstSegment retro_test_last_segment (RetroTest * t);

/* Running time of the first buffer, in the last segment. */
GstClockTime retro_test_running_begin (RetroTest * t);

/* Asserts that event number 0 of the type @before was sent before that of the type @after. */
void retro_test_assert_event_order (RetroTest * t, GstEventType before,
    GstEventType after);

/* Index among all output items of event number @n of this type, or of buffer number
 * @n. */
gint retro_test_place_of_event (RetroTest * t, GstEventType type, guint n);
gint retro_test_place_of_buffer (RetroTest * t, guint n);

gsize retro_test_buffer_frames (RetroTest * t, GstBuffer * buffer);
guint64 retro_test_frames_out (RetroTest * t);

/* Number of output frames that remain if an element clips the output to its segments. */
guint64 retro_test_clipped_frames (RetroTest * t);

/* All output samples, interleaved. */
GByteArray *retro_test_bytes (RetroTest * t);
/* Asserts that the output consists of the samples in @a, then those in @b (nullable), both
 * transfer full. */
void retro_test_assert_bytes (RetroTest * t, GByteArray * a, GByteArray * b);
/* Sends EOS, frees @t, and returns all output samples. */
GByteArray *retro_test_end (RetroTest * t);
/* A hash of all output samples, interleaved. Must be freed. */
gchar *retro_test_hash (RetroTest * t);
GByteArray *retro_test_buffer_bytes (const GstAudioInfo * info,
    GstBuffer * buffer);

/* The next message of @type on the bus. All other messages before it are discarded. */
GstMessage *retro_test_pop_message (RetroTest * t, GstMessageType type);

/* Removes all messages of @type from the bus, and all messages before the last one. Returns
 * their number. */
guint retro_test_take_messages (RetroTest * t, GstMessageType type);

/* Asserts that there is an error message in the resource domain, with @code and
 * a text that contains @words; removes it from the bus. */
void retro_test_assert_error (RetroTest * t, gint code, const gchar * words);

/* ---- the expected order of frames --------------------------------------- */

/* A list of the frame indices that the test expects. _up() appends @n_frames indices from
 * @first on, and _down() appends the same indices in descending order. */
GArray *retro_order_new (void);
void retro_order_up (GArray * order, guint64 first, guint64 n_frames);
void retro_order_down (GArray * order, guint64 first, guint64 n_frames);

/* Appends the frames @first … @first + @n_frames - 1, reversed in blocks of @block_frames. */
void retro_order_chunks (GArray * order, guint64 first, guint64 n_frames,
    guint64 block_frames);

/* Asserts that the output consists of the frames in @order (transfer full). */
void retro_test_assert_order (RetroTest * t, GArray * order);

/* Asserts that the output consists of these runs of frames: UP (first, n_frames), or DOWN,
 * whose last frame is @first. */
#define UP(first, n_frames) (guint64) (first), (gint64) (n_frames)
#define DOWN(first, n_frames) (guint64) (first), -(gint64) (n_frames)
#define retro_test_assert_runs(t, ...) \
    retro_test_assert_order (t, retro_order_of (__VA_ARGS__, G_MAXUINT64))
GArray *retro_order_of (guint64 first, ...);

/* Asserts that the output consists of @n_frames frames from @first on, in descending order,
 * or for _up in ascending order. */
void retro_test_assert_down (RetroTest * t, guint64 first, guint64 n_frames);
void retro_test_assert_up (RetroTest * t, guint64 first, guint64 n_frames);

/* Asserts that the buffers @first … @first + @n - 1 are contiguous from @t0 on:
 * timestamps are t0 + the duration of all previous frames, durations and offsets
 * are consistent, and only the first buffer has DISCONT. */
void retro_test_assert_run (RetroTest * t, guint first, guint n,
    GstClockTime t0);

/* Asserts that all buffers of the output are contiguous from @t0 on, as above. */
void retro_test_assert_perfect (RetroTest * t, GstClockTime t0);

/* ---- upstream ----------------------------------------------------------- */

/* Answers the duration and position queries of the element in TIME format, as upstream
 * would. NONE means that upstream cannot answer. */
void retro_test_answer_queries (RetroTest * t, GstClockTime duration,
    GstClockTime position);

/* Answers the latency query, as a live source would. */
void retro_test_answer_latency (RetroTest * t, GstClockTime min,
    GstClockTime max);

/* Sends a seek in TIME format; returns the event that arrives upstream. */
GstEvent *retro_test_seek (RetroTest * t, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop);

/* Sends @seek (transfer full) with an interval for trick modes. Asserts that a seek arrives
 * upstream with that interval and its number. */
void retro_test_assert_keeps_interval (RetroTest * t, GstEvent * seek);

/* Queries the element. NONE if there is no answer. */
GstClockTime retro_test_position (RetroTest * t);
GstClockTime retro_test_duration (RetroTest * t);

/* The number with this name in the property "stats". */
guint64 retro_test_stat (RetroTest * t, const gchar * name);

/* ---- other formats than TIME ---------------------------------------------- */

/* BYTES and DEFAULT. */
#define RETRO_TEST_N_UNTIMED 2
extern const GstFormat retro_test_untimed[RETRO_TEST_N_UNTIMED];

/* Sends plain caps and a segment in @format, as appsrc or filesrc would. */
GstSegment retro_test_start_untimed (RetroTest * t, GstFormat format);

/* A buffer of 100 frames without a timestamp. */
GstBuffer *retro_test_untimed_buffer (RetroTest * t, guint64 first);

/* Sends a segment in @format, buffers and EOS. Asserts that they pass, and that nothing is
 * reported. */
void retro_test_assert_untimed_passes (RetroTest * t, GstFormat format);

/* Asserts that the next error says that timestamps are missing. */
void retro_test_assert_asks_for_times (RetroTest * t);

/* Upstream's answers. */
typedef struct
{
  gint64 position_frames, duration_frames;
  gint frame_bytes;
} RetroTestAnswers;

/* A probe that answers position and duration like a parser, which knows all formats. @data:
 * RetroTestAnswers. */
GstPadProbeReturn retro_test_answer_formats (GstPad * pad,
    GstPadProbeInfo * info, gpointer data);

/* gst_pad_query_position() or gst_pad_query_duration(). */
typedef gboolean (*RetroTestQuery) (GstPad * pad, GstFormat format,
    gint64 * value);

/* Asserts that @element answers in all formats with the same position, within @slack_frames of
 * @frames. */
void retro_test_assert_answers (GstElement * element, RetroTestQuery query,
    gint64 frames, gint64 slack_frames, gint frame_bytes);

/* ---- metas ---------------------------------------------------------------- */

/* Custom metas with different tags, and whether an element that changes the number of frames may
 * keep them. */
typedef struct
{
  const gchar *name;
  const gchar *tags[3];
  gboolean survives;
} RetroTestMeta;

#define RETRO_TEST_N_METAS 4
extern const RetroTestMeta retro_test_metas[RETRO_TEST_N_METAS];

/* Adds all of them to @buffer. */
void retro_test_add_metas (GstBuffer * buffer);

/* Adds a reference timestamp to @buffer, or returns it. NONE if there is none. */
void retro_test_add_reference (GstBuffer * buffer, GstClockTime timestamp);
GstClockTime retro_test_reference_of (GstBuffer * buffer);

/* ---- a temporary folder ------------------------------------------------ */

gchar *retro_test_make_folder (void);
void retro_test_remove_folder (gchar * folder);

/* AUTO_FOLDER folder = retro_test_make_folder () is removed at the end of its block. */
void retro_test_auto_folder (gchar ** folder);
#define AUTO_FOLDER __attribute__((cleanup (retro_test_auto_folder))) gchar *
guint retro_test_files_in (const gchar * folder);

/* Number of open files of this process that were created in @folder without a name. */
guint retro_test_nameless_files_of (const gchar * folder);

/* Total size of the files that retro_test_nameless_files_of() counts. */
guint64 retro_test_nameless_bytes_of (const gchar * folder);

/* ---- running ------------------------------------------------------------ */

/* Makes the core elements of GStreamer available for a pipeline. */
void retro_test_load_core (void);

G_END_DECLS
#endif /* RETRO_TEST_H */
