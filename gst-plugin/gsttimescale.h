/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_TIME_SCALE_H
#define GST_TIME_SCALE_H

#include "gstretrofilter.h"

G_BEGIN_DECLS

#define GST_TYPE_TIME_SCALE (gst_time_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST, TIME_SCALE,
    GstRetroFilter)

GST_ELEMENT_REGISTER_DECLARE (timescale);

G_END_DECLS
#endif /* GST_TIME_SCALE_H */
