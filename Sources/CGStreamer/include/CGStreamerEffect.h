/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Effects, which are elements that an application inserts into a pipeline, or functions that
 * process samples.
 */

#ifndef RETROGRADE_CGSTREAMER_EFFECT_H
#define RETROGRADE_CGSTREAMER_EFFECT_H

#include <gst/audio/audio.h>
#include <gst/gst.h>

typedef enum
{
  CGST_INSERTED,
  CGST_INSERTION_BROKEN,        /* @error says why we can't create the elements */
  CGST_INSERTION_NO_INPUT,      /* the elements have no input */
  CGST_INSERTION_NO_OUTPUT,     /* the elements have no output */
  CGST_INSERTION_OTHER_INPUT,   /* the elements don't accept the format of the stream */
  CGST_INSERTION_OTHER_OUTPUT   /* the output has a different rate or number of channels,
                                 * or isn't audio */
} CGstInsertion;

/* Creates a bin of @elements, a description for gst_parse_launch(), and inserts it after the
 * capsfilter named @after. The pipeline must be in the state NULL. The bin's output must have the
 * rate and number of channels in the capsfilter's caps. On success, *@bin (nullable) is set to
 * the bin, which belongs to the pipeline. @context records missing elements. Don't use the
 * pipeline after a failure, because it may be unlinked. */
CGstInsertion cgst_insert (gpointer pipeline, const gchar * after,
    const gchar * elements, GstParseContext * context, GstElement ** bin,
    GError ** error);

/* Free the name with g_free(). */
static inline gchar *
cgst_name (gpointer element)
{
  return gst_object_get_name (element);
}

/* If a message comes from elements that cgst_insert() has inserted, returns their description, or
 * else NULL. Free it with g_free(). */
gchar *cgst_message_insertion (GstMessage * message);

/* A block of frames, one plane of floats per channel. You may change the samples. */
typedef struct
{
  float *const *planes;
  gint channels, rate;
  gint64 frames;
  gint64 first_frame;           /* index of the first frame, counted from the last block
                                 * with is_first */
  gboolean is_first;            /* first block of the stream, or after a flush or a change
                                 * of format */
} CGstFrames;

typedef void (*CGstTap) (const CGstFrames * frames, gpointer data);

/* Calls @tap with each buffer that @element outputs, in the streaming thread. The format must be
 * non-interleaved F32. Audio in other formats isn't tapped. */
void cgst_tap (gpointer element, CGstTap tap, gpointer data,
    GDestroyNotify free_data);

/* Appends silence with the duration @tail_ns to the audio that enters @element.
 * The audio must be interleaved. */
void cgst_add_tail (gpointer element, GstClockTime tail_ns);

/* Changes @size bytes of interleaved floats in place, always whole frames. */
typedef void (*CGstLookAhead) (const GstAudioInfo * info, void *bytes, gsize size,
    gpointer data);

/* Lets @change modify all floats that enter @element, in the streaming thread. The output of
 * @change is @delay_frames late, so we remove that many frames at the start, pass in as many
 * frames of silence at the end, and adjust the timestamps. */
void cgst_look_ahead (gpointer element, gsize delay_frames, CGstLookAhead change,
    gpointer data, GDestroyNotify free_data);

#endif
