/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retrotestplay.h"

#include <string.h>

/* Longer than any operation takes, even on a busy machine, and shorter than Check's timeout of
 * a test. */
#define DEADLINE_US (60 * G_USEC_PER_SEC)

/* ---- recording ---------------------------------------------------------- */

static void
record_buffer (RetroPlay * play, GstBuffer * buffer)
{
  gsize n_frames = retro_test_buffer_frames (&play->out, buffer);
  guint64 from;

  g_mutex_lock (&play->lock);
  while (play->frames_out >= play->gate_frames && !play->flushing) {
    play->at_gate = TRUE;
    g_cond_broadcast (&play->changed);
    g_cond_wait (&play->changed, &play->lock);
  }
  play->at_gate = FALSE;
  if (play->flushing) {
    g_mutex_unlock (&play->lock);
    return;
  }
  from = play->frames_out;
  g_mutex_unlock (&play->lock);

  if (play->watch != NULL)
    play->watch (play, from, from + n_frames);

  g_mutex_lock (&play->lock);
  if (!play->forgets)
    g_ptr_array_add (play->out.items, gst_buffer_ref (buffer));
  play->frames_out += n_frames;
  g_cond_broadcast (&play->changed);
  g_mutex_unlock (&play->lock);
}

static void
record_event (RetroPlay * play, GstEvent * event)
{
  g_mutex_lock (&play->lock);
  if (!play->forgets)
    g_ptr_array_add (play->out.items, gst_event_ref (event));
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      play->flushing = TRUE;
      play->eos = FALSE;
      break;
    case GST_EVENT_FLUSH_STOP:
      play->flushing = FALSE;
      play->flushes++;
      break;
    case GST_EVENT_EOS:
      play->eos = TRUE;
      break;
    case GST_EVENT_SEGMENT_DONE:
      play->segments_done++;
      break;
    case GST_EVENT_SEGMENT:
      play->eos = FALSE;
      break;
    default:
      break;
  }
  g_cond_broadcast (&play->changed);
  g_mutex_unlock (&play->lock);
}

static GstPadProbeReturn
record (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstMiniObject *item = GST_PAD_PROBE_INFO_DATA (info);

  if (GST_IS_BUFFER (item))
    record_buffer (data, GST_BUFFER_CAST (item));
  else
    record_event (data, GST_EVENT_CAST (item));
  return GST_PAD_PROBE_OK;
}

/* ---- the pipeline ------------------------------------------------------- */

GstAudioInfo
retro_play_info (void)
{
  return retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, PLAIN_RATE, 2);
}

static void
make_pipeline (RetroPlay * play, const gchar * description)
{
  play->pipeline = gst_pipeline_new (NULL);
  play->revbuf = gst_parse_launch (description, NULL);
  play->sink = gst_element_factory_make ("fakesink", NULL);
  fail_unless (play->revbuf != NULL && play->sink != NULL);
  g_object_set (play->sink, "sync", FALSE, NULL);
  gst_bin_add_many (GST_BIN (play->pipeline), GST_ELEMENT (play->source),
      play->revbuf, play->sink, NULL);
  fail_unless (gst_element_link_many (GST_ELEMENT (play->source),
          play->revbuf, play->sink, NULL));

  retro_play_probe (play->sink, "sink", GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      record, play);
}

RetroPlay *
retro_play_new (const gchar * description, const GstAudioInfo * info,
    guint64 n_frames)
{
  RetroPlay *play = g_new0 (RetroPlay, 1);

  retro_test_load_core ();
  g_mutex_init (&play->lock);
  g_cond_init (&play->changed);
  play->gate_frames = G_MAXUINT64;
  play->source = retro_test_source_new (info, n_frames);
  play->knobs = &play->source->knobs;
  make_pipeline (play, description);
  /* a test may have turned its class into an encoder, which lasts for the whole
   * process */
  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, "Sink");
  play->out.element = play->revbuf;
  play->out.bus = gst_element_get_bus (play->pipeline);
  play->out.info = *info;
  play->out.items =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_mini_object_unref);
  return play;
}

RetroPlay *
retro_play_new_plain (const gchar * description, guint64 n_frames)
{
  GstAudioInfo info = retro_play_info ();

  return retro_play_new (description, &info, n_frames);
}

static void
set_gate (RetroPlay * play, guint64 gate_frames)
{
  g_mutex_lock (&play->lock);
  play->gate_frames = gate_frames;
  g_cond_broadcast (&play->changed);
  g_mutex_unlock (&play->lock);
}

void
retro_play_stop (RetroPlay * play)
{
  set_gate (play, G_MAXUINT64);
  fail_unless_equals_int (gst_element_set_state (play->pipeline,
          GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
}

void
retro_play_free (RetroPlay * play)
{
  retro_play_stop (play);
  gst_object_unref (play->out.bus);
  gst_object_unref (play->pipeline);
  g_ptr_array_unref (play->out.items);
  g_cond_clear (&play->changed);
  g_mutex_clear (&play->lock);
  g_free (play);
}

void
retro_play_set_state (RetroPlay * play, GstState state)
{
  fail_unless (gst_element_set_state (play->pipeline, state)
      != GST_STATE_CHANGE_FAILURE);
}

/* ---- waiting ------------------------------------------------------------ */

typedef gboolean (*Condition) (RetroPlay * play, guint64 n);

static gboolean
has_ended (RetroPlay * play, guint64 n)
{
  return play->eos;
}

static gboolean
is_at_gate (RetroPlay * play, guint64 n)
{
  return play->at_gate && play->frames_out >= n;
}

static gboolean
has_ended_or_is_at_gate (RetroPlay * play, guint64 n)
{
  return play->eos || is_at_gate (play, n);
}

static gboolean
has_done_segments (RetroPlay * play, guint64 n)
{
  return play->segments_done >= n;
}

/* The deadline, multiplied like the timeouts of Check, which are extended under
 * emulators and sanitizers. */
static gint64
patience (void)
{
  const gchar *multiplier = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  return DEADLINE_US * (multiplier == NULL ? 1 :
      MAX (g_ascii_strtod (multiplier, NULL), 1));
}

static void
wait_until (RetroPlay * play, Condition is_met, guint64 n, const gchar * what)
{
  gint64 deadline = g_get_monotonic_time () + patience ();
  gboolean in_time = TRUE;

  g_mutex_lock (&play->lock);
  while (!is_met (play, n) && in_time)
    in_time = g_cond_wait_until (&play->changed, &play->lock, deadline);
  fail_unless (in_time, "no %s (%" G_GUINT64_FORMAT "), after %"
      G_GUINT64_FORMAT " frames", what, n, play->frames_out);
  g_mutex_unlock (&play->lock);
}

void
retro_play_start (RetroPlay * play, guint64 gate_frames)
{
  set_gate (play, gate_frames);
  retro_play_set_state (play, GST_STATE_PLAYING);
  wait_until (play, is_at_gate, gate_frames, "frames");
  /* wait for PLAYING: if a flush occurs while GstBin changes to PLAYING, the sink stays in
   * PAUSED indefinitely */
  if (gate_frames > 0)
    gst_element_get_state (play->pipeline, NULL, NULL,
        patience () * GST_USECOND);
}

void
retro_play_go_on (RetroPlay * play, guint64 gate_frames)
{
  set_gate (play, gate_frames);
  wait_until (play, is_at_gate, gate_frames, "frames");
}

void
retro_play_finish (RetroPlay * play)
{
  set_gate (play, G_MAXUINT64);
  wait_until (play, has_ended, 0, "EOS");
}

void
retro_play_run (RetroPlay * play)
{
  retro_play_set_state (play, GST_STATE_PLAYING);
  retro_play_finish (play);
}

void
retro_play_run_within (RetroPlay * play, guint64 n_frames)
{
  gboolean eos;

  set_gate (play, n_frames);
  retro_play_set_state (play, GST_STATE_PLAYING);
  wait_until (play, has_ended_or_is_at_gate, n_frames, "EOS");
  g_mutex_lock (&play->lock);
  eos = play->eos;
  g_mutex_unlock (&play->lock);
  fail_unless (eos, "no EOS after %" G_GUINT64_FORMAT " frames", n_frames);
}

void
retro_play_wait_segment_done (RetroPlay * play, guint n)
{
  set_gate (play, G_MAXUINT64);
  wait_until (play, has_done_segments, n, "SEGMENT_DONE");
}

GstMessage *
retro_play_wait_message (RetroPlay * play, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (play->out.bus,
      patience () * GST_USECOND, type);

  fail_unless (message != NULL, "no message %s",
      gst_message_type_get_name (type));
  return message;
}

/* The text of an error or a warning (transfer full), which may be NULL. */
static gchar *
take_sentence (GstMessage * message)
{
  GError *error = NULL;
  gchar *sentence;

  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  sentence = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return sentence;
}

gchar *
retro_play_wait_sentence (RetroPlay * play, GstMessageType type)
{
  return take_sentence (retro_play_wait_message (play, type));
}

gchar *
retro_play_pop_sentence (RetroPlay * play, GstMessageType type)
{
  return take_sentence (gst_bus_pop_filtered (play->out.bus, type));
}

void
retro_play_assert_says (RetroPlay * play, GstMessageType type,
    const gchar * words)
{
  gchar *sentence = retro_play_wait_sentence (play, type);

  fail_unless (strstr (sentence, words) != NULL, "'%s' does not say '%s'",
      sentence, words);
  g_free (sentence);
}

GstMessage *
retro_play_wait_report (RetroPlay * play, GstMessageType type,
    const gchar * reason, const GstStructure ** details)
{
  GstMessage *message = retro_play_wait_message (play, type);

  *details = NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error_details (message, details);
  else
    gst_message_parse_warning_details (message, details);
  fail_unless (*details != NULL, "there are no details of %s", reason);
  fail_unless_equals_string (gst_structure_get_string (*details, "reason"),
      reason);
  return message;
}

void
retro_play_assert_reports (RetroPlay * play, GstMessageType type,
    const gchar * reason, const gchar * words)
{
  const GstStructure *details;
  g_autofree gchar *sentence =
      take_sentence (retro_play_wait_report (play, type, reason, &details));

  fail_unless (strstr (sentence, words) != NULL, "'%s' does not say '%s'",
      sentence, words);
}

void
retro_play_pause (RetroPlay * play)
{
  retro_play_set_state (play, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (play->pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
}

void
retro_play_rewind (RetroPlay * play)
{
  retro_play_stop (play);
  gst_bus_set_flushing (play->out.bus, TRUE);
  gst_bus_set_flushing (play->out.bus, FALSE);
  retro_test_clear (&play->out);
  play->eos = FALSE;
}

void
retro_play_probe (gpointer element, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback, gpointer data)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, data, NULL);
  gst_object_unref (pad);
}

void
retro_play_insert (RetroPlay * play, GstElement * element)
{
  gst_bin_add (GST_BIN (play->pipeline), element);
  gst_element_unlink (play->revbuf, play->sink);
  fail_unless (gst_element_link_many (play->revbuf, element, play->sink, NULL));
}

/* ---- the application ----------------------------------------------------- */

gboolean
retro_play_seek (RetroPlay * play, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop)
{
  return gst_element_seek (play->pipeline, rate, GST_FORMAT_TIME, flags,
      start_type, start, stop_type, stop);
}

void
retro_play_set_reverse (RetroPlay * play, gboolean reverse)
{
  g_object_set (play->revbuf, "direction", reverse, NULL);
}

static GstClockTime
ask (RetroPlay * play, gboolean (*query) (GstPad *, GstFormat, gint64 *))
{
  GstPad *pad = gst_element_get_static_pad (play->revbuf, "src");
  gint64 answer;
  gboolean answered = query (pad, GST_FORMAT_TIME, &answer);

  gst_object_unref (pad);
  return answered ? (GstClockTime) answer : GST_CLOCK_TIME_NONE;
}

GstClockTime
retro_play_position (RetroPlay * play)
{
  return ask (play, gst_pad_query_position);
}

GstClockTime
retro_play_duration (RetroPlay * play)
{
  return ask (play, gst_pad_query_duration);
}

guint64
retro_play_stat (RetroPlay * play, const gchar * name)
{
  return retro_test_stat (&play->out, name);
}

/* ---- the output ----------------------------------------------------------- */

/* A table from the bytes of each plain frame to its index + 1. The table is kept,
 * because most tests of a program play streams of the same length. */
static GHashTable *
get_index (RetroPlay * play)
{
  static GHashTable *table = NULL;
  guint64 n;

  fail_unless_equals_int (GST_AUDIO_INFO_BPF (&play->out.info), 8);
  if (table != NULL && g_hash_table_size (table) == play->knobs->n_frames)
    return table;
  g_clear_pointer (&table, g_hash_table_unref);
  table = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (n = 0; n < play->knobs->n_frames; n++) {
    guint8 *frame = g_malloc (8);

    retro_test_frame (&play->out.info, n, frame);
    g_hash_table_insert (table, frame, GUINT_TO_POINTER (n + 1));
  }
  fail_unless_equals_int (g_hash_table_size (table), play->knobs->n_frames);
  return table;
}

GArray *
retro_play_heard (RetroPlay * play)
{
  GArray *heard = g_array_new (FALSE, FALSE, sizeof (guint64));
  GByteArray *bytes = retro_test_bytes (&play->out);
  GHashTable *table = get_index (play);
  guint at;

  for (at = 0; at < bytes->len; at += 8) {
    guint64 index =
        GPOINTER_TO_UINT (g_hash_table_lookup (table, bytes->data + at));

    index--;                    /* G_MAXUINT64 if there is no such frame */
    g_array_append_val (heard, index);
  }
  g_byte_array_unref (bytes);
  return heard;
}
