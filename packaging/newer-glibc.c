/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Debian's Swift for aarch64 was built with glibc 2.38 or newer, and calls four
 * functions that Debian 12 lacks. These replacements are linked into the tool, with
 * hidden visibility, so that no shared library uses them. The C23 functions differ from
 * the older ones only for numbers such as 0b101.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(hidden)

long __isoc23_strtol (const char *text, char **end, int base);
long long __isoc23_strtoll (const char *text, char **end, int base);
int __isoc23_sscanf (const char *text, const char *format, ...);
size_t strlcpy (char *copy, const char *text, size_t size_bytes);

#pragma GCC visibility pop

long
__isoc23_strtol (const char *text, char **end, int base)
{
  return strtol (text, end, base);
}

long long
__isoc23_strtoll (const char *text, char **end, int base)
{
  return strtoll (text, end, base);
}

int
__isoc23_sscanf (const char *text, const char *format, ...)
{
  va_list arguments;
  int n_read;

  va_start (arguments, format);
  n_read = vsscanf (text, format, arguments);
  va_end (arguments);
  return n_read;
}

size_t
strlcpy (char *copy, const char *text, size_t size_bytes)
{
  size_t length_bytes = strlen (text);

  if (size_bytes > 0) {
    size_t n_bytes = length_bytes < size_bytes ? length_bytes : size_bytes - 1;

    memcpy (copy, text, n_bytes);
    copy[n_bytes] = '\0';
  }
  return length_bytes;
}
