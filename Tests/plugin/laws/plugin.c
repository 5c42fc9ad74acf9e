/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin file, and the metadata of the elements.
 */

#include "retrotest.h"

#include <string.h>

static const gchar *const elements[] = { "revbuf", "timescale" };

/* timescale is in the same class as scaletempo */
static const gchar *const classes[] = { "Filter/Effect/Audio",
  "Filter/Effect/Rate/Audio"
};

#define N_ELEMENTS G_N_ELEMENTS (elements)

/* ---- the file ----------------------------------------------------------- */

/* The output of @program with the plugin file as its last argument, in lines. */
static gchar **
look_at_plugin (const gchar * program)
{
  GstPlugin *plugin =
      gst_registry_find_plugin (gst_registry_get (), "retrograde");
  gchar *command, *text = NULL, **lines;
  gint status;

  fail_unless (plugin != NULL);
  command = g_strdup_printf ("%s '%s'", program,
      gst_plugin_get_filename (plugin));
  fail_unless (g_spawn_command_line_sync (command, &text, NULL, &status, NULL)
      && status == 0, "%s fails", command);
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_free (text);
  g_free (command);
  gst_object_unref (plugin);
  return lines;
}

TEST (only_gstreamers_two_symbols_are_exported)
{
  gchar **lines = look_at_plugin ("nm -D --defined-only");

  fail_unless_equals_int (g_strv_length (lines), 2);
  fail_unless (g_str_has_suffix (lines[0], " gst_plugin_retrograde_get_desc"));
  fail_unless (g_str_has_suffix (lines[1], " gst_plugin_retrograde_register"));
  g_strfreev (lines);
}

/* There's no Swift library among them. */
TEST (only_known_libraries_are_needed)
{
  static const gchar *const known[] = { "libgst", "libglib-2", "libgobject-2",
    "libc.so", "libm.so", "libasan", "libubsan", "libtsan",
    "ld-linux-aarch64"          /* contains the guard value of the stack protector */
  };
  gchar **lines = look_at_plugin ("readelf -dW");
  guint i, k, n = 0;

  for (i = 0; lines[i] != NULL; i++) {
    const gchar *name = strstr (lines[i], "(NEEDED)") == NULL ? NULL :
        strchr (lines[i], '[');
    gboolean is_known = name == NULL;

    for (k = 0; name != NULL && k < G_N_ELEMENTS (known); k++)
      is_known |= g_str_has_prefix (name + 1, known[k]);
    fail_unless (is_known, "%s is needed", name);
    n += name != NULL;
  }
  fail_unless (n > 3);
  g_strfreev (lines);
}

TEST (license_is_lgpl)
{
  GstPlugin *plugin =
      gst_registry_find_plugin (gst_registry_get (), "retrograde");

  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  gst_object_unref (plugin);
}

TEST (the_elements_are_the_plugins_only_features)
{
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      "retrograde"), *l;

  fail_unless_equals_int (g_list_length (features), N_ELEMENTS);
  for (l = features; l != NULL; l = l->next)
    fail_unless (GST_IS_ELEMENT_FACTORY (l->data));
  gst_plugin_feature_list_free (features);
}

/* ---- metadata of the elements ----------------------------------------------- */

LOOP_TEST (metadata_is_complete, N_ELEMENTS)
{
  GstElementFactory *factory = gst_element_factory_find (elements[__i__]);
  static const gchar *const keys[] = {
    GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_DESCRIPTION,
    GST_ELEMENT_METADATA_AUTHOR
  };
  guint i;

  fail_unless (factory != NULL);
  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), classes[__i__]);
  for (i = 0; i < G_N_ELEMENTS (keys); i++)
    fail_unless (gst_element_factory_get_metadata (factory, keys[i]) != NULL);
  /* the elements must never be autoplugged */
  fail_unless_equals_int (gst_plugin_feature_get_rank
      (GST_PLUGIN_FEATURE (factory)), GST_RANK_NONE);
  gst_object_unref (factory);
}

static void
assert_template (GstElement * element, const gchar * name,
    GstPadDirection direction, const gchar * caps_text)
{
  GstPadTemplate *template = gst_element_get_pad_template (element, name);
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  g_autoptr (GstCaps) found = NULL;
  g_autofree gchar *text = NULL;

  fail_unless (template != NULL);
  fail_unless_equals_int (GST_PAD_TEMPLATE_DIRECTION (template), direction);
  fail_unless_equals_int (GST_PAD_TEMPLATE_PRESENCE (template), GST_PAD_ALWAYS);
  found = gst_pad_template_get_caps (template);
  text = gst_caps_to_string (found);
  fail_unless (gst_caps_is_equal (found, caps), "%s has %s", name, text);
}

/* Returns the list of all raw formats of the GStreamer version at run time, which may
 * have more formats than the headers of the build. */
static gchar *
every_raw_format (void)
{
  GString *text = g_string_new ("{ ");
  gint n = GST_AUDIO_FORMAT_ENCODED + 1;
  GEnumClass *known = g_type_class_ref (GST_TYPE_AUDIO_FORMAT);

  for (; g_enum_get_value (known, n) != NULL; n++)
    g_string_append_printf (text, "%s%s",
        n == GST_AUDIO_FORMAT_ENCODED + 1 ? "" : ", ",
        gst_audio_format_to_string (n));
  g_type_class_unref (known);
  return g_string_free (g_string_append (text, " }"), FALSE);
}

LOOP_TEST (pads_accept_the_right_caps, N_ELEMENTS)
{
  g_autofree gchar *formats = __i__ == 0 ? every_raw_format ()
      : g_strdup ("{ " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", "
      GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (F64) " }");
  /* GStreamer maps at most 255 planes of a buffer */
  g_autofree gchar *caps = g_strdup_printf ("audio/x-raw, format = %s, "
      "rate = [ 1, 2147483647 ], channels = [ 1, 1024 ], "
      "layout = interleaved; audio/x-raw, format = %s, "
      "rate = [ 1, 2147483647 ], channels = [ 1, 255 ], "
      "layout = non-interleaved", formats, formats);
  g_autoptr (GstElement) element =
      gst_element_factory_make (elements[__i__], NULL);

  assert_template (element, "sink", GST_PAD_SINK, caps);
  assert_template (element, "src", GST_PAD_SRC, caps);
}

static const struct
{
  const gchar *element, *caps;
} refused[] = {
  {"revbuf", "audio/x-raw, format = S16LE, rate = 8000, channels = 1025, "
        "layout = interleaved"},
  {"revbuf", "audio/x-raw, format = S16LE, rate = 8000, channels = 256, "
        "layout = non-interleaved"},
  {"timescale", "audio/x-raw, format = S24LE, rate = 8000, channels = 1, "
        "layout = interleaved"},
};

LOOP_TEST (unsupported_caps_are_not_accepted, G_N_ELEMENTS (refused))
{
  GstHarness *h = gst_harness_new (refused[__i__].element);
  GstCaps *wrong = gst_caps_from_string (refused[__i__].caps);

  fail_if (gst_pad_peer_query_accept_caps (h->srcpad, wrong));
  gst_caps_unref (wrong);
  gst_harness_teardown (h);
}

/* A caps query from upstream returns the formats that downstream accepts. */
LOOP_TEST (caps_of_the_other_side_are_passed_on, N_ELEMENTS)
{
  GstHarness *h = gst_harness_new (elements[__i__]);
  GstCaps *wish = gst_caps_from_string ("audio/x-raw, format = F32LE, "
      "rate = 44100, channels = 2, layout = non-interleaved"), *offered;

  gst_harness_set_sink_caps (h, gst_caps_ref (wish));
  offered = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_is_equal (offered, wish));
  gst_caps_unref (offered);
  gst_caps_unref (wish);
  gst_harness_teardown (h);
}

/* ---- states ------------------------------------------------------------- */
