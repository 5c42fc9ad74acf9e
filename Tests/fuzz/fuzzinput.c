/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fuzzinput.h"

#include <math.h>
#include <string.h>

uint64_t
fuzz_edge (FuzzInput * input)
{
  unsigned how = fuzz_byte (input);

  switch (how >> 6) {
    case 0:                    /* a small number */
      return how & 63;
    case 1:                    /* a number near a power of two */
      return (UINT64_C (1) << (how & 63)) + fuzz_byte (input) - 128;
    case 2:
      return fuzz_bytes (input, 2);
    default:
      return fuzz_bytes (input, 8);
  }
}

double
fuzz_double (FuzzInput * input)
{
  static const double known[] = { 1, 0.5, 2, 1 / 1.1, 1.5, 0.01, 100, 0.7,
    0.1, 1.0000001, 10, 0.0099999999, 100.00001, 0, -1, 1e300
  };
  unsigned how = fuzz_byte (input);
  uint64_t bits;
  double value;

  if (how < 96)
    return known[how % 16];
  if (how < 224)
    return exp ((double) fuzz_bytes (input, 4) / UINT32_MAX * 9.21 - 4.605);
  bits = fuzz_bytes (input, 8);
  memcpy (&value, &bits, sizeof (value));
  return value;
}
