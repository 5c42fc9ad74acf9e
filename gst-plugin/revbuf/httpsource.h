/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * httpsource: whether a web server sends parts of a file.
 */

#pragma once

#include <gst/gst.h>

/**
 * gst_revbuf_http_source_lacks_ranges:
 * @sinkpad: of an element of ours
 *
 * Whether the stream comes from a web server that does not offer parts of a file: its
 * answer has no `Accept-Ranges: bytes` (RFC 9110, 14.3), and is not itself a part
 * (status 206). souphttpsrc claims that every file of a known size is seekable, and
 * fails when it has to seek.
 */
gboolean gst_revbuf_http_source_lacks_ranges (GstPad * sinkpad);
