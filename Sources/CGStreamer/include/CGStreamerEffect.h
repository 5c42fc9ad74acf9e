/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements that an application inserts into a pipeline, and functions that access its
 * samples.
 */

#ifndef RETROGRADE_CGSTREAMER_EFFECT_H
#define RETROGRADE_CGSTREAMER_EFFECT_H

#include <gst/audio/audio.h>
#include <gst/gst.h>

typedef enum
{
  CGST_INSERTED,
  CGST_INSERTION_BROKEN,        /* the elements cannot be created; see the error */
  CGST_INSERTION_NO_INPUT,      /* they have no input */
  CGST_INSERTION_NO_OUTPUT,     /* they have no output */
  CGST_INSERTION_OTHER_INPUT,   /* they do not accept the format of the stream */
  CGST_INSERTION_OTHER_OUTPUT   /* their output has another rate or other channels, or is
                                 * not audio */
} CGstInsertion;

/* Inserts a bin of @elements, a description for gst_parse_launch(), between the
 * capsfilter named @after and the next element, in a pipeline in state NULL. The
 * output of the bin must have the rate and the channels of the capsfilter's caps.
 * @bin, which may be NULL, is set if the bin was inserted; it belongs to the pipeline.
 * @context records missing elements. */
CGstInsertion cgst_insert (gpointer pipeline, const gchar * after,
    const gchar * elements, GstParseContext * context, GstElement ** bin,
    GError ** error);

/* The name of an element; free it with g_free(). */
static inline gchar *
cgst_name (gpointer element)
{
  return gst_object_get_name (element);
}

/* The description of the elements, inserted by cgst_insert(), from which a message
 * comes; NULL if it comes from another element. Free it with g_free(). */
gchar *cgst_message_insertion (GstMessage * message);

/* A block of frames in planes of floats. They may be changed. */
typedef struct
{
  float *const *planes;
  gint channels, rate;
  gint64 frames;
  gint64 first_frame;           /* index since the beginning, or since a flush */
  gboolean is_first;            /* the first block then, or in a new format */
} CGstFrames;

typedef void (*CGstTap) (const CGstFrames * frames, gpointer data);

/* Passes all audio from @element, which must be planar floats, to @tap, in the
 * streaming thread. */
void cgst_tap (gpointer element, CGstTap tap, gpointer data,
    GDestroyNotify free_data);

/* Appends @tail_ns of silence to the audio that enters @element, which must be
 * interleaved. */
void cgst_add_tail (gpointer element, GstClockTime tail_ns);

#endif
