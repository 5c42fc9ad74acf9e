/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * watch: warns once if the element has been waiting for 5 s without anything arriving. Another
 * branch of the source may be waiting for this one.
 */

#pragma once

#include "revbuf/gstrevbuf.h"

/* Unschedule and unref what it returns to stop it. */
GstClockID gst_revbuf_watch_start (GstRevBuf * self);

