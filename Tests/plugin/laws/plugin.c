/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin file, and the metadata of the elements.
 */

#include "retrotest.h"

#include <elf.h>
#include <link.h>
#include <string.h>

static const gchar *const elements[] = { "revbuf", "timescale" };

#define N_ELEMENTS G_N_ELEMENTS (elements)

/* ---- the file ----------------------------------------------------------- */

typedef struct
{
  GMappedFile *file;
  const gchar *bytes;
  GPtrArray *needed;            /* names of the required libraries */
  GPtrArray *exported;          /* names of the defined symbols that are exported */
} Elf;

static const
ElfW (Shdr) *
section_of (const Elf * elf, guint type)
{
  const ElfW (Ehdr) * header = (gconstpointer) elf->bytes;
  const ElfW (Shdr) * sections = (gconstpointer) (elf->bytes + header->e_shoff);
  guint i;

  for (i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == type)
      return &sections[i];
  fail ("no section of type %u", type);
  return NULL;
}

/* The string table that belongs to @section. */
static const gchar *
names_of (const Elf * elf, const ElfW (Shdr) * section)
{
  const ElfW (Ehdr) * header = (gconstpointer) elf->bytes;
  const ElfW (Shdr) * sections = (gconstpointer) (elf->bytes + header->e_shoff);

  return elf->bytes + sections[section->sh_link].sh_offset;
}

static void
read_needed (Elf * elf)
{
  const ElfW (Shdr) * section = section_of (elf, SHT_DYNAMIC);
  const ElfW (Dyn) * entry = (gconstpointer) (elf->bytes + section->sh_offset);

  for (; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED)
      g_ptr_array_add (elf->needed, (gpointer) (names_of (elf, section)
              + entry->d_un.d_val));
}

static void
read_exported (Elf * elf)
{
  const ElfW (Shdr) * section = section_of (elf, SHT_DYNSYM);
  const ElfW (Sym) * symbols = (gconstpointer) (elf->bytes +
      section->sh_offset);
  gsize i;

  for (i = 0; i < section->sh_size / sizeof (symbols[0]); i++)
    if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name != 0)
      g_ptr_array_add (elf->exported, (gpointer) (names_of (elf, section)
              + symbols[i].st_name));
}

static Elf
open_plugin (void)
{
  GstPlugin *plugin =
      gst_registry_find_plugin (gst_registry_get (), "retrograde");
  Elf elf;

  fail_unless (plugin != NULL);
  elf.file = g_mapped_file_new (gst_plugin_get_filename (plugin), FALSE, NULL);
  fail_unless (elf.file != NULL);
  elf.bytes = g_mapped_file_get_contents (elf.file);
  fail_unless (memcmp (elf.bytes, ELFMAG, SELFMAG) == 0);
  elf.needed = g_ptr_array_new ();
  elf.exported = g_ptr_array_new ();
  read_needed (&elf);
  read_exported (&elf);
  gst_object_unref (plugin);
  return elf;
}

static void
close_plugin (Elf * elf)
{
  g_ptr_array_unref (elf->needed);
  g_ptr_array_unref (elf->exported);
  g_mapped_file_unref (elf->file);
}

static gboolean
has_name (GPtrArray * names, const gchar * name)
{
  return g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL);
}

TEST (only_gstreamers_two_symbols_are_exported)
{
  Elf elf = open_plugin ();

  fail_unless (has_name (elf.exported, "gst_plugin_retrograde_get_desc"));
  fail_unless (has_name (elf.exported, "gst_plugin_retrograde_register"));
  fail_unless_equals_int (elf.exported->len, 2);
  close_plugin (&elf);
}

TEST (no_swift_library_is_needed)
{
  Elf elf = open_plugin ();
  guint i;

  fail_unless (has_name (elf.needed, "libgstreamer-1.0.so.0"));
  for (i = 0; i < elf.needed->len; i++) {
    const gchar *name = g_ptr_array_index (elf.needed, i);

    fail_unless (strstr (name, "swift") == NULL
        && strstr (name, "Foundation") == NULL, "%s is needed", name);
  }
  close_plugin (&elf);
}

TEST (only_known_libraries_are_needed)
{
  static const gchar *const known[] = { "libgst", "libglib-2", "libgobject-2",
    "libc.so", "libm.so", "libasan", "libubsan", "libtsan",
    "ld-linux-aarch64"          /* contains the guard value of the stack protector */
  };
  Elf elf = open_plugin ();
  guint i, k;

  for (i = 0; i < elf.needed->len; i++) {
    const gchar *name = g_ptr_array_index (elf.needed, i);
    gboolean is_known = FALSE;

    for (k = 0; k < G_N_ELEMENTS (known); k++)
      is_known |= g_str_has_prefix (name, known[k]);
    fail_unless (is_known, "%s is needed", name);
  }
  close_plugin (&elf);
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
          GST_ELEMENT_METADATA_KLASS), "Filter/Effect/Audio");
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
  GstCaps *caps = gst_caps_from_string (caps_text), *found;
  gchar *text;

  fail_unless (template != NULL);
  fail_unless_equals_int (GST_PAD_TEMPLATE_DIRECTION (template), direction);
  fail_unless_equals_int (GST_PAD_TEMPLATE_PRESENCE (template), GST_PAD_ALWAYS);
  found = gst_pad_template_get_caps (template);
  text = gst_caps_to_string (found);
  fail_unless (gst_caps_is_equal (found, caps), "%s has %s", name, text);
  g_free (text);
  gst_caps_unref (found);
  gst_caps_unref (caps);
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
  gchar *formats = __i__ == 0 ? every_raw_format ()
      : g_strdup ("{ " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", "
      GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (F64) " }");
  /* GStreamer maps at most 255 planes of a buffer */
  gchar *caps = g_strdup_printf ("audio/x-raw, format = %s, "
      "rate = [ 1, 2147483647 ], channels = [ 1, 1024 ], "
      "layout = interleaved; audio/x-raw, format = %s, "
      "rate = [ 1, 2147483647 ], channels = [ 1, 255 ], "
      "layout = non-interleaved", formats, formats);
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);

  assert_template (element, "sink", GST_PAD_SINK, caps);
  assert_template (element, "src", GST_PAD_SRC, caps);
  gst_object_unref (element);
  g_free (caps);
  g_free (formats);
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

LOOP_TEST (states_go_up_and_down_many_times, N_ELEMENTS)
{
  static const GstState states[] = { GST_STATE_PLAYING, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_NULL
  };
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  guint i, k;

  for (i = 0; i < 100; i++)
    for (k = 0; k < G_N_ELEMENTS (states); k++)
      ASSERT_SET_STATE (element, states[k], GST_STATE_CHANGE_SUCCESS);
  ASSERT_OBJECT_REFCOUNT (element, "element", 1);
  gst_object_unref (element);
}

LOOP_TEST (many_streams_go_through_one_element, N_ELEMENTS)
{
  RetroTest *t = retro_test_new (elements[__i__]);
  GstAudioInfo info;
  guint i;

  retro_test_plain_info (&info);
  for (i = 0; i < 50; i++) {
    if (i > 0)
      retro_test_restart (t);
    retro_test_clear (t);
    retro_test_start (t, &info, i % 2 ? 1 : -1, 0, PLAIN_NS (1000));
    retro_test_push (t, 0, 1000);
    retro_test_eos (t);
    if (i % 2)
      retro_test_assert_up (t, 0, 1000);
    else
      retro_test_assert_down (t, 0, 1000);
  }
  retro_test_free (t);
}

LOOP_TEST (an_element_that_never_ran_is_freed, N_ELEMENTS)
{
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  GWeakRef weak;

  g_weak_ref_init (&weak, element);
  gst_object_unref (element);
  fail_unless (g_weak_ref_get (&weak) == NULL);
  g_weak_ref_clear (&weak);
}
