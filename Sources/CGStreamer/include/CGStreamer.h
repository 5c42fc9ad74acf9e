/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer for use from Swift, which can't import variadic functions and some macros, so we wrap
 * the ones that we need.
 */

#ifndef RETROGRADE_CGSTREAMER_H
#define RETROGRADE_CGSTREAMER_H

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>
#include <sys/types.h>

static const GstClockTime cgst_no_time = GST_CLOCK_TIME_NONE;

/* The contents of the file VERSION, including the line break. */
const gchar *cgst_version_line (void);

/* Sets a property of type string to exactly @value. gst_util_set_object_arg() would
 * interpret quotes and backslashes. */
static inline void
cgst_set_string (gpointer object, const gchar * name, const gchar * value)
{
  g_object_set (object, name, value, NULL);
}

/* The value of an enum property as a number. */
static inline gint
cgst_get_enum (gpointer object, const gchar * name)
{
  gint value = 0;
  g_object_get (object, name, &value, NULL);
  return value;
}

/* Returns the element with this name, or NULL. Unref it. Looks at the elements directly in @bin
 * first, and then in nested bins. An application's own elements are in nested bins and may have
 * the same name as one of ours. */
GstElement *cgst_bin_get (gpointer bin, const gchar * name);

/* Reads the field "channel-mask" of raw audio caps. Returns FALSE if there isn't one. */
static inline gboolean
cgst_channel_mask (const GstStructure * structure, guint64 * mask)
{
  return gst_structure_get (structure, "channel-mask", GST_TYPE_BITMASK, mask,
      NULL);
}

/* Controls a property of type double over stream time: it's @values[i] at @times_ns[i], and
 * changes linearly in between. The @count times must be ascending. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* Creates a bin of @elements, a description for gst_parse_launch(). Returns NULL and sets @error if
 * we can't create them or if a property value is out of range. @context records missing elements. */
GstElement *cgst_make_bin (const gchar * elements, GstParseContext * context,
    GError ** error);

/* The C library, with flags that Swift can't import. */

/* Creates a file without a name in @folder, for reading and writing. Returns a descriptor that child
 * processes don't inherit, or -1 on failure, with errno set. */
int cgst_open_unnamed (const char *folder, mode_t mode);

/* Keeps freed memory for later allocations, up to 256 MiB in each of glibc's arenas. By default,
 * glibc soon returns freed memory to the system, which has to clear it before anyone can use it
 * again. Does nothing with other C libraries. Call it before there are other threads. */
void cgst_keep_freed_memory (void);

#endif
