/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "gstrevbuf.h"
#include "gsttimescale.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (revbuf, plugin)
      && GST_ELEMENT_REGISTER (timescale, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, retrograde,
    "Reverse and varispeed audio", plugin_init, VERSION, "LGPL", PACKAGE,
    "https://gstreamer.freedesktop.org/")
