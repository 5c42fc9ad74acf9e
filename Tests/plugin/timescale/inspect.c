/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What somebody who doesn't know timescale sees in gst-inspect-1.0 and in the log.
 */

#include "scalemodel.h"

#include <string.h>

/* Given the types that gst-inspect-1.0 shows. When a reader sees one, then it is named after the
 * element and the property, as the functions in the source are. */
TEST (types_have_the_names_of_what_they_are)
{
  static const gchar *const names[][2] = {
    {"interpolation", "GstTimeScaleInterpolation"},
    {"alignment", "GstTimeScaleAlignment"},
    {"formants", "GstTimeScaleFormants"}, {"window", "GstTimeScaleWindow"}
  };
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  guint i;

  fail_unless_equals_string (G_OBJECT_TYPE_NAME (element), "GstTimeScale");
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), names[i][0]);

    fail_unless_equals_string (g_type_name (spec->value_type), names[i][1]);
  }
}

/* ---- properties --------------------------------------------------------------------- */

/* Given the unsigned properties. When a reader sees one, then its text doesn't mention -1, and
 * neither its default nor its maximum is the number that -1 wraps to. */
TEST (an_unsigned_property_is_never_minus_one)
{
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  g_autofree GParamSpec **specs = NULL;
  guint n, i;

  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++) {
    GParamSpecUInt64 *spec = (GParamSpecUInt64 *) specs[i];

    if (!G_IS_PARAM_SPEC_UINT64 (specs[i]) && !G_IS_PARAM_SPEC_UINT (specs[i]))
      continue;
    fail_unless (strstr (g_param_spec_get_blurb (specs[i]), "-1") == NULL,
        "%s: %s", specs[i]->name, g_param_spec_get_blurb (specs[i]));
    fail_unless (!G_IS_PARAM_SPEC_UINT64 (specs[i])
        || (spec->default_value != G_MAXUINT64
            && spec->maximum != G_MAXUINT64), "%s", specs[i]->name);
  }
}

/* ---- the log -------------------------------------------------------------------------- */

typedef struct
{
  GMutex lock;
  GPtrArray *lines;             /* of the category timescale */
} Log;

static void
keep_line (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  Log *log = data;

  if (strcmp (gst_debug_category_get_name (category), "timescale") != 0)
    return;
  g_mutex_lock (&log->lock);
  g_ptr_array_add (log->lines, g_strdup (gst_debug_message_get (message)));
  g_mutex_unlock (&log->lock);
}

/* Number of lines that contain @word. */
static guint
lines_with (Log * log, const gchar * word)
{
  guint n = 0, i;

  for (i = 0; i < log->lines->len; i++)
    n += strstr (g_ptr_array_index (log->lines, i), word) != NULL;
  return n;
}

static void
log_begin (Log * log)
{
  g_mutex_init (&log->lock);
  log->lines = g_ptr_array_new_with_free_func (g_free);
  gst_debug_set_active (TRUE);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (keep_line, log, NULL);
  gst_debug_set_threshold_for_name ("timescale", GST_LEVEL_MAX);
}

static void
log_end (Log * log)
{
  gst_debug_unset_threshold_for_name ("timescale");
  gst_debug_remove_log_function (keep_line);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);
  g_ptr_array_unref (log->lines);
  g_mutex_clear (&log->lock);
}

/* Given GST_DEBUG=timescale:9. When a stream plays and settings change, then the log names the
 * segment, each buffer and the properties that change. */
TEST (the_log_tells_what_happens)
{
  AUTO_TEST t = retro_test_new ("timescale factor=1.5");
  Log log;
  guint i;

  /* GStreamer leaks the list of its log functions at each change */
  if (strstr (SANITIZERS, "address") != NULL)
    return;
  log_begin (&log);
  retro_test_start (t, NULL, 1, 0, PLAIN_NS (8000));
  for (i = 0; i < 5; i++)
    retro_test_push (t, i * 200, 200);
  gst_util_set_object_arg (G_OBJECT (t->element), "interpolation", "cubic");
  gst_util_set_object_arg (G_OBJECT (t->element), "window", "speech");
  retro_test_push (t, 1000, 200);
  retro_test_eos (t);
  fail_unless (lines_with (&log, "segment") >= 1, "no segment is named");
  fail_unless (lines_with (&log, "buffer") >= 6, "%u lines name a buffer",
      lines_with (&log, "buffer"));
  fail_unless (lines_with (&log, "interpolation") >= 1, "no change is named");
  log_end (&log);
}
