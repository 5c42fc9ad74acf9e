/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preload this library into a program with a tap (a callback that processes each block
 * of audio) to count the allocations that the tap makes in the streaming thread: from the
 * call that maps a block for the tap to the call that unmaps it. The number is printed at
 * exit. The first block is not counted, because the tap may allocate there.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *memory, size_t size);

static __thread int is_watched;
static long blocks, allocations;

static void
count (void)
{
  if (is_watched)
    __atomic_add_fetch (&allocations, 1, __ATOMIC_RELAXED);
}

void *
malloc (size_t size)
{
  count ();
  return __libc_malloc (size);
}

void *
calloc (size_t amount, size_t size)
{
  count ();
  return __libc_calloc (amount, size);
}

void *
realloc (void *memory, size_t size)
{
  count ();
  return __libc_realloc (memory, size);
}

/* Whether a return address lies in the program itself and not in a library: GStreamer's
 * own elements map buffers, too. */
static int
is_of_the_program (void *caller)
{
  Dl_info place;

  return dladdr (caller, &place) != 0 && place.dli_fname != NULL
      && strstr (place.dli_fname, ".so") == NULL;
}

int
gst_audio_buffer_map (void *audio, const void *info, void *buffer, int flags)
{
  static int (*real) (void *, const void *, void *, int);
  int is_mapped;

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "gst_audio_buffer_map");
  is_mapped = real (audio, info, buffer, flags);
  if (is_of_the_program (__builtin_return_address (0)))
    is_watched = __atomic_fetch_add (&blocks, 1, __ATOMIC_RELAXED) > 0;
  return is_mapped;
}

void
gst_audio_buffer_unmap (void *audio)
{
  static void (*real) (void *);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "gst_audio_buffer_unmap");
  is_watched = 0;
  real (audio);
}

static void __attribute__((destructor)) tell (void)
{
  fprintf (stderr, "%ld blocks, %ld allocations\n", blocks, allocations);
}
