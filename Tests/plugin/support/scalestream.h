/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes a stream of interleaved audio through a session of timescale.h, without an
 * element.
 */

#ifndef SCALE_STREAM_H
#define SCALE_STREAM_H

#include <glib.h>
#include <timescale.h>

typedef void (ScaleStreamProcess) (TimeScaleAction * action,
    const void *const *in, void *const *out);

/** Allocates memory for @bytes bytes of output. */
typedef guint8 *(ScaleStreamPlace) (gsize bytes);

typedef struct
{
  guint rate;
  TimeScaleSettings settings;
  ScaleStreamProcess *process;  /* NULL for timescale_process() */
  ScaleStreamPlace *place;      /* NULL for any memory */
  gsize most;                   /* maximum number of output frames at a time; 0 for any
                                 * number */

  /* used by scalestream.c */
  TimeScale *session;
  gsize frame_bytes;
  guint64 next;                 /* next frame of the input */
  const guint8 *kept;           /* (nullable) all of the input */
  guint64 loaded;               /* index in `kept` of the first frame that is loaded */
  GByteArray *made;             /* all output so far */
} ScaleStream;

/** Begins a stream. The fields of @s before `session` must have been set. */
void scale_stream_open (ScaleStream * s, const TimeDSPConfig * audio);

/** Scales @frames frames at @in. With TIMESCALE_ENDPOINTS, @in must be the whole stream,
 * and must stay valid until scale_stream_close(). */
void scale_stream_feed (ScaleStream * s, gconstpointer in, gsize frames);

/** Ends the stream. Returns all of its output (transfer full). */
GByteArray *scale_stream_close (ScaleStream * s);

#endif /* SCALE_STREAM_H */
