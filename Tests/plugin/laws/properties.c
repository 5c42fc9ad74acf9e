/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of the elements: names, choices, ranges and defaults.
 */

#include "scalemodel.h"

#include <string.h>

static const gchar *const elements[] = { "revbuf", "timescale" };

/* Each property: its choices, or its range and its default. */
static const gchar *const descriptions[][20] = {
  {"direction: forward reverse = forward", "speed: -8 8 = 1",
        "speed-mode: resample rate = resample", "quality: 0 10 = 6",
        "mode: auto seek collect chunk = auto",
        "block-time: 1000000 18446744073709551615 = 18446744073709551615",
        "preroll-time: 0 18446744073709551615 = 18446744073709551615",
        "seam: exact smooth = smooth", "loop: none repeat ping-pong = none",
        "loop-start: 0 18446744073709551615 = 0",
        "loop-stop: 0 18446744073709551615 = 18446744073709551615",
        "max-memory: 0 9223372036854775807 = 67108864",
        "spill-directory: NULL",
        "stats: NULL", "current-direction: forward reverse = forward",
      "current-speed: -8 8 = 1"},
  {"factor: 0.01 100 = 1", "rate: 0.01 100 = 1",
        "interpolation: nearest linear smooth cubic sinc = sinc",
        "quality: 0 10 = 6", "alignment: stream endpoints = stream",
        "absorb-rate = true", "keep-pitch = false", "semitones: -24 24 = 0",
        "formants: follow keep = follow", "formant-semitones: -24 24 = 0",
        "window: auto music speech low-latency = auto",
        "max-memory: 0 9223372036854775807 = 67108864",
      "spill-directory: NULL"}
};

static gchar *
describe (GParamSpec * spec)
{
  GString *text = g_string_new (spec->name);
  guint i;

  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    GParamSpecEnum *its = G_PARAM_SPEC_ENUM (spec);

    g_string_append (text, ":");
    for (i = 0; i < its->enum_class->n_values; i++)
      g_string_append_printf (text, " %s",
          its->enum_class->values[i].value_nick);
    g_string_append_printf (text, " = %s",
        g_enum_get_value (its->enum_class, its->default_value)->value_nick);
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    GParamSpecUInt64 *its = G_PARAM_SPEC_UINT64 (spec);

    g_string_append_printf (text, ": %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
        " = %" G_GUINT64_FORMAT, its->minimum, its->maximum,
        its->default_value);
  } else if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    GParamSpecDouble *its = G_PARAM_SPEC_DOUBLE (spec);

    g_string_append_printf (text, ": %g %g = %g", its->minimum, its->maximum,
        its->default_value);
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    GParamSpecUInt *its = G_PARAM_SPEC_UINT (spec);

    g_string_append_printf (text, ": %u %u = %u", its->minimum, its->maximum,
        its->default_value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_string_append_printf (text, " = %s",
        G_PARAM_SPEC_BOOLEAN (spec)->default_value ? "true" : "false");
  } else {
    g_string_append (text, ": NULL");
  }
  return g_string_free (text, FALSE);
}

LOOP_TEST (there_are_these_properties_and_no_more, 2)
{
  const guint mutable = GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED |
      GST_PARAM_MUTABLE_PLAYING;
  g_autoptr (GstElement) element =
      gst_element_factory_make (elements[__i__], NULL);
  guint n, i, flags, found = 0, known = 0;
  g_autofree GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  while (descriptions[__i__][known] != NULL)
    known++;
  for (i = 0; i < n; i++) {
    g_auto (GValue) value = G_VALUE_INIT;
    g_autofree gchar *text = NULL;

    if (all[i]->owner_type != G_OBJECT_TYPE (element))
      continue;
    text = describe (all[i]);
    found++;
    fail_unless (g_strv_contains (descriptions[__i__], text), "%s", text);
    g_value_init (&value, all[i]->value_type);
    g_object_get_property (G_OBJECT (element), all[i]->name, &value);
    fail_unless (g_param_value_defaults (all[i], &value)
        || g_str_equal (all[i]->name, "stats"), "%s", text);
    fail_unless (strlen (g_param_spec_get_blurb (all[i])) > 10,
        "%s has no description", text);
    flags = all[i]->flags & mutable;
    fail_unless (!(all[i]->flags & G_PARAM_WRITABLE)
        || (flags != 0 && (flags & (flags - 1)) == 0),
        "%s has mutability 0x%x", text, flags);
    fail_unless ((all[i]->flags & G_PARAM_STATIC_STRINGS) ==
        G_PARAM_STATIC_STRINGS);
  }
  fail_unless_equals_int (found, known);
}

/* Reading returns the value that was set. */
LOOP_TEST (every_property_keeps_its_value, 16)
{
  static const gchar *const values[][3] = {
    {"revbuf", "direction", "reverse"}, {"revbuf", "mode", "chunk"},
    {"revbuf", "block-time", "12345678"}, {"revbuf", "preroll-time", "12345"},
    {"revbuf", "seam", "exact"}, {"revbuf", "loop", "ping-pong"},
    {"revbuf", "loop-start", "123"}, {"revbuf", "loop-stop", "123"},
    {"revbuf", "max-memory", "123"}, {"revbuf", "spill-directory", "there"},
    {"timescale", "spill-directory", "there"},
    {"timescale", "max-memory", "123"}, {"timescale", "formants", "keep"},
    {"revbuf", "speed", "-2.5"}, {"revbuf", "speed-mode", "rate"},
    {"revbuf", "quality", "9"}
  };
  const gchar *name = values[__i__][1];
  g_autoptr (GstElement) element =
      gst_element_factory_make (values[__i__][0], NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree gchar *text = NULL;

  gst_util_set_object_arg (G_OBJECT (element), name, values[__i__][2]);
  g_value_init (&value, spec->value_type);
  g_object_get_property (G_OBJECT (element), name, &value);
  text = G_IS_PARAM_SPEC_ENUM (spec) ?
      g_strdup (g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class,
          g_value_get_enum (&value))->value_nick) :
      G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value) :
      gst_value_serialize (&value);
  fail_unless_equals_string (text, values[__i__][2]);
}

/* The ranges of factor and rate have the same ends. */
LOOP_TEST (factor_and_rate_have_the_same_ends, 2)
{
  static const gchar *const names[] = { "factor", "rate" };
  static const gdouble ends[] = { 0.01, 100 };
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  gdouble value;
  guint i;

  for (i = 0; i < 2; i++) {
    g_object_set (element, names[__i__], ends[i], NULL);
    g_object_get (element, names[1 - __i__], &value, NULL);
    fail_unless_equals_float (value, ends[1 - i]);
    fail_unless (value >= 0.01 && value <= 100);
  }
}

#define NICK(NAME, nick, before, after, sentence) nick,

/* The values of "interpolation" must be the rows of TIMEDSP_INTERPOLATIONS in
 * timedsp.h. */
TEST (interpolations_are_those_of_the_table)
{
  static const gchar *const nicks[] = { TIMEDSP_INTERPOLATIONS (NICK) };
  g_autoptr (GstElement) element = gst_element_factory_make ("timescale", NULL);
  GParamSpecEnum *spec = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), "interpolation"));
  gint i, value;

  fail_unless_equals_int (spec->default_value, TIMEDSP_SINC);
  fail_unless_equals_int (spec->enum_class->n_values, TIMEDSP_N_INTERPOLATIONS);
  for (i = 0; i < TIMEDSP_N_INTERPOLATIONS; i++) {
    gst_util_set_object_arg (G_OBJECT (element), "interpolation", nicks[i]);
    g_object_get (element, "interpolation", &value, NULL);
    fail_unless_equals_int (value, i);
  }
}
