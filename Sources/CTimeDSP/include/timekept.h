/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timekept.h: collects a stream to play it backwards: stores its frames, and
 * calculates the timestamps of the reversed output. Part of the C interface
 * of the signal processing (see timedsp.h for its words and rules).
 */

#ifndef TIMEKEPT_H
#define TIMEKEPT_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- frames ------------------------------------------------------------------
 *
 * Frames are stored in memory, and beyond a limit in a file that the owner
 * provides. They are stored in blocks of one size, about 1 MiB, in which one
 * plane follows another. The first blocks stay in memory; later blocks are
 * written to the file when they are full.
 */

typedef struct TimeStore TimeStore;

/** A file of blocks, which have @bytes bytes each. Its functions are called by
 * timestore_append() and timestore_peek(), and return 0 on failure. */
typedef struct {
  void *owner;
  /** Appends a block. */
  int (*write) (void *owner, const void *block, size_t bytes);
  /** Reads block @index. Block @next_index, if it exists, is likely to be read next. */
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

/** Discards all frames, and reuses their memory for new frames. The owner must have emptied
 * the file before. */
void timestore_clear (TimeStore * store);

/** The number of frames, and the number of bytes in the file. */
uint64_t timestore_count (const TimeStore * store);
uint64_t timestore_file_bytes (const TimeStore * store);

/** Appends @frames frames; @planes has one address per plane. Returns 0 if the file has
 * failed or memory cannot be allocated; earlier frames are not lost then. */
int timestore_append (TimeStore * store, const void *const *planes, size_t frames);

/** Sets @span to as many frames as are contiguous in memory, from @frame on, or up to the
 * frame before @frame if @backward is not 0. @span is valid until the next call on
 * @store. Returns 0 if the file has failed, if memory cannot be allocated, or if there is
 * no such frame. */
int timestore_peek (TimeStore * store, uint64_t frame, int backward,
    TimeStoreSpan * span);

/*
 * ---- timestamps of a stream that is played backwards ---------------------------
 *
 * All times are in nanoseconds of a single segment. An input time t becomes
 * the output time start + (stop - t), where stop is the end of the collected
 * audio. The output times never decrease, even if the input times did.
 */

/** The runs of a collected stream, in order of arrival. A run is a series of frames
 * without a jump in time, either audio or a gap. */
typedef struct TimeKept TimeKept;

/** A run of the output: frames @first_frame … @end_frame - 1, in reverse order. */
typedef struct {
  uint64_t first_frame, end_frame;
  uint64_t start_ns;            /**< start time; UINT64_MAX: the run continues from the
                                 * end of the previous one */
  int gap;
} TimeKeptRun;

/**
 * Makes an empty list of runs.
 *
 * @rate: frames per second, at least 1
 * @max_bytes: limit on the memory for runs; a limit below 1 MiB counts as 1 MiB
 *
 * Returns NULL if memory cannot be allocated.
 */
TimeKept *timekept_new (uint32_t rate, uint64_t max_bytes);

/** Frees @kept; NULL is allowed. */
void timekept_free (TimeKept * kept);

/**
 * Adds @frames frames, of which the first is at @time_ns. @jumps: not 0:
 * @time_ns does not continue from the previous frame. @gap: not 0: the frames
 * are a gap.
 *
 * Errors: NULL_POINTER; NO_MEMORY: there are more jumps than fit into
 * @max_bytes, and the frames were not added.
 */
TimeDSPStatus timekept_add (TimeKept * kept, uint64_t time_ns, uint64_t frames,
    int jumps, int gap);

/** The number of runs. */
size_t timekept_count (const TimeKept * kept);

/** Drops the frames that begin at @stop_ns or later; times may be off by 1 ns. Must be
 * called after the last frames have been added. */
void timekept_cut (TimeKept * kept, uint64_t stop_ns);

/**
 * Prepares the reversed output. Must be called after the last frames have
 * been added. Sets @stop_ns to the end of the collected audio in a segment
 * that starts at @start_ns.
 *
 * Returns the end time of the output. It is later than @stop_ns only if input times
 * decreased.
 */
uint64_t timekept_turn (TimeKept * kept, uint64_t start_ns, uint64_t * stop_ns);

/** Sets @run to the next run of the output. Returns 0 if there are no more
 * runs. */
int timekept_next (TimeKept * kept, TimeKeptRun * run);

#ifdef __cplusplus
}
#endif
#endif /* TIMEKEPT_H */
