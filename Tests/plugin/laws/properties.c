/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of the elements: names, ranges and defaults.
 */

#include "scalemodel.h"

#include <string.h>

static const gchar *const elements[] = { "revbuf", "timescale" };

/* The properties that the element adds to those of GstElement. */
static GPtrArray *
own_properties (GstElement * element)
{
  GPtrArray *own = g_ptr_array_new ();
  guint n, i;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++)
    if (all[i]->owner_type == G_OBJECT_TYPE (element))
      g_ptr_array_add (own, all[i]);
  g_free (all);
  return own;
}

LOOP_TEST (there_are_these_properties_and_no_more, 2)
{
  static const gchar *const names[][20] = {
    {"direction", "mode", "block-time", "preroll-time", "seam", "loop",
        "loop-start", "loop-stop", "max-memory", "spill-directory", "stats"},
    {"factor", "rate", "interpolation", "quality", "alignment",
          "absorb-rate", "keep-pitch", "semitones", "formants",
        "formant-semitones", "window", "max-memory", "spill-directory"}
  };
  g_autoptr (GstElement) element =
      gst_element_factory_make (elements[__i__], NULL);
  GPtrArray *own = own_properties (element);
  guint n;

  for (n = 0; names[__i__][n] != NULL; n++)
    fail_unless (g_object_class_find_property (G_OBJECT_GET_CLASS (element),
            names[__i__][n]) != NULL, "%s is missing", names[__i__][n]);
  fail_unless_equals_int (own->len, n);
  g_ptr_array_unref (own);
}

LOOP_TEST (every_property_is_documented_with_when_it_may_change, 2)
{
  const guint mutable = GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED |
      GST_PARAM_MUTABLE_PLAYING;
  g_autoptr (GstElement) element =
      gst_element_factory_make (elements[__i__], NULL);
  GPtrArray *own = own_properties (element);
  guint i;

  fail_unless (own->len > 0);
  for (i = 0; i < own->len; i++) {
    GParamSpec *spec = g_ptr_array_index (own, i);
    guint flags = spec->flags & mutable;

    fail_unless (strlen (g_param_spec_get_blurb (spec)) > 10,
        "%s has no description", spec->name);
    fail_unless (!(spec->flags & G_PARAM_WRITABLE)
        || flags == GST_PARAM_MUTABLE_READY
        || flags == GST_PARAM_MUTABLE_PAUSED
        || flags == GST_PARAM_MUTABLE_PLAYING, "%s has mutability 0x%x",
        spec->name, flags);
    fail_unless ((spec->flags & G_PARAM_STATIC_STRINGS) ==
        G_PARAM_STATIC_STRINGS);
  }
  g_ptr_array_unref (own);
}

/* ---- integers ----------------------------------------------------------- */

static const struct
{
  const gchar *element, *property;
  guint64 min, max, initial;
} whole_numbers[] = {
  {"revbuf", "block-time", GST_MSECOND, G_MAXUINT64, G_MAXUINT64},
  {"revbuf", "preroll-time", 0, G_MAXUINT64, G_MAXUINT64},
  {"revbuf", "loop-start", 0, G_MAXUINT64, 0},
  {"revbuf", "loop-stop", 0, G_MAXUINT64, G_MAXUINT64},
  {"revbuf", "max-memory", 0, G_MAXUINT64, 64 << 20},
  {"timescale", "max-memory", 0, G_MAXUINT64, 64 << 20},
};

LOOP_TEST (whole_numbers_have_their_range_and_default,
    G_N_ELEMENTS (whole_numbers))
{
  g_autoptr (GstElement) element =
      gst_element_factory_make (whole_numbers[__i__].element, NULL);
  const gchar *name = whole_numbers[__i__].property;
  GParamSpecUInt64 *spec = G_PARAM_SPEC_UINT64 (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), name));
  guint64 value;

  fail_unless_equals_uint64 (spec->minimum, whole_numbers[__i__].min);
  fail_unless_equals_uint64 (spec->maximum, whole_numbers[__i__].max);
  fail_unless_equals_uint64 (spec->default_value, whole_numbers[__i__].initial);
  g_object_get (element, name, &value, NULL);
  fail_unless_equals_uint64 (value, whole_numbers[__i__].initial);
  g_object_set (element, name, (guint64) 12345678, NULL);
  g_object_get (element, name, &value, NULL);
  fail_unless_equals_uint64 (value, 12345678);
}

LOOP_TEST (factor_and_rate_have_their_range_and_default, 2)
{
  static const gchar *const names[] = { "factor", "rate" };
  static const gdouble ends[] = { 0.01, 100 };
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  GParamSpecDouble *spec = G_PARAM_SPEC_DOUBLE (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), names[__i__]));
  gdouble value;
  guint i;

  fail_unless_equals_float (spec->minimum, 0.01);
  fail_unless_equals_float (spec->maximum, 100);
  fail_unless_equals_float (spec->default_value, 1);
  g_object_get (element, names[__i__], &value, NULL);
  fail_unless_equals_float (value, 1);
  /* both ends of factor and rate meet */
  for (i = 0; i < 2; i++) {
    g_object_set (element, names[__i__], ends[i], NULL);
    g_object_get (element, names[1 - __i__], &value, NULL);
    fail_unless_equals_float (value, ends[1 - i]);
    fail_unless (value >= 0.01 && value <= 100);
  }
}

/* ---- enums -------------------------------------------------------------- */

static const struct
{
  const gchar *element, *property;
  const gchar *nicks[6];        /* the first one is the default */
} choices[] = {
  {"revbuf", "direction", {"forward", "reverse"}},
  {"revbuf", "mode", {"auto", "seek", "collect", "chunk"}},
  {"revbuf", "seam", {"smooth", "exact"}},
  {"revbuf", "loop", {"none", "repeat", "ping-pong"}},
  {"timescale", "alignment", {"stream", "endpoints"}},
  {"timescale", "formants", {"follow", "keep"}},
  {"timescale", "window", {"auto", "music", "speech", "low-latency"}},
};

LOOP_TEST (choices_are_these_and_no_more, G_N_ELEMENTS (choices))
{
  g_autoptr (GstElement) element =
      gst_element_factory_make (choices[__i__].element, NULL);
  const gchar *name = choices[__i__].property;
  GParamSpecEnum *spec = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), name));
  guint n;
  gint value;

  for (n = 0; choices[__i__].nicks[n] != NULL; n++) {
    GEnumValue *choice = g_enum_get_value_by_nick (spec->enum_class,
        choices[__i__].nicks[n]);

    fail_unless (choice != NULL, "no %s", choices[__i__].nicks[n]);
    if (n == 0) {
      fail_unless_equals_int (spec->default_value, choice->value);
      g_object_get (element, name, &value, NULL);
      fail_unless_equals_int (value, choice->value);
    }
    g_object_set (element, name, choice->value, NULL);
    g_object_get (element, name, &value, NULL);
    fail_unless_equals_int (value, choice->value);
  }
  fail_unless_equals_int (spec->enum_class->n_values, n);
}

LOOP_TEST (spill_directory_is_a_folder_or_none, 2)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make (elements[__i__], NULL);
  gchar *value;

  g_object_get (element, "spill-directory", &value, NULL);
  fail_unless (value == NULL);
  g_object_set (element, "spill-directory", "somewhere", NULL);
  g_object_get (element, "spill-directory", &value, NULL);
  fail_unless_equals_string (value, "somewhere");
  g_free (value);
  g_object_set (element, "spill-directory", NULL, NULL);
  g_object_get (element, "spill-directory", &value, NULL);
  fail_unless (value == NULL);
}

/* The values of "interpolation" must be the rows of TIMEDSP_INTERPOLATIONS in
 * timedsp.h. */
TEST (interpolations_are_those_of_the_table)
{
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  GParamSpecEnum *spec = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), "interpolation"));
  gint i, value;

  fail_unless_equals_int (spec->default_value, TIMEDSP_SINC);
  fail_unless_equals_int (spec->enum_class->n_values, TIMEDSP_N_INTERPOLATIONS);
  for (i = 0; i < TIMEDSP_N_INTERPOLATIONS; i++) {
    gst_util_set_object_arg (G_OBJECT (element), "interpolation",
        timedsp_interpolation_nick (i));
    g_object_get (element, "interpolation", &value, NULL);
    fail_unless_equals_int (value, i);
  }
}
