/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer for the signal processing: sequences of calls with any sizes, factors and
 * formats. The first byte selects the part.
 */

#include "dsp.h"

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static void (*const parts[]) (FuzzInput *) = {
    fuzz_scaler, fuzz_endpoints, fuzz_stretch
  };
  FuzzInput input = fuzz_input (data, size);

  FUZZ_ONE_OF (&input, parts) (&input);
  return 0;
}
