/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_TIMESCALE_H
#define GST_TIMESCALE_H

#include "common/gstretrofilter.h"

G_BEGIN_DECLS

#define GST_TYPE_TIMESCALE (gst_timescale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_timescale, GST, TIMESCALE,
    GstRetroFilter)

GST_ELEMENT_REGISTER_DECLARE (timescale);

G_END_DECLS
#endif /* GST_TIMESCALE_H */
