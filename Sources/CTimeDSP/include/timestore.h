/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timestore.h: keeps frames of audio in memory, and beyond a limit in a file that the
 * owner provides. Part of the C interface of the signal processing (see timedsp.h for
 * its words and rules).
 *
 * Frames are stored in blocks of equal size, about 1 MiB; inside a block, one plane
 * follows another. The first blocks stay in memory; later ones are written to the file
 * when they are full.
 */

#ifndef TIMESTORE_H
#define TIMESTORE_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TimeStore TimeStore;

/** A file of blocks that are @bytes long each. Its functions are called by
 * timestore_append() and timestore_peek(), and return 0 on failure. */
typedef struct {
  void *owner;
  /** Appends a block. */
  int (*write) (void *owner, const void *block, size_t bytes);
  /** Reads block @index. @next_index is likely to be read next; it may not exist. */
  int (*read) (void *owner, uint64_t index, void *block, size_t bytes,
      uint64_t next_index);
} TimeStoreFile;

/** Consecutive frames in memory. */
typedef struct {
  const uint8_t *const *planes; /**< address of first_frame in every plane */
  uint64_t first_frame;
  size_t n_frames;
} TimeStoreSpan;

/**
 * Makes an empty store. Returns NULL if memory cannot be allocated.
 *
 * @planes, @stride_bytes: number of planes, at least 1, and bytes of a frame in one
 * plane
 * @max_memory_bytes: limit on the memory for frames, rounded down to whole blocks.
 *   Two additional blocks are buffers for the file.
 */
TimeStore *timestore_new (uint32_t planes, uint32_t stride_bytes,
    uint64_t max_memory_bytes, const TimeStoreFile * file);

/** Frees @store; NULL is allowed. */
void timestore_free (TimeStore * store);

/** Discards all frames; the owner must have discarded those in the file. The memory
 * is kept for new frames. */
void timestore_clear (TimeStore * store);

/** The number of frames; and the number of bytes in the file. */
uint64_t timestore_count (const TimeStore * store);
uint64_t timestore_file_bytes (const TimeStore * store);

/** Appends @frames frames; @planes has one address per plane. Returns 0 if the file has
 * failed or memory cannot be allocated; frames stored earlier are not lost. */
int timestore_append (TimeStore * store, const void *const *planes, size_t frames);

/** Sets @span to all frames that are contiguous in memory: from @frame on or, if
 * @backward is set, before it. It is valid until the next call on @store. Returns 0
 * for the same reasons as timestore_append(), or if there is no such frame. */
int timestore_peek (TimeStore * store, uint64_t frame, int backward,
    TimeStoreSpan * span);

#ifdef __cplusplus
}
#endif
#endif /* TIMESTORE_H */
