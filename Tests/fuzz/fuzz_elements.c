/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer for both elements. Each element is between two pads. The first byte selects
 * whether the stream is correct.
 */

#include "fuzzgst.h"

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = fuzz_input (data, size);

  if (fuzz_flag (&input))
    fuzz_laws (&input);
  else
    fuzz_chaos (&input);
  return 0;
}
