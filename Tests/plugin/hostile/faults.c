/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Threads, file accesses and allocations that fail, and refused buffers. This program replaces
 * functions of the C library with ones that fail.
 */

#define _GNU_SOURCE
#include "retrotestplay.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_FRAMES 400000         /* of 8 bytes: a little more than three blocks of the frame
                                 * store */

/* ---- failures of the system ------------------------------------------------- */

static gint no_threads;         /* atomic */
static gint writes_left = G_MAXINT, reads_left = G_MAXINT;
static gint write_errno, read_errno;
static gint dies_at_unlink;
static gint interrupted, piecewise;

typedef int (*CreateFunc) (pthread_t *, const pthread_attr_t *,
    void *(*)(void *), void *);
typedef ssize_t (*WriteFunc) (int, const void *, size_t, off64_t);
typedef ssize_t (*ReadFunc) (int, void *, size_t, off64_t);
typedef int (*UnlinkFunc) (const char *);

/* Returns the function that is replaced here: the sanitizer's interceptor if there is
 * one, otherwise the C library's function. */
static gpointer
real (const gchar * name)
{
  gchar its[64];
  gpointer function;

  g_snprintf (its, sizeof (its), "__interceptor_%s", name);
  function = dlsym (RTLD_DEFAULT, its);
  return function != NULL ? function : dlsym (RTLD_NEXT, name);
}

int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*function) (void *), void *data)
{
  CreateFunc create = (CreateFunc) real ("pthread_create");

  if (g_atomic_int_get (&no_threads))
    return EAGAIN;
  return create (thread, attributes, function, data);
}

/* The size of the next read or write. If `piecewise` is set, only a part of the bytes is
 * read or written, and every other call is interrupted. */
static gsize
next_piece (size_t bytes)
{
  return piecewise ? MIN (bytes, 4000) : bytes;
}

ssize_t
pwrite64 (int fd, const void *bytes, size_t n, off64_t offset)
{
  WriteFunc write = (WriteFunc) real ("pwrite64");

  if (piecewise && (interrupted = !interrupted)) {
    errno = EINTR;
    return -1;
  }
  if (writes_left-- <= 0) {
    errno = write_errno;
    return -1;
  }
  return write (fd, bytes, next_piece (n), offset);
}

ssize_t
pread64 (int fd, void *bytes, size_t n, off64_t offset)
{
  ReadFunc read = (ReadFunc) real ("pread64");

  if (piecewise && (interrupted = !interrupted)) {
    errno = EINTR;
    return -1;
  }
  if (reads_left-- <= 0) {
    errno = read_errno;
    return -1;
  }
  return read (fd, bytes, next_piece (n), offset);
}

int
unlink (const char *path)
{
  if (dies_at_unlink)
    kill (getpid (), SIGKILL);
  return ((UnlinkFunc) real ("unlink")) (path);
}

/* Asserts that the same pipeline can play again without an error. */
static void
assert_plays_again (RetroPlay * play)
{
  retro_play_rewind (play);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, play->knobs->n_frames);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_ERROR) == NULL);
  retro_play_free (play);
}

/* ---- threads ------------------------------------------------------------ */

static GstPadProbeReturn
refuse_threads (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  g_atomic_int_set (&no_threads, TRUE);
  return GST_PAD_PROBE_REMOVE;
}

static void
assert_no_thread_is_told (RetroPlay * play)
{
  retro_play_assert_says (play, GST_MESSAGE_ERROR,
      "Could not start a thread for revbuf");
}

/* GStreamer logs a critical warning if it can't start a thread, and that mustn't end the test. */
static RetroPlay *
play_without_threads (void)
{
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse", 20000);

  _gst_check_expecting_log = TRUE;
  retro_play_probe (play->revbuf, "sink", GST_PAD_PROBE_TYPE_BUFFER,
      refuse_threads, NULL);
  retro_play_set_state (play, GST_STATE_PLAYING);
  assert_no_thread_is_told (play);
  return play;
}

/* GStreamer 1.22 leaks the pool of a task that cannot start a thread, which LeakSanitizer
 * would report. */
#define WITHOUT_ASAN(n) (strstr (SANITIZERS, "address") == NULL ? (n) : 0)

LOOP_TEST (thread_failure_is_reported, WITHOUT_ASAN (1))
{
  RetroPlay *play = play_without_threads ();

  retro_play_stop (play);
  g_atomic_int_set (&no_threads, FALSE);
  assert_plays_again (play);
}

/* No thread can be created, and then the source seeks. In iteration 0, threads can be created
 * again from then on, and the stream must play. In iteration 1, they still can't, and neither the
 * seek nor stopping the pipeline may hang. */
LOOP_TEST (a_thread_may_come_later, WITHOUT_ASAN (2))
{
  RetroPlay *play = play_without_threads ();
  gboolean comes = __i__ == 0;

  g_atomic_int_set (&no_threads, !comes);
  fail_unless (gst_element_send_event (GST_ELEMENT (play->source),
          gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)));
  if (comes) {
    retro_play_run (play);
    retro_test_assert_down (&play->out, 0, 20000);
  } else {
    assert_no_thread_is_told (play);
  }
  retro_play_stop (play);
  g_atomic_int_set (&no_threads, FALSE);
  assert_plays_again (play);
}

/* ---- the file ----------------------------------------------------------- */

#define SPILLING "revbuf direction=reverse mode=collect max-memory=0"

static const gint errors[] = { EIO, ENOSPC, EDQUOT };

SOME_TEST (a_write_that_fails_is_reported, 4, 3 * G_N_ELEMENTS (errors))
{
  RetroPlay *play = retro_play_new_plain (SPILLING, N_FRAMES);
  gint n = __i__ / G_N_ELEMENTS (errors);

  write_errno = errors[__i__ % G_N_ELEMENTS (errors)];
  writes_left = n;
  retro_play_set_state (play, GST_STATE_PLAYING);
  retro_play_assert_says (play, GST_MESSAGE_ERROR, "spill-directory");
  writes_left = G_MAXINT;
  assert_plays_again (play);
}

LOOP_TEST (a_read_that_fails_is_reported, 2)
{
  RetroPlay *play = retro_play_new_plain (SPILLING, N_FRAMES);

  read_errno = EIO;
  reads_left = __i__;
  retro_play_set_state (play, GST_STATE_PLAYING);
  retro_play_assert_says (play, GST_MESSAGE_ERROR,
      "Could not read the temporary file");
  retro_play_stop (play);
  /* the output before the error must be the end of the stream, in reverse */
  retro_test_assert_down (&play->out,
      N_FRAMES - retro_test_frames_out (&play->out),
      retro_test_frames_out (&play->out));
  reads_left = G_MAXINT;
  assert_plays_again (play);
}

TEST (interrupted_and_short_calls_are_resumed)
{
  AUTO_PLAY play = retro_play_new_plain (SPILLING, N_FRAMES);

  piecewise = TRUE;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* Returns an element that stores its audio in a file in @folder, which is not empty. */
static RetroTest *
spill_into (const gchar * folder)
{
  RetroTest *t = retro_test_new (SPILLING);
  GstAudioInfo info = retro_play_info ();
  guint64 n;

  g_object_set (t->element, "spill-directory", folder, NULL);
  retro_test_start (t, &info, 1.0, 0, GST_CLOCK_TIME_NONE);
  for (n = 0; n < 10; n++)
    fail_unless_equals_int (retro_test_push (t, n * 40000, 40000), GST_FLOW_OK);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), 1);
  return t;
}

/* The temporary file must not outlive the process. In iteration 0, unlink() kills the
 * process, because a file that was created with a name still has this name at that
 * moment. In iteration 1, or if unlink() is not called, the process is killed after
 * the last buffer. */
LOOP_TEST (a_killed_process_leaves_no_file, 2)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  pid_t child = fork ();
  int status;

  if (child == 0) {
    dies_at_unlink = __i__ == 0;
    spill_into (folder);
    kill (getpid (), SIGKILL);
  }
  fail_unless (waitpid (child, &status, 0) == child);
  fail_unless (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  fail_unless_equals_int (retro_test_files_in (folder), 0);
}

/* The temporary file must not be created through a link that another user has put into
 * the folder. So the folder is filled with links that have the names of temporary
 * files. */
TEST (no_link_is_followed)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_FOLDER other = retro_test_make_folder ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  RetroTest *t;
  guint n;

  for (n = 0; n < 1000; n++) {
    g_ptr_array_add (names, g_strdup_printf ("%s/retrograde-%06u", folder, n));
    fail_unless_equals_int (symlink (other, names->pdata[n]), 0);
  }
  t = spill_into (folder);
  fail_unless_equals_int (retro_test_files_in (folder), 1000);
  fail_unless_equals_int (retro_test_files_in (other), 0);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N_FRAMES);
  retro_test_free (t);
  for (n = 0; n < 1000; n++)
    unlink (names->pdata[n]);
}

/* ---- memory ------------------------------------------------------------- */

static guint64
address_space_bytes (void)
{
  guint64 pages = 0;
  gchar *text = NULL;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  pages = g_ascii_strtoull (text, NULL, 10);
  g_free (text);
  return pages * (guint64) sysconf (_SC_PAGESIZE);
}

/* The audio needs more memory than the limit allows. The element must play it anyway
 * or post an error. */
/* Sanitizers end the process if they cannot allocate memory for themselves. */
#define WITHOUT_SANITIZERS(n) (strcmp (SANITIZERS, "none") == 0 ? (n) : 0)

SOME_TEST (little_memory_is_reported_or_enough, WITHOUT_SANITIZERS (2),
    WITHOUT_SANITIZERS (8))
{
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse "
      "mode=collect max-memory=1000000000", 10000000);
  struct rlimit old, limit;
  GstMessage *message;

  play->forgets = TRUE;
  getrlimit (RLIMIT_AS, &old);
  limit = old;
  limit.rlim_cur = address_space_bytes () + ((guint64) (30 + 5 * __i__) << 20);
  setrlimit (RLIMIT_AS, &limit);
  retro_play_set_state (play, GST_STATE_PLAYING);
  message = retro_play_wait_message (play, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  setrlimit (RLIMIT_AS, &old);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    fail_unless_equals_uint64 (play->frames_out, 10000000);
  gst_message_unref (message);
  play->forgets = FALSE;
  play->knobs->n_frames = 20000;
  play->knobs->duration_ns = PLAIN_NS (20000);
  assert_plays_again (play);
}

/* ---- the next element ---------------------------------------------------- */

static const gchar *const everything[] = {
  "revbuf", "revbuf direction=reverse mode=collect",
  "revbuf direction=reverse mode=collect max-memory=0",
  "revbuf direction=reverse mode=chunk block-time=100000000",
  "revbuf direction=reverse block-time=300000000",
  "revbuf loop=ping-pong loop-stop=2000000000",
  "timescale factor=1.5", "timescale factor=0.5 interpolation=linear",
  "timescale factor=1.5 alignment=endpoints"
};

static const GstFlowReturn answers[] = { GST_FLOW_NOT_LINKED,
  GST_FLOW_NOT_NEGOTIATED, GST_FLOW_ERROR, GST_FLOW_FLUSHING, GST_FLOW_EOS
};

typedef struct
{
  RetroPlay *play;
  gint buffers_left;
  GstFlowReturn answer;
  gboolean answered;            /* under the lock of `play` */
} Refusal;

static GstPadProbeReturn
refuse (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Refusal *refusal = data;

  if (refusal->buffers_left-- > 0)
    return GST_PAD_PROBE_OK;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = refusal->answer;
  g_mutex_lock (&refusal->play->lock);
  refusal->answered = TRUE;
  g_cond_broadcast (&refusal->play->changed);
  g_mutex_unlock (&refusal->play->lock);
  return GST_PAD_PROBE_HANDLED;
}

/* Waits until the pad has refused a buffer, or until the stream has ended, because some modes
 * send too few buffers for a refusal. Returns whether a buffer was refused. */
static gboolean
wait_for_refusal_or_end (Refusal * refusal)
{
  RetroPlay *play = refusal->play;
  gboolean answered;

  g_mutex_lock (&play->lock);
  while (!refusal->answered && !play->eos)
    g_cond_wait (&play->changed, &play->lock);
  answered = refusal->answered;
  g_mutex_unlock (&play->lock);
  return answered;
}

/* Downstream refuses the first, the fourth or the 18th buffer. Nothing may hang,
 * errors must be posted where necessary, and the refusing pad must get EOS, as from a
 * source. After that, the pipeline must play again. */
SOME_TEST (refusals_end_it_and_it_plays_again,
    36, G_N_ELEMENTS (everything) * 5 * 3)
{
  static const gint places[] = { 0, 3, 17 };
  gint e = __i__ / (5 * 3), a = __i__ / 3 % 5;
  AUTO_PLAY play = retro_play_new_plain (everything[e], 30000);
  Refusal refusal = { play, places[__i__ % 3], answers[a], FALSE };
  GstPad *pad = gst_element_get_static_pad (play->revbuf, "src");
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, refuse,
      &refusal, NULL);

  retro_play_set_state (play, GST_STATE_PLAYING);
  if (wait_for_refusal_or_end (&refusal) && a < 2)
    gst_message_unref (retro_play_wait_message (play, GST_MESSAGE_ERROR));
  if (answers[a] == GST_FLOW_EOS)
    retro_play_finish (play);
  retro_play_stop (play);
  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);

  retro_play_rewind (play);
  if (strstr (everything[e], "loop") != NULL)
    g_object_set (play->revbuf, "loop", 0, NULL);
  if (g_str_has_prefix (everything[e], "revbuf")) {
    retro_play_run (play);
    fail_unless_equals_uint64 (retro_test_frames_out (&play->out), 30000);
  }
}
