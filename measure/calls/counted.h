/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records the functions of a plugin that was built with -finstrument-functions, and the calls of
 * Swift that calls.py lets it count. Included by one file of a program.
 */

#include <dlfcn.h>
#include <stdio.h>

#include <gst/gst.h>

#define MAX_CALLS 100000

static gint counting;           /* atomic */
static void *called[MAX_CALLS];
static gint n_called;           /* atomic */
static gulong *crossings;
static const gchar *const *crossing_names;

void __cyg_profile_func_enter (void *function, void *caller);
void __cyg_profile_func_exit (void *function, void *caller);

void
__cyg_profile_func_enter (void *function, void *caller)
{
  gint n;

  if (!g_atomic_int_get (&counting))
    return;
  n = g_atomic_int_add (&n_called, 1);
  if (n < MAX_CALLS)
    called[n] = function;
}

void
__cyg_profile_func_exit (void *function, void *caller)
{
}

static void
find_crossings (void)
{
  GstPlugin *plugin =
      gst_registry_find_plugin (gst_registry_get (), "retrograde");
  void *library = dlopen (gst_plugin_get_filename (plugin),
      RTLD_LAZY | RTLD_NOLOAD);

  crossings = dlsym (library, "crossings");
  crossing_names = dlsym (library, "crossing_names");
  if (crossings == NULL || crossing_names == NULL)
    g_error ("the plugin does not count");
}

static void
start_counting (void)
{
  guint i;

  for (i = 0; crossing_names[i] != NULL; i++)
    crossings[i] = 0;
  g_atomic_int_set (&n_called, 0);
  g_atomic_int_set (&counting, TRUE);
}

/* Stops counting, and prints what was called; @n_out buffers have left. */
static void
print_counted (guint n_out)
{
  gint i, n;

  g_atomic_int_set (&counting, FALSE);
  n = MIN (g_atomic_int_get (&n_called), MAX_CALLS);
  for (i = 0; i < n; i++) {
    Dl_info info;

    if (dladdr (called[i], &info) != 0)
      printf ("call\t%#lx\n", (gulong) ((gchar *) called[i]
              - (gchar *) info.dli_fbase));
  }
  for (i = 0; crossing_names[i] != NULL; i++)
    if (crossings[i] > 0)
      printf ("swift\t%s\t%lu\n", crossing_names[i], crossings[i]);
  printf ("out\t%u\n", n_out);
}
