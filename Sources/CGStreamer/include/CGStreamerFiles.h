/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What work on files looks at while a stream goes through a pipeline.
 */

#ifndef RETROGRADE_CGSTREAMER_FILES_H
#define RETROGRADE_CGSTREAMER_FILES_H

#include "CGStreamerPlay.h"

/* Hands every buffer that enters @element to @heard, in its thread; what that
 * returns does not matter. */
void cgst_inspect (gpointer element, CGstHeard heard, gpointer data,
    GDestroyNotify free_data);

#endif
