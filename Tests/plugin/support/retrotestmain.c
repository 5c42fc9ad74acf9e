/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main function of a test program: runs the tests of all its files.
 */

#include "retrotest.h"

#include <string.h>

typedef struct
{
  const gchar *file, *name;
  TFun function;
  guint n_short, n;
} Test;

static GArray *tests;           /* of Test, in the order of the files and their lines */

gboolean
retro_test_is_long (void)
{
  return g_strcmp0 (g_getenv ("RETROGRADE_LONG"), "1") == 0;
}

void
retro_test_add (const gchar * file, const gchar * name, TFun function,
    guint n_short, guint n)
{
  Test test = { file, name, function, n_short, n };

  if (tests == NULL)
    tests = g_array_new (FALSE, FALSE, sizeof (Test));
  g_array_append_val (tests, test);
}

static guint
common_divisor (guint a, guint b)
{
  return b == 0 ? a : common_divisor (b, a % b);
}

/* Adds the cases of a test. A short run has some of them, which are spread over all: the
 * step from one to the next is about n times the golden ratio. */
static void
add_cases (TCase * tc, const Test * test)
{
  guint n = retro_test_is_long ()? test->n : MIN (test->n_short, test->n);
  guint step = n < test->n ? MAX (test->n * 0.618, 1) : 1, i;

  while (common_divisor (step, test->n) > 1)
    step++;
  for (i = 0; i < n; i++) {
    gint which = i * step % test->n;

    _tcase_add_test (tc, test->function, test->name, 0, 0, which, which + 1);
  }
}

int
main (int argc, char **argv)
{
  gchar *name = g_path_get_basename (argv[0]);
  Suite *s = suite_create (name);
  const gchar *file = NULL;
  TCase *tc = NULL;
  int failed;
  guint i;

  gst_check_init (&argc, &argv);
  g_random_set_seed (1);        /* the same numbers in each run */
  for (i = 0; i < tests->len; i++) {
    const Test *test = &g_array_index (tests, Test, i);

    if (file != test->file) {
      tc = tcase_create (strrchr (test->file, '/') + 1);
      suite_add_tcase (s, tc);
      file = test->file;
    }
    add_cases (tc, test);
  }
  failed = gst_check_run_suite (s, name, file);
  g_free (name);
  g_array_unref (tests);
  return failed;
}
