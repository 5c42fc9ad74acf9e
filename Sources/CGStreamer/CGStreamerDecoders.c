/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerDecoders.h"

#include <gst/audio/audio.h>
#include <gst/pbutils/pbutils.h>
#include <string.h>

/* ---- choice of the decoders ------------------------------------------------ */

/* GValueArray is deprecated, but autoplug-sort uses it */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static gint
find_factory (GValueArray * factories, const gchar * name)
{
  for (guint i = 0; i < factories->n_values; i++) {
    GstObject *factory =
        g_value_get_object (g_value_array_get_nth (factories, i));
    if (g_strcmp0 (GST_OBJECT_NAME (factory), name) == 0)
      return (gint) i;
  }
  return -1;
}

static guint
get_rank (GValueArray * factories, gint index)
{
  return gst_plugin_feature_get_rank (g_value_get_object (g_value_array_get_nth
          (factories, (guint) index)));
}

/* We prefer the decoder `wanted` unless the user has raised the rank of `other`. */
typedef struct
{
  const gchar *wanted;
  const gchar *other;
  guint other_rank;             /* rank of `other` in GStreamer */
  gint least_channels;          /* no preference below this */
} Preference;

static const Preference mpg123 =
    { "mpg123audiodec", "avdec_mp3", GST_RANK_MARGINAL, 0 };
static const Preference libav_flac =
    { "avdec_flac", "flacdec", GST_RANK_PRIMARY, 7 };
static const Preference libav_opus =
    { "avdec_opus", "opusdec", GST_RANK_PRIMARY, 0 };

/* Handles autoplug-sort. Returns the factories with the wanted decoder moved before the other
 * one, or NULL to keep their order. */
static GValueArray *
put_wanted_first (GstElement * decodebin, GstPad * pad, GstCaps * caps,
    GValueArray * factories, gpointer preference)
{
  const Preference *decoders = preference;
  gint wanted = find_factory (factories, decoders->wanted);
  gint other = find_factory (factories, decoders->other);
  gint channels = 0;
  GValueArray *sorted;

  if (gst_caps_is_fixed (caps))
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "channels",
        &channels);
  if (other < 0 || wanted < other || channels < decoders->least_channels
      || get_rank (factories, other) > decoders->other_rank)
    return NULL;
  sorted = g_value_array_copy (factories);
  g_value_array_remove (sorted, (guint) wanted);
  return g_value_array_insert (sorted, (guint) other,
      g_value_array_get_nth (factories, (guint) wanted));
}

#pragma GCC diagnostic pop

/* Drops any frames in a buffer beyond its duration. */
static GstPadProbeReturn
trim (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstAudioInfo format;

  if (caps != NULL && GST_BUFFER_DURATION_IS_VALID (buffer)
      && gst_audio_info_from_caps (&format, caps)) {
    gsize size = (gsize) gst_util_uint64_scale_round (GST_BUFFER_DURATION
        (buffer), (guint64) format.rate, GST_SECOND) * (gsize) format.bpf;
    if (size < gst_buffer_get_size (buffer)) {
      buffer = gst_buffer_make_writable (buffer);
      gst_buffer_set_size (buffer, (gssize) size);
      GST_PAD_PROBE_INFO_DATA (info) = buffer;
    }
  }
  gst_clear_caps (&caps);
  return GST_PAD_PROBE_OK;
}

static void
replace_segment (GstPadProbeInfo * info, const GstSegment * segment)
{
  GstEvent *changed = gst_event_new_segment (segment);

  gst_event_set_seqnum (changed,
      gst_event_get_seqnum (GST_PAD_PROBE_INFO_EVENT (info)));
  gst_event_replace ((GstEvent **) & GST_PAD_PROBE_INFO_DATA (info), changed);
  gst_event_unref (changed);
}

/* Moves both ends of a segment inwards by a few nanoseconds to undo rounding. Decoders clip to
 * whole frames, so an end that was rounded outwards leaves one frame too many. */
static GstPadProbeReturn
tighten (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstSegment segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_copy_segment (event, &segment);
  if (segment.format != GST_FORMAT_TIME)
    return GST_PAD_PROBE_OK;
  if (segment.start > 0)
    segment.start += 1;
  if (GST_CLOCK_TIME_IS_VALID (segment.stop)
      && segment.stop > segment.start + 2)
    segment.stop -= 2;
  replace_segment (info, &segment);
  return GST_PAD_PROBE_OK;
}

/* The pre-skip of an Opus stream, in frames at 48 kHz, or 0 for other types. */
static guint16
pre_skip (GstPad * pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GValue *headers = caps == NULL ? NULL
      : gst_structure_get_value (gst_caps_get_structure (caps, 0),
      "streamheader");
  guint16 pre_skip_frames = 0;

  if (headers != NULL && gst_value_array_get_size (headers) > 0)
    gst_codec_utils_opus_parse_header (gst_value_get_buffer
        (gst_value_array_get_value (headers, 0)), NULL, NULL, NULL, NULL, NULL,
        NULL, &pre_skip_frames, NULL);
  gst_clear_caps (&caps);
  return pre_skip_frames;
}

/* Makes an Opus decoder drop the pre-skip unless oggdemux already has. In GStreamer 1.22,
 * oggdemux only does if granule positions begin at 0, but they don't in a recording that starts
 * in the middle of a broadcast (RFC 7845, section 4.5). @first_ns is the timestamp of the first
 * packet. */
static GstPadProbeReturn
skip_start (GstPad * pad, GstPadProbeInfo * info, gpointer first_ns)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime *known_ns = first_ns;
  guint16 skipped_frames;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER)
      || !GST_BUFFER_PTS_IS_VALID (buffer))
    return GST_PAD_PROBE_OK;
  if (!GST_CLOCK_TIME_IS_VALID (*known_ns)) {
    if (gst_buffer_get_audio_clipping_meta (buffer) || pre_skip (pad) == 0)
      return GST_PAD_PROBE_REMOVE;
    *known_ns = GST_BUFFER_PTS (buffer);
  }
  if (GST_BUFFER_PTS (buffer) != *known_ns)
    return GST_PAD_PROBE_OK;
  skipped_frames = pre_skip (pad);
  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT,
      skipped_frames, 0);
  GST_BUFFER_PTS (buffer) +=
      gst_util_uint64_scale (skipped_frames, GST_SECOND, 48000);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* TRUE if this type has no extra frames after the end of the sound, but may be clipped there.
 * GStreamer 1.22's oggdemux counts the empty packet at the end of FFmpeg's FLAC as a frame, and
 * its times are a frame late if the file has a single page of sound. ASF rounds its length to
 * milliseconds. */
static gboolean
ends_with_its_packets (GstPad * pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure =
      caps == NULL ? NULL : gst_caps_get_structure (caps, 0);

  return structure != NULL && (gst_structure_has_name (structure,
          "audio/x-flac") || gst_structure_has_name (structure, "audio/x-wma"));
}

/* Removes a segment's stop if it's the end of the file. */
static GstPadProbeReturn
open_end (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstSegment segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
      || !ends_with_its_packets (pad))
    return GST_PAD_PROBE_OK;
  gst_event_copy_segment (event, &segment);
  if (segment.stop != segment.duration)
    return GST_PAD_PROBE_OK;
  segment.stop = GST_CLOCK_TIME_NONE;
  replace_segment (info, &segment);
  return GST_PAD_PROBE_OK;
}

/* Handles pad-added of oggdemux and asfdemux. */
static void
watch_ends (GstElement * demuxer, GstPad * pad, gpointer unused)
{
  GstClockTime *first_ns = g_new (GstClockTime, 1);

  *first_ns = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, skip_start, first_ns,
      g_free);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, open_end, NULL,
      NULL);
}

/* Posts an error if a decoder's new format is refused. mpg123audiodec would decode nothing
 * without saying so. */
static GstPadProbeReturn
check_format (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  g_autoptr (GstElement) decoder = gst_pad_get_parent_element (pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS || decoder == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (!gst_pad_peer_query_accept_caps (pad, caps))
    GST_ELEMENT_ERROR (decoder, STREAM, FORMAT,
        ("The sample rate or the channels change inside."), (NULL));
  return GST_PAD_PROBE_OK;
}

/* Sets up a decoder. vorbisdec and sfdec output frames after the end of the sound, but their last
 * buffer has the right duration. */
static void
set_up (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory ? GST_OBJECT_NAME (factory) : "";
  g_autoptr (GstPad) input = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  if (g_str_equal (name, "oggdemux") || g_str_equal (name, "asfdemux"))
    g_signal_connect (element, "pad-added", G_CALLBACK (watch_ends), NULL);
  if (g_str_equal (name, "opusdec"))
    g_object_set (element, "phase-inversion", TRUE, NULL);
  if (input != NULL && (g_str_has_prefix (name, "avdec_")
          || g_str_equal (name, "mpg123audiodec")
          || g_str_equal (name, "opusdec") || g_str_equal (name, "a52dec")))
    gst_pad_add_probe (input, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, tighten,
        NULL, NULL);
  if (pad != NULL && g_str_equal (name, "mpg123audiodec"))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_format,
        NULL, NULL);
  if (pad != NULL && (g_str_equal (name, "vorbisdec")
          || g_str_equal (name, "sfdec")))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, trim, NULL, NULL);
}

/* Handles deep-element-added. */
static void
set_up_added (GstBin * decodebin, GstBin * bin, GstElement * element,
    gpointer unused)
{
  set_up (element);
}

static void
set_up_item (const GValue * item, gpointer unused)
{
  set_up (g_value_get_object (item));
}

void
cgst_set_up_decoders (gpointer pipeline)
{
  GstIterator *elements = gst_bin_iterate_recurse (pipeline);

  (void) gst_iterator_foreach (elements, set_up_item, NULL);
  gst_iterator_free (elements);
}

void
cgst_prefer_right_decoders (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & mpg123);
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & libav_flac);
  g_signal_connect (decodebin, "deep-element-added",
      G_CALLBACK (set_up_added), NULL);
}

void
cgst_prefer_libav_opus (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & libav_opus);
}

/* ---- what is decoded -------------------------------------------------------- */

/* The last eight bytes of STREAMINFO before its checksum, in the FLAC header in caps: 20 bits for
 * the rate, 3 for the channels, 5 for the bits per sample, 36 for the number of frames (RFC 9639,
 * section 8.2). 0 for other caps. */
static guint64
flac_properties (const GstStructure * structure)
{
  const GValue *headers = gst_structure_get_value (structure, "streamheader");
  GstBuffer *buffer = NULL;
  guint8 bytes[8] = { 0 };

  if (gst_structure_has_name (structure, "audio/x-flac") && headers != NULL
      && GST_VALUE_HOLDS_ARRAY (headers)
      && gst_value_array_get_size (headers) > 0)
    buffer = gst_value_get_buffer (gst_value_array_get_value (headers, 0));
  /* STREAMINFO begins at offset 17, after the header for Ogg */
  if (buffer != NULL)
    gst_buffer_extract (buffer, 27, bytes, sizeof bytes);
  return GST_READ_UINT64_BE (bytes);
}

guint64
cgst_flac_frames (GstCaps * caps)
{
  return flac_properties (gst_caps_get_structure (caps, 0))
      & ((G_GUINT64_CONSTANT (1) << 36) - 1);
}

guint
cgst_stored_bits (GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  GstBuffer *data = NULL;
  guint8 bits = 0;

  if (gst_structure_has_name (structure, "audio/x-flac"))
    return (guint) (flac_properties (structure) >> 36 & 31) + 1u;
  if (!gst_structure_has_name (structure, "audio/x-alac")
      || !gst_structure_get (structure, "codec_data", GST_TYPE_BUFFER, &data,
          NULL))
    return 0;
  /* the `alac` box has a 12-byte header, and the number of bits per sample is
   * at offset 5 of its contents */
  if (gst_buffer_extract (data, 17, &bits, 1) != 1)
    bits = 0;
  gst_buffer_unref (data);
  return bits;
}
