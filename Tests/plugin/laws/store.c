/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The frame store, without an element.
 */

#include "common/framestore.h"
#include "common/pcmbuffer.h"
#include "retrotest.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1 << 20)         /* bytes */
#define N 400000                /* frames of 8 bytes: a little more than 3 blocks */

static const gsize sizes[] = { 1000, 131072, 131071, 65537, N };

static const guint64 limits[] = { 0, BLOCK - 1, BLOCK, 2 * BLOCK + 1,
  4 * BLOCK
};

/* Index of the frame that is stored first. */
static guint64 shift = 0;

static GstAudioInfo
info_of (GstAudioLayout layout)
{
  GstAudioInfo info;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32, layout, 48000, 2);
  return info;
}

/* Appends frames @at … @at + @n_frames - 1. */
static gboolean
append (GstRetroStore * store, const GstAudioInfo * info, guint64 at,
    gsize n_frames, GError ** error)
{
  GstBuffer *buffer = retro_test_buffer (info, shift + at, n_frames);
  gboolean ok = gst_retro_store_append_frames (store, buffer, info, 0,
      gst_retro_buffer_frames (buffer, info), error);

  gst_buffer_unref (buffer);
  return ok;
}

static void
append_all (GstRetroStore * store, const GstAudioInfo * info, gsize n_frames,
    gsize size)
{
  gsize at;

  for (at = 0; at < n_frames; at += size)
    fail_unless (append (store, info, at, MIN (size, n_frames - at), NULL));
  fail_unless_equals_uint64 (gst_retro_store_get_frames (store), n_frames);
}

/* Asserts that all frames in @span are the expected ones. */
static void
assert_span (const GstRetroSpan * span, const GstAudioInfo * info)
{
  gsize bps = GST_AUDIO_INFO_WIDTH (info) / 8;
  gsize bpf = GST_AUDIO_INFO_BPF (info), n;
  guint8 *frame = g_malloc (bpf);
  gboolean planar =
      GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  gint c;

  fail_unless (span->n_frames > 0);
  for (n = 0; n < span->n_frames; n++) {
    retro_test_frame (info, shift + span->first_frame + n, frame);
    for (c = 0; c < (planar ? GST_AUDIO_INFO_CHANNELS (info) : 1); c++) {
      gsize bytes = planar ? bps : bpf;

      if (memcmp (span->planes[c] + n * bytes, frame + c * bytes, bytes) != 0)
        fail ("frame %" G_GUINT64_FORMAT " is another", span->first_frame + n);
    }
  }
  g_free (frame);
}

static void
assert_forwards (GstRetroStore * store, const GstAudioInfo * info)
{
  guint64 at = 0;
  GstRetroSpan span;

  while (at < gst_retro_store_get_frames (store)) {
    fail_unless (gst_retro_store_peek_from (store, at, &span, NULL));
    fail_unless_equals_uint64 (span.first_frame, at);
    assert_span (&span, info);
    at += span.n_frames;
  }
  fail_unless_equals_uint64 (at, gst_retro_store_get_frames (store));
}

static void
assert_backwards (GstRetroStore * store, const GstAudioInfo * info)
{
  guint64 end = gst_retro_store_get_frames (store);
  GstRetroSpan span;

  while (end > 0) {
    fail_unless (gst_retro_store_take_before (store, end, &span, NULL));
    fail_unless_equals_uint64 (span.first_frame + span.n_frames, end);
    assert_span (&span, info);
    end = span.first_frame;
  }
}

SOME_TEST (frames_come_back, 4, 2 * G_N_ELEMENTS (limits))
{
  GstAudioInfo info = info_of (__i__ % 2);
  guint s, l = __i__ / 2;

  for (s = 0; s < G_N_ELEMENTS (sizes); s++) {
    GstRetroStore *store = gst_retro_store_new (&info, limits[l], NULL);

    append_all (store, &info, N, sizes[s]);
    assert_forwards (store, &info);
    assert_backwards (store, &info);
    gst_retro_store_free (store);
  }
}

TEST (a_span_begins_or_ends_at_any_frame)
{
  static const guint64 places[] = { 1, 2, 131071, 131072, 131073, 262144,
    399999
  };
  GstAudioInfo info = info_of (GST_AUDIO_LAYOUT_NON_INTERLEAVED);
  GstRetroStore *store = gst_retro_store_new (&info, BLOCK, NULL);
  GstRetroSpan span;
  guint i;

  append_all (store, &info, N, N);
  for (i = 0; i < G_N_ELEMENTS (places); i++) {
    fail_unless (gst_retro_store_peek_from (store, places[i], &span, NULL));
    fail_unless_equals_uint64 (span.first_frame, places[i]);
    assert_span (&span, &info);
  }
  while (i-- > 0) {
    fail_unless (gst_retro_store_take_before (store, places[i], &span, NULL));
    fail_unless_equals_uint64 (span.first_frame + span.n_frames, places[i]);
    assert_span (&span, &info);
  }
  gst_retro_store_free (store);
}

/* ---- the file ----------------------------------------------------------- */

/* The descriptor of the file without a name that was created in @folder. */
static int
find_file (const gchar * folder)
{
  int fd;

  for (fd = 3; fd < 100; fd++) {
    gchar *path = g_strdup_printf ("/proc/self/fd/%d", fd);
    gchar *target = g_file_read_link (path, NULL);
    gboolean found = target != NULL && g_str_has_prefix (target, folder);

    g_free (target);
    g_free (path);
    if (found)
      return fd;
  }
  fail ("there is no file");
  return -1;
}

TEST (no_other_process_can_open_the_file)
{
  gchar *folder = retro_test_make_folder ();
  GstAudioInfo info = info_of (GST_AUDIO_LAYOUT_INTERLEAVED);
  GstRetroStore *store = gst_retro_store_new (&info, 0, folder);
  struct stat status;
  int fd;

  append_all (store, &info, N, 1000);
  fd = find_file (folder);
  fail_unless_equals_int (fstat (fd, &status), 0);
  fail_unless_equals_int (status.st_nlink, 0);
  fail_unless_equals_int (status.st_mode & 0777, 0600);
  fail_unless (fcntl (fd, F_GETFD) & FD_CLOEXEC);
  gst_retro_store_free (store);
  retro_test_remove_folder (folder);
}

SOME_TEST (a_failure_keeps_stored_frames, 2, G_N_ELEMENTS (sizes))
{
  GstAudioInfo info = info_of (GST_AUDIO_LAYOUT_INTERLEAVED);
  GstRetroStore *store = gst_retro_store_new (&info, BLOCK, "/nowhere/at/all");
  GError *error = NULL;
  guint64 at = 0;

  while (append (store, &info, at, sizes[__i__], &error))
    at += sizes[__i__];
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_OPEN_WRITE));
  fail_unless (strstr (error->message, "/nowhere/at/all") != NULL);
  fail_unless (gst_retro_store_get_frames (store) >= at);
  fail_unless (gst_retro_store_get_frames (store) >= BLOCK / 8);
  assert_forwards (store, &info);
  assert_backwards (store, &info);
  g_error_free (error);
  gst_retro_store_free (store);
}

TEST (a_file_that_cannot_be_read_is_reported)
{
  gchar *folder = retro_test_make_folder ();
  GstAudioInfo info = info_of (GST_AUDIO_LAYOUT_INTERLEAVED);
  GstRetroStore *store = gst_retro_store_new (&info, 0, folder);
  GError *error = NULL;
  GstRetroSpan span;

  append_all (store, &info, N, 1000);
  fail_unless_equals_int (ftruncate (find_file (folder), BLOCK + 5), 0);
  fail_unless (gst_retro_store_peek_from (store, 0, &span, NULL));
  fail_if (gst_retro_store_peek_from (store, BLOCK / 8, &span, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ));
  g_error_free (error);
  gst_retro_store_free (store);
  retro_test_remove_folder (folder);
}
