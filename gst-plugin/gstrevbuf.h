/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_REV_BUF_H
#define GST_REV_BUF_H

#include "gstretrofilter.h"

G_BEGIN_DECLS

#define GST_TYPE_REV_BUF (gst_rev_buf_get_type ())
G_DECLARE_FINAL_TYPE (GstRevBuf, gst_rev_buf, GST, REV_BUF, GstRetroFilter)

GST_ELEMENT_REGISTER_DECLARE (revbuf);

G_END_DECLS
#endif /* GST_REV_BUF_H */
