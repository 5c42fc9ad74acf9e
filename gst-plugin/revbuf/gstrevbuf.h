/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_REVBUF_H
#define GST_REVBUF_H

#include "common/gstretrofilter.h"

G_BEGIN_DECLS

#define GST_TYPE_REVBUF (gst_revbuf_get_type ())
G_DECLARE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST, REVBUF, GstRetroFilter)

GST_ELEMENT_REGISTER_DECLARE (revbuf);

G_END_DECLS
#endif /* GST_REVBUF_H */
