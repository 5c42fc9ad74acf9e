/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerEffect.h"

/* ---- elements --------------------------------------------------------------- */

/* The key for an inserted bin's description of its elements. */
#define ELEMENTS "cgst-elements"

/* If a value is out of range for a property, GObject ignores it and just logs a message. This
 * GString collects the first such message in the thread that creates elements. In other threads
 * it's NULL, and messages are logged as usual. */
static GPrivate complaint = G_PRIVATE_INIT (NULL);

static void
note_complaint (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer unused)
{
  GString *noted = g_private_get (&complaint);

  if (noted == NULL)
    g_log_default_handler (domain, level, message, NULL);
  else if (noted->len == 0)
    g_string_assign (noted, message);
}

/* Creates a bin of elements. Returns NULL and sets @error if we can't create them or if a
 * property value is out of range. */
static GstElement *
make_bin (const gchar * elements, GstParseContext * context, GError ** error)
{
  GString *noted = g_string_new (NULL);
  GstElement *made;
  guint handler;

  g_private_set (&complaint, noted);
  handler = g_log_set_handler ("GLib-GObject",
      G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL, note_complaint, NULL);
  made = gst_parse_bin_from_description_full (elements, TRUE, context,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_log_remove_handler ("GLib-GObject", handler);
  g_private_set (&complaint, NULL);
  if (made != NULL && noted->len > 0) {
    g_set_error_literal (error, GST_PARSE_ERROR,
        GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY, noted->str);
    gst_object_unref (gst_object_ref_sink (made));
    made = NULL;
  }
  g_string_free (noted, TRUE);
  return made;
}

/* TRUE if @output can have the rate and channels of @wanted, in any sample format. */
static gboolean
gives (GstPad * output, const GstCaps * wanted)
{
  GstCaps *given = gst_pad_query_caps (output, NULL);
  GstCaps *sound = gst_caps_copy (wanted);
  gboolean fits;

  /* any format will do, because audioconvert follows */
  for (guint i = 0; i < gst_caps_get_size (sound); i++)
    gst_structure_remove_fields (gst_caps_get_structure (sound, i), "format",
        "layout", NULL);
  fits = gst_caps_can_intersect (given, sound);
  gst_caps_unref (sound);
  gst_caps_unref (given);
  return fits;
}

/* Inserts @bin between @before, a pad of a capsfilter, and its peer @behind. */
static CGstInsertion
put_between (GstElement * bin, GstPad * before, GstPad * after)
{
  GstPad *input = gst_element_get_static_pad (bin, "sink");
  GstPad *output = gst_element_get_static_pad (bin, "src");
  GstElement *filter = gst_pad_get_parent_element (before);
  CGstInsertion outcome = CGST_INSERTED;
  GstCaps *wanted = NULL;

  g_object_get (filter, "caps", &wanted, NULL);
  gst_pad_unlink (before, after);
  if (input == NULL)
    outcome = CGST_INSERTION_NO_INPUT;
  else if (output == NULL)
    outcome = CGST_INSERTION_NO_OUTPUT;
  else if (gst_pad_link (before, input) != GST_PAD_LINK_OK)
    outcome = CGST_INSERTION_OTHER_INPUT;
  else if (!gives (output, wanted)
      || gst_pad_link (output, after) != GST_PAD_LINK_OK)
    outcome = CGST_INSERTION_OTHER_OUTPUT;
  gst_caps_unref (wanted);
  gst_object_unref (filter);
  g_clear_object (&input);
  g_clear_object (&output);
  return outcome;
}

CGstInsertion
cgst_insert (gpointer pipeline, const gchar * after, const gchar * elements,
    GstParseContext * context, GstElement ** bin, GError ** error)
{
  GstElement *made = make_bin (elements, context, error);
  GstElement *filter = gst_bin_get_by_name (pipeline, after);
  GstPad *before = filter ? gst_element_get_static_pad (filter, "src") : NULL;
  GstPad *next = before ? gst_pad_get_peer (before) : NULL;
  CGstInsertion outcome = CGST_INSERTION_BROKEN;

  if (made != NULL && next != NULL) {
    g_object_set_data_full (G_OBJECT (made), ELEMENTS, g_strdup (elements),
        g_free);
    gst_bin_add (pipeline, made);
    outcome = put_between (made, before, next);
    if (outcome == CGST_INSERTED && bin != NULL)
      *bin = made;
  } else if (made != NULL) {
    gst_object_unref (gst_object_ref_sink (made));
  }
  g_clear_object (&next);
  g_clear_object (&before);
  g_clear_object (&filter);
  return outcome;
}

gchar *
cgst_message_insertion (GstMessage * message)
{
  GstObject *object = GST_MESSAGE_SRC (message);
  gchar *elements = NULL;

  if (object != NULL)
    gst_object_ref (object);
  while (object != NULL) {
    GstObject *parent = gst_object_get_parent (object);
    if (elements == NULL)
      elements = g_strdup (g_object_get_data (G_OBJECT (object), ELEMENTS));
    gst_object_unref (object);
    object = parent;
  }
  return elements;
}

/* ---- samples ---------------------------------------------------------------- */

typedef struct
{
  CGstTap tap;
  gpointer data;
  GDestroyNotify free_data;
  GstAudioInfo info;            /* set when caps arrive */
  gint64 frames_done;
  gint is_fresh;                /* the next block is the first one (see CGstFrames). Atomic,
                                 * because a flush may arrive in another thread */
} Tap;

static void
free_tap (gpointer data)
{
  Tap *tap = data;

  tap->free_data (tap->data);
  g_free (tap);
}

static void
tap_buffer (Tap * tap, GstBuffer * buffer)
{
  GstAudioBuffer audio;
  CGstFrames frames = { NULL };

  if (!gst_audio_buffer_map (&audio, &tap->info, buffer, GST_MAP_READWRITE))
    return;
  frames.is_first = g_atomic_int_compare_and_exchange (&tap->is_fresh, 1, 0);
  if (frames.is_first)
    tap->frames_done = 0;
  frames.planes = (float *const *) audio.planes;
  frames.channels = GST_AUDIO_INFO_CHANNELS (&tap->info);
  frames.rate = GST_AUDIO_INFO_RATE (&tap->info);
  frames.frames = (gint64) audio.n_samples;
  frames.first_frame = tap->frames_done;
  tap->tap (&frames, tap->data);
  tap->frames_done += frames.frames;
  gst_audio_buffer_unmap (&audio);
  /* @tap may have changed silence to sound */
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
}

static void
tap_event (Tap * tap, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!gst_audio_info_from_caps (&tap->info, caps))
      gst_audio_info_init (&tap->info);
    g_atomic_int_set (&tap->is_fresh, 1);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_atomic_int_set (&tap->is_fresh, 1);
  }
}

static GstPadProbeReturn
on_tapped (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Tap *tap = data;

  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
    tap_event (tap, GST_PAD_PROBE_INFO_EVENT (info));
  } else if (GST_AUDIO_INFO_FORMAT (&tap->info) == GST_AUDIO_FORMAT_F32) {
    GstBuffer *buffer =
        gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    tap_buffer (tap, buffer);
  }
  return GST_PAD_PROBE_OK;
}

void
cgst_tap (gpointer element, CGstTap function, gpointer data,
    GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");
  Tap *tap;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  tap = g_new0 (Tap, 1);
  tap->tap = function;
  tap->data = data;
  tap->free_data = free_data;
  gst_audio_info_init (&tap->info);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_tapped, tap, free_tap);
  gst_object_unref (pad);
}

/* ---- silence at the end --------------------------------------------------- */

#define PIECES_IN_A_SECOND 10

typedef struct
{
  GstClockTime length_ns;
  GstClockTime end_ns;          /* end of the last buffer */
} Tail;

static GstBuffer *
silence (const GstAudioInfo * info, gsize frames, GstClockTime start_ns)
{
  gsize bytes = frames * (gsize) GST_AUDIO_INFO_BPF (info);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, bytes, NULL);

  if (buffer == NULL)
    return NULL;
  gst_buffer_memset (buffer, 0, 0, bytes);      /* for floats, zero bytes are silence */
  GST_BUFFER_PTS (buffer) = start_ns;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale_int (frames, GST_SECOND,
      GST_AUDIO_INFO_RATE (info));
  return buffer;
}

/* Removes the segment's stop, because buffers after it would be clipped. */
static void
open_segment (GstPad * pad)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (event == NULL)
    return;
  gst_event_parse_segment (event, &segment);
  if (GST_CLOCK_TIME_IS_VALID (segment->stop)) {
    GstSegment open = *segment;
    open.stop = GST_CLOCK_TIME_NONE;
    (void) gst_pad_send_event (pad, gst_event_new_segment (&open));
  }
  gst_event_unref (event);
}

static void
send_tail (GstPad * pad, Tail * tail)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstAudioInfo info;

  /* don't send a tail if there was no audio */
  if (caps != NULL && GST_CLOCK_TIME_IS_VALID (tail->end_ns)
      && gst_audio_info_from_caps (&info, caps)) {
    gint rate = GST_AUDIO_INFO_RATE (&info);
    guint64 most = (guint64) MAX (rate / PIECES_IN_A_SECOND, 1);
    guint64 count = gst_util_uint64_scale_int_round (tail->length_ns, rate,
        GST_SECOND);
    /* a copy, because the probe sees these buffers too and changes end_ns */
    GstClockTime start_ns = tail->end_ns;

    open_segment (pad);
    for (guint64 done = 0; done < count; done += most) {
      GstBuffer *buffer = silence (&info, MIN (most, count - done),
          start_ns + gst_util_uint64_scale_int (done, GST_SECOND, rate));
      if (buffer == NULL || gst_pad_chain (pad, buffer) != GST_FLOW_OK)
        break;
    }
  }
  gst_clear_caps (&caps);
}

static GstPadProbeReturn
on_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Tail *tail = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    tail->end_ns = GST_BUFFER_PTS (buffer);
    if (GST_BUFFER_PTS_IS_VALID (buffer)
        && GST_BUFFER_DURATION_IS_VALID (buffer))
      tail->end_ns += GST_BUFFER_DURATION (buffer);
    return GST_PAD_PROBE_OK;
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    send_tail (pad, tail);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) ==
      GST_EVENT_FLUSH_STOP)
    tail->end_ns = GST_CLOCK_TIME_NONE;
  return GST_PAD_PROBE_OK;
}

void
cgst_add_tail (gpointer element, GstClockTime length_ns)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  Tail *tail;

  if (pad == NULL)
    return;
  tail = g_new (Tail, 1);
  tail->length_ns = length_ns;
  tail->end_ns = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_end, tail, g_free);
  gst_object_unref (pad);
}

/* ---- look-ahead ------------------------------------------------------------ */

typedef struct
{
  CGstLookAhead change;
  gpointer data;
  GDestroyNotify free_data;
  gsize delay_frames;
  gsize early_frames;           /* frames of the delay still to be removed */
  GstClockTime end_ns;          /* end of the last buffer that entered */
} LookAhead;

static void
free_look_ahead (gpointer data)
{
  LookAhead *look = data;

  look->free_data (look->data);
  g_free (look);
}

static gboolean
get_floats (GstPad * pad, GstAudioInfo * info)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gboolean are_floats = caps != NULL && gst_audio_info_from_caps (info, caps)
      && GST_AUDIO_INFO_IS_FLOAT (info);

  gst_clear_caps (&caps);
  return are_floats;
}

/* Returns FALSE if nothing is left of @buffer. */
static gboolean
look_ahead (LookAhead * look, GstBuffer ** buffer, const GstAudioInfo * info)
{
  gint bpf = GST_AUDIO_INFO_BPF (info);
  gint rate = GST_AUDIO_INFO_RATE (info);
  gsize frames = gst_buffer_get_size (*buffer) / (gsize) bpf;
  gsize early = MIN (look->early_frames, frames);
  GstClockTime start_ns = GST_BUFFER_PTS (*buffer);
  GstClockTime duration_ns = GST_BUFFER_DURATION (*buffer);
  GstMapInfo map;

  *buffer = gst_buffer_make_writable (*buffer);
  if (gst_buffer_map (*buffer, &map, GST_MAP_READWRITE)) {
    look->change (info, map.data, map.size, look->data);
    gst_buffer_unmap (*buffer, &map);
  }
  /* silence may have become sound */
  GST_BUFFER_FLAG_UNSET (*buffer, GST_BUFFER_FLAG_GAP);
  if (early < frames)
    *buffer = gst_audio_buffer_truncate (*buffer, bpf, early, frames - early);
  if (GST_CLOCK_TIME_IS_VALID (start_ns)) {
    GstClockTime late_ns =
        gst_util_uint64_scale_int (look->delay_frames - early, GST_SECOND,
        rate);
    look->end_ns = GST_CLOCK_TIME_IS_VALID (duration_ns) ?
        start_ns + duration_ns : GST_CLOCK_TIME_NONE;
    GST_BUFFER_PTS (*buffer) = MAX (start_ns, late_ns) - late_ns;
    GST_BUFFER_DURATION (*buffer) =
        gst_util_uint64_scale_int (frames - early, GST_SECOND, rate);
  }
  look->early_frames -= early;
  return frames > early;
}

static GstPadProbeReturn
on_look_ahead (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  LookAhead *look = data;
  GstAudioInfo format;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    gboolean is_left = !get_floats (pad, &format)
        || look_ahead (look, &buffer, &format);

    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    return is_left ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS
      && get_floats (pad, &format)) {
    GstBuffer *rest = silence (&format, look->delay_frames, look->end_ns);
    if (rest != NULL)
      (void) gst_pad_chain (pad, rest);
  }
  return GST_PAD_PROBE_OK;
}

void
cgst_look_ahead (gpointer element, gsize delay_frames, CGstLookAhead change,
    gpointer data, GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  LookAhead *look;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  look = g_new (LookAhead, 1);
  look->change = change;
  look->data = data;
  look->free_data = free_data;
  look->delay_frames = look->early_frames = delay_frames;
  look->end_ns = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_look_ahead, look, free_look_ahead);
  gst_object_unref (pad);
}
