/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestfaults: the events of a source after elements that recreate them, duplicate
 * them, or delay them. Frames are left alone.
 */

#ifndef RETRO_TEST_FAULTS_H
#define RETRO_TEST_FAULTS_H

#include "retrotestsource.h"

G_BEGIN_DECLS

/**
 * RetroTestFault:
 * @RETRO_TEST_NEW_SEQNUMS: every event has a number of its own
 * @RETRO_TEST_NEW_SEGMENT_SEQNUMS: every segment has, as of auparse
 * @RETRO_TEST_NEW_FLUSH_SEQNUMS: every flush has
 * @RETRO_TEST_SAME_SEQNUMS: every event has the number of the first one
 * @RETRO_TEST_STALE_SEQNUMS: every event has the number of the seek before
 * @RETRO_TEST_SEGMENT_TWICE: every segment comes twice
 * @RETRO_TEST_OTHER_SEGMENT: before every segment comes one of the whole stream
 * @RETRO_TEST_FLUSH_TWICE: a seek flushes once more before its segment
 * @RETRO_TEST_LATE_SEEK: a seek is answered immediately, and done by another thread
 * @RETRO_TEST_NO_FLUSH: a seek does not flush
 *
 * The values count from 0 to RETRO_TEST_N_FAULTS.
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

/* Its name in a message of a test. */
const gchar *retro_test_fault_name (RetroTestFault fault);

/* From now on the source has this fault, until it is freed. */
RetroTestFaults *retro_test_faults_new (RetroTestSource * source,
    RetroTestFault fault);

/* Once the source has stopped. */
void retro_test_faults_free (RetroTestFaults * faults);

G_END_DECLS
#endif /* RETRO_TEST_FAULTS_H */
