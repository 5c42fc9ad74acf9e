/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 *
 * The elements mustn't read any memory beyond the frames that they're given. The frames are
 * directly before or after an inaccessible page.
 */

#include "retrotest.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_FRAMES 61

static const gchar *const elements[] = {
  "revbuf direction=reverse mode=collect",
  "revbuf direction=reverse mode=chunk block-time=1000000",
  "timescale", "timescale factor=1.1", "timescale factor=0.25",
  "timescale factor=2 interpolation=cubic",
  "timescale factor=1.5 alignment=endpoints",
  "timescale factor=1.5 keep-pitch=true", "timescale semitones=-3"
};

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

/* Copies the memory of @buffer to an accessible page between two inaccessible ones, to its
 * end if @at_end is TRUE, otherwise to its beginning. */
static GstBuffer *
move_to_page (GstBuffer * buffer, guint8 * pages, gboolean at_end)
{
  gsize page = sysconf (_SC_PAGESIZE), bytes = gst_buffer_get_size (buffer);
  guint8 *to = pages + page + (at_end ? page - bytes : 0);

  fail_unless (bytes <= page);
  fail_unless (mprotect (pages + page, page, PROT_READ | PROT_WRITE) == 0);
  gst_buffer_extract (buffer, 0, to, bytes);
  fail_unless (mprotect (pages + page, page, PROT_READ) == 0);
  gst_buffer_replace_all_memory (buffer,
      gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, to, bytes, 0, bytes,
          NULL, NULL));
  return buffer;
}

LOOP_TEST (nothing_beside_the_frames_is_read,
    G_N_ELEMENTS (elements) * G_N_ELEMENTS (formats))
{
  const gsize page = sysconf (_SC_PAGESIZE);
  guint8 *pages = mmap (NULL, 3 * page, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  guint shape;

  fail_unless (pages != MAP_FAILED);
  for (shape = 0; shape < 8; shape++) {
    RetroTest *t = retro_test_new (elements[__i__ / G_N_ELEMENTS (formats)]);
    guint64 at = 0, n;
    GstAudioInfo info;

    info =
        retro_test_info (formats[__i__ % G_N_ELEMENTS (formats)],
        shape % 2 ? PLANAR : INTERLEAVED, 8000, shape / 2 % 2 ? 3 : 1);
    retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
    for (n = 10; at < 1500; n = 20 + n * 7 % (N_FRAMES - 20), at += n)
      fail_unless_equals_int (gst_harness_push (t->h,
              move_to_page (retro_test_buffer (&info, at, n), pages,
                  shape / 4)), GST_FLOW_OK);
    fail_unless (retro_test_eos (t));
    fail_unless (retro_test_frames_out (t) > 0);
    retro_test_free (t);
  }
  munmap (pages, 3 * page);
}
