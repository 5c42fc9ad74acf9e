/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the time of the signal processing alone, called through its C
 * interface as in the plugin, compared with memcpy and with other libraries on
 * the same data. bench.py makes tables from the output (kernels.h).
 */

#include "kernels.h"

#include <stdio.h>
#include <string.h>

int
main (int argc, char **argv)
{
  const char *part = argc > 1 ? argv[1] : "";

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (strcmp (part, "resampling") != 0)
    measure_reversal ();
  if (strcmp (part, "reversal") != 0)
    measure_resampling ();
  return 0;
}
