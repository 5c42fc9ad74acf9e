/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the C examples do before gst_init(). The scripts do the same in common.sh.
 */

#include <gst/gst.h>

/* Uses the plugin built next to the example, unless the environment names a folder. */
static inline void
prepare (void)
{
  g_autofree gchar *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *here = g_path_get_dirname (program ? program : ".");
  g_autofree gchar *folder = g_build_filename (here, "../gst-plugin", NULL);

  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_setenv ("GST_PLUGIN_PATH_1_0", folder, FALSE);
  /* don't use avdec_mp3, because it dithers loud audio and each decode returns
   * different samples */
  g_setenv ("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY", FALSE);
}

/* Says that the plugin is missing and where we looked for it, if that explains a failure. */
static inline void
explain_missing_plugin (void)
{
  const gchar *folder = g_getenv ("GST_PLUGIN_PATH_1_0");
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("revbuf");

  if (factory == NULL)
    g_printerr ("The plugin is neither in %s nor among the installed ones; "
        "run make build, or set GST_PLUGIN_PATH_1_0.\n", folder ? folder : "build/gst-plugin");
}
