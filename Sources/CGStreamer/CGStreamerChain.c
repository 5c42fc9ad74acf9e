/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerChain.h"

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  return GST_PAD_PROBE_OK;
}

/* Handles have-type by unblocking the stream. Called after decodebin's own handler, which links
 * and starts the demuxer. */
static void
release (GstElement * typefind, guint probability, GstCaps * caps,
    gulong * probe)
{
  g_autoptr (GstPad) output = gst_element_get_static_pad (typefind, "src");

  gst_pad_remove_probe (output, *probe);
  g_signal_handlers_disconnect_by_func (typefind, release, probe);
}

static void
free_probe (gpointer probe, GClosure * unused)
{
  g_free (probe);
}

void
cgst_hold_until_plugged (gpointer decodebin)
{
  g_autoptr (GstPad) input = gst_element_get_static_pad (decodebin, "sink");
  g_autoptr (GstPad) inner = gst_ghost_pad_get_target (GST_GHOST_PAD (input));
  g_autoptr (GstElement) typefind = gst_pad_get_parent_element (inner);
  g_autoptr (GstPad) output = gst_element_get_static_pad (typefind, "src");
  gulong *probe = g_new (gulong, 1);

  *probe = gst_pad_add_probe (output,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_PULL, hold, NULL, NULL);
  g_signal_connect_data (typefind, "have-type", G_CALLBACK (release), probe,
      free_probe, G_CONNECT_AFTER);
}
