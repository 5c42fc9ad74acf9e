/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Metas of buffers.
 */

#include "retrotest.h"

const RetroTestMeta retro_test_metas[RETRO_TEST_N_METAS] = {
  {"RetroTestPlain", {NULL}, TRUE},
  {"RetroTestAudio", {GST_META_TAG_AUDIO_STR}, TRUE},
  {"RetroTestRate", {GST_META_TAG_AUDIO_STR, GST_META_TAG_AUDIO_RATE_STR},
      FALSE},
  {"RetroTestMemory", {GST_META_TAG_MEMORY_STR}, FALSE}
};

void
retro_test_add_metas (GstBuffer * buffer)
{
  guint i;

  for (i = 0; i < RETRO_TEST_N_METAS; i++) {
    const RetroTestMeta *meta = &retro_test_metas[i];

    /* under valgrind, all tests run in one process */
    if (gst_meta_get_info (meta->name) == NULL)
      gst_meta_register_custom (meta->name, (const gchar **) meta->tags, NULL,
          NULL, NULL);
    gst_buffer_add_custom_meta (buffer, meta->name);
  }
}

void
retro_test_add_reference (GstBuffer * buffer, GstClockTime timestamp)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-test");

  gst_buffer_add_reference_timestamp_meta (buffer, caps, timestamp,
      GST_CLOCK_TIME_NONE);
}

GstClockTime
retro_test_reference_of (GstBuffer * buffer)
{
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);

  return meta == NULL ? GST_CLOCK_TIME_NONE : meta->timestamp;
}
