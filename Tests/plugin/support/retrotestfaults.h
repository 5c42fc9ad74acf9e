/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestfaults: changes the events of a source. Some real elements recreate, duplicate
 * or delay events in the same way. Buffers are not changed.
 */

#ifndef RETRO_TEST_FAULTS_H
#define RETRO_TEST_FAULTS_H

#include "retrotestsource.h"

G_BEGIN_DECLS

/**
 * RetroTestFault:
 * @RETRO_TEST_NEW_SEQNUMS: every event has a new sequence number
 * @RETRO_TEST_NEW_SEGMENT_SEQNUMS: every segment has a new sequence number, as from auparse
 * @RETRO_TEST_NEW_FLUSH_SEQNUMS: every flush has a new sequence number
 * @RETRO_TEST_SAME_SEQNUMS: every event has the sequence number of the first one
 * @RETRO_TEST_STALE_SEQNUMS: every event has the sequence number of the previous seek
 * @RETRO_TEST_SEGMENT_TWICE: every segment is sent twice
 * @RETRO_TEST_OTHER_SEGMENT: a segment of the whole stream is sent before every segment
 * @RETRO_TEST_FLUSH_TWICE: a seek flushes a second time before its segment
 * @RETRO_TEST_LATE_SEEK: a seek returns immediately, and is performed by another thread
 * @RETRO_TEST_NO_FLUSH: a seek does not flush
 *
 * The values are 0 to RETRO_TEST_N_FAULTS - 1.
 */
typedef enum
{
  RETRO_TEST_NEW_SEQNUMS,
  RETRO_TEST_NEW_SEGMENT_SEQNUMS,
  RETRO_TEST_NEW_FLUSH_SEQNUMS,
  RETRO_TEST_SAME_SEQNUMS,
  RETRO_TEST_STALE_SEQNUMS,
  RETRO_TEST_SEGMENT_TWICE,
  RETRO_TEST_OTHER_SEGMENT,
  RETRO_TEST_FLUSH_TWICE,
  RETRO_TEST_LATE_SEEK,
  RETRO_TEST_NO_FLUSH,
  RETRO_TEST_N_FAULTS
} RetroTestFault;

typedef struct _RetroTestFaults RetroTestFaults;

/* The name of a fault, for the messages of a test. */
const gchar *retro_test_fault_name (RetroTestFault fault);

/* Applies this fault to the events of the source until the result is freed. */
RetroTestFaults *retro_test_faults_new (RetroTestSource * source,
    RetroTestFault fault);

/* Must be called after the source has been stopped. */
void retro_test_faults_free (RetroTestFaults * faults);

G_END_DECLS
#endif /* RETRO_TEST_FAULTS_H */
