/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks that the sanitizers of this build detect errors. The program starts
 * itself as a child process. The child makes an error, which the sanitizer must
 * report.
 */

#include <gst/check/gstcheck.h>

#include <stdlib.h>
#include <string.h>

static const gchar *program;

/* ---- faults --------------------------------------------------------------- */

static volatile gint where = 10;
static gpointer volatile kept;

static void
write_behind (void)
{
  gchar *memory = malloc (10);

  memory[where] = 1;
  kept = memory;
}

static void
lose_memory (void)
{
  kept = malloc (10);
  kept = NULL;
}

static void
overflow (void)
{
  volatile gint most = G_MAXINT;

  most += where;
}

static gint counter;
static GMutex counter_lock;

static gpointer
count (gpointer locked)
{
  gint i;

  for (i = 0; i < 10000; i++) {
    if (locked)
      g_mutex_lock (&counter_lock);
    counter++;
    if (locked)
      g_mutex_unlock (&counter_lock);
  }
  return NULL;
}

static void
count_in_two_threads (gboolean locked)
{
  GThread *one = g_thread_new ("one", count, GINT_TO_POINTER (locked));
  GThread *other = g_thread_new ("other", count, GINT_TO_POINTER (locked));

  g_thread_join (one);
  g_thread_join (other);
}

static void
race (void)
{
  count_in_two_threads (FALSE);
}

/* The sanitizer must not report a race, because the threads use a lock. */
static void
take_turns (void)
{
  count_in_two_threads (TRUE);
}

typedef struct
{
  const gchar *name;
  const gchar *sanitizer;
  void (*function) (void);
  const gchar *words;           /* a part of the report. NULL if there must be none */
} Wrong;

static const Wrong wrongs[] = {
  {"write-behind", "address", write_behind, "heap-buffer-overflow"},
  {"lose-memory", "address", lose_memory, "detected memory leaks"},
  {"overflow", "undefined", overflow, "signed integer overflow"},
  {"race", "thread", race, "data race"},
  {"take-turns", "thread", take_turns, NULL}
};

/* ---- tests -------------------------------------------------------------- */

GST_START_TEST (reports)
{
  const Wrong *wrong = &wrongs[__i__];
  const gchar *arguments[] = { program, wrong->name, NULL };
  gchar *text = NULL;
  gint status;

  if (strstr (SANITIZERS, wrong->sanitizer) == NULL)
    return;
  fail_unless (g_spawn_sync (NULL, (gchar **) arguments, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &text, &status, NULL));
  if (wrong->words == NULL)
    fail_unless (status == 0, "%s", text);
  else
    fail_unless (status != 0 && strstr (text, wrong->words) != NULL,
        "status %d: %s", status, text);
  g_free (text);
}

GST_END_TEST;

static Suite *
sanitizers_suite (void)
{
  Suite *s = suite_create ("sanitizers");
  TCase *tc = tcase_create ("control");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, reports, 0, G_N_ELEMENTS (wrongs));
  return s;
}

int
main (int argc, char **argv)
{
  guint i;

  program = argv[0];
  for (i = 0; argc > 1 && i < G_N_ELEMENTS (wrongs); i++) {
    if (strcmp (argv[1], wrongs[i].name) == 0) {
      wrongs[i].function ();
      return 0;
    }
  }
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (sanitizers_suite (), "sanitizers", __FILE__);
}
