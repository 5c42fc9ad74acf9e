/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin in a program that links it statically.
 */

#include "retrotest.h"

GST_PLUGIN_STATIC_DECLARE (retrograde);

TEST (it_registers_itself)
{
  GstPlugin *plugin;
  RetroTest *t;

  GST_PLUGIN_STATIC_REGISTER (retrograde);
  plugin = gst_registry_find_plugin (gst_registry_get (), "retrograde");
  fail_unless (plugin != NULL);
  fail_unless (gst_plugin_get_filename (plugin) == NULL);
  gst_object_unref (plugin);

  t = retro_test_new ("revbuf direction=reverse mode=collect");
  retro_test_start (t, NULL, 1.0, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 1000);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, 1000);
  retro_test_free (t);
  t = retro_test_new ("timescale factor=2");
  retro_test_start (t, NULL, 1.0, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 1000);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2000);
  retro_test_free (t);
}
