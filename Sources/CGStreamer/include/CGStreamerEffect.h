/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements that an application puts into a pipeline, and functions that look at its samples.
 */

#ifndef RETROGRADE_CGSTREAMER_EFFECT_H
#define RETROGRADE_CGSTREAMER_EFFECT_H

#include <gst/audio/audio.h>
#include <gst/gst.h>

typedef enum
{
  CGST_INSERTED,
  CGST_INSERTION_BROKEN,        /* the elements cannot be made, as the error says */
  CGST_INSERTION_NO_INPUT,      /* nothing flows into them */
  CGST_INSERTION_NO_OUTPUT,     /* nothing flows out of them */
  CGST_INSERTION_OTHER_INPUT,   /* they do not take what comes */
  CGST_INSERTION_OTHER_OUTPUT   /* another rate, other channels, or no sound comes out of them */
} CGstInsertion;

/* Puts a bin of @elements, as for gst_parse_launch(), between the capsfilter named
 * @after and the next element, in a pipeline in state NULL. The output of the bin must
 * have the rate and the channels of the capsfilter's caps. @bin, which may be NULL,
 * belongs to the pipeline; it is set if the bin was inserted. @context records missing
 * elements. */
CGstInsertion cgst_insert (gpointer pipeline, const gchar * after,
    const gchar * elements, GstParseContext * context, GstElement ** bin,
    GError ** error);

/* The name of an element; free it with g_free(). */
static inline gchar *
cgst_name (gpointer element)
{
  return gst_object_get_name (element);
}

/* The elements, inserted by cgst_insert(), that a message comes from, as they were
 * described to it; NULL if it comes from another element. Free it with g_free(). */
gchar *cgst_message_insertion (GstMessage * message);

/* Some frames of sound in planes of floats. They may be changed. */
typedef struct
{
  float *const *planes;
  gint channels, rate;
  gint64 frames;
  gint64 first_frame;           /* counted from the beginning, or since a flush */
  gboolean is_first;            /* there, and with each format */
} CGstFrames;

typedef void (*CGstTap) (const CGstFrames * frames, gpointer data);

/* Passes all sound that leaves @element, which must be planar floats, to @tap, in the
 * streaming thread. */
void cgst_tap (gpointer element, CGstTap tap, gpointer data,
    GDestroyNotify free_data);

/* Appends @tail_ns of silence to the sound that enters @element, which has to be
 * interleaved. */
void cgst_add_tail (gpointer element, GstClockTime tail_ns);

#endif
