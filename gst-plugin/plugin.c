/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (revbuf);
GST_ELEMENT_REGISTER_DECLARE (timescale);

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (revbuf, plugin)
      && GST_ELEMENT_REGISTER (timescale, plugin);
}

/* 1.20 is the minimum version of GStreamer, not the version of the headers: a build works
 * with every later GStreamer 1.x, too. */
GST_PLUGIN_DEFINE (1, 20, retrograde,
    "Plays audio backwards, and changes its speed and pitch", plugin_init,
    VERSION, "LGPL", PACKAGE, ORIGIN)
