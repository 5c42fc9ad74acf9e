/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream of interleaved audio through a session of timescale.h alone, without an element.
 */

#ifndef SCALE_STREAM_H
#define SCALE_STREAM_H

#include <glib.h>
#include <timescale.h>

typedef void (ScaleStreamProcess) (TimeScaleAction * action,
    const void *const *in, void *const *out);

/** Memory for @bytes of output. */
typedef guint8 *(ScaleStreamPlace) (gsize bytes);

typedef struct
{
  guint rate;
  TimeScaleSettings settings;
  ScaleStreamProcess *process;  /* NULL: timescale_process() */
  ScaleStreamPlace *place;      /* NULL: anywhere */
  gsize most;                   /* frames of output at a time; 0: any number */

  /* of scalestream.c */
  TimeScale *session;
  gsize frame_bytes;
  guint64 next;                 /* frame of the input */
  const guint8 *kept;           /* nullable: all of the input, … */
  guint64 loaded;               /* … of which this frame is the first that is loaded */
  GByteArray *made;             /* the output */
} ScaleStream;

/** Begins a stream, for which @s has the first fields. */
void scale_stream_open (ScaleStream * s, const TimeDSPConfig * audio);

/** Scales @frames frames at @in. If the settings keep the ends, these are all, and stay until
 * scale_stream_close(). */
void scale_stream_feed (ScaleStream * s, gconstpointer in, gsize frames);

/** Ends the stream. Returns (transfer full) all of its output. */
GByteArray *scale_stream_close (ScaleStream * s);

#endif /* SCALE_STREAM_H */
