/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sends random events to an element, in any order. The output is checked in watch.c.
 */

#include "watch.h"

#include <gst/controller/controller.h>
#include <math.h>

#define MAX_STEPS 60
#define MAX_BYTES 4000

typedef struct
{
  FuzzInput *input;
  GstHarness *h;
  GstElement *element;
  gboolean is_timescale;
  GstAudioInfo info;            /* the format in the last caps */
  GstClockTime next_ns;         /* time at the end of the last buffer */
  FuzzWatch watch;
} Chaos;

/* ---- buffers ------------------------------------------------------------ */

static GstClockTime
choose_pts (Chaos * c)
{
  switch (fuzz_below (c->input, 8)) {
    case 0:
      return GST_CLOCK_TIME_NONE;
    case 1:
      return fuzz_time (c->input);
    case 2:
      return c->next_ns + fuzz_bytes (c->input, 4);
    case 3:
      return c->next_ns - MIN (c->next_ns, fuzz_bytes (c->input, 4));
    default:
      return c->next_ns;
  }
}

/* Returns a buffer with one or two memories. The memories may be shared or read-only. */
static GstBuffer *
make_buffer (Chaos * c, gsize bytes)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, bytes, NULL);
  guint how = fuzz_byte (c->input);

  gst_buffer_memset (buffer, 0, how, bytes);
  if (how % 7 == 1)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, how, NULL));
  if (how % 7 == 2 && gst_buffer_n_memory (buffer) > 0)
    GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0),
        GST_MEMORY_FLAG_READONLY);
  return buffer;
}

/* Adds a meta that gives the positions of planes. The positions may be wrong. */
static void
add_meta (Chaos * c, GstBuffer * buffer, gsize n_frames)
{
  GstAudioInfo info = c->info;
  gsize bytes = gst_buffer_get_size (buffer), fits;

  switch (fuzz_below (c->input, 8)) {
    case 0:
      return;
    case 1:                    /* describes other audio */
      fuzz_info (c->input, c->is_timescale, &info);
      break;
    default:
      break;
  }
  fits = bytes / MAX (GST_AUDIO_INFO_BPF (&info), 1);
  if (fits > 0)
    gst_buffer_add_audio_meta (buffer, &info, MIN (MAX (n_frames, 1), fits),
        NULL);
}

static void
push_buffer (Chaos * c)
{
  gsize bpf = MAX (GST_AUDIO_INFO_BPF (&c->info), 1);
  gsize n_frames = fuzz_below (c->input, MAX (MAX_BYTES / bpf, 1));
  gsize odd = fuzz_byte (c->input) > 230 ? fuzz_byte (c->input) : 0;
  GstBuffer *buffer = make_buffer (c, n_frames * bpf + odd);
  guint flags = fuzz_byte (c->input);

  if (GST_AUDIO_INFO_LAYOUT (&c->info) == PLANAR || flags > 250)
    add_meta (c, buffer, n_frames);
  GST_BUFFER_PTS (buffer) = choose_pts (c);
  GST_BUFFER_DTS (buffer) = FUZZ_UNTOUCHED_DTS;
  GST_BUFFER_DURATION (buffer) = flags & 1 ? fuzz_time (c->input) :
      retro_test_time (&c->info, n_frames);
  if (flags & 2)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (flags & 4)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if ((flags & 24) == 24)
    gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT,
        fuzz_edge (c->input), fuzz_edge (c->input));
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    c->next_ns = GST_BUFFER_PTS (buffer) + retro_test_time (&c->info, n_frames);
  if ((flags & 96) == 96) {     /* the buffer has another reference */
    GstBuffer *shared = gst_buffer_ref (buffer);

    gst_harness_push (c->h, buffer);
    gst_buffer_unref (shared);
  } else {
    gst_harness_push (c->h, buffer);
  }
}

/* ---- events from upstream ----------------------------------------------- */

static void
send_wrong_caps (Chaos * c)
{
  static const gchar *const texts[] = {
    "audio/x-raw", "audio/mpeg", "audio/x-raw,format=S16LE,rate=0,channels=1",
    "audio/x-raw,format=S16LE,rate=8000,channels=0,layout=interleaved",
    "audio/x-raw,format=S16LE,rate=8000,channels=3,layout=interleaved",
    "audio/x-raw,format=NONSENSE,rate=8000,channels=1,layout=interleaved",
    "audio/x-raw,format=F64LE,rate=1,channels=1,layout=non-interleaved",
    "audio/x-raw,format=S8,rate=1,channels=1024,layout=interleaved"
  };
  g_autoptr (GstCaps) caps =
      gst_caps_from_string (FUZZ_ONE_OF (c->input, texts));

  gst_harness_push_event (c->h, gst_event_new_caps (caps));
}

static void
send_caps (Chaos * c)
{
  g_autoptr (GstCaps) caps = NULL;

  if (fuzz_byte (c->input) > 230) {
    send_wrong_caps (c);
    return;
  }
  fuzz_info (c->input, c->is_timescale, &c->info);
  caps = gst_audio_info_to_caps (&c->info);
  gst_harness_push_event (c->h, gst_event_new_caps (caps));
}

static void
send_segment (Chaos * c)
{
  static const gdouble rates[] = { 1, -1, 1, -1, 2, -2, 0.5, -0.5, 100, 1e-9,
    -1e9, 1.0000001
  };
  GstSegment segment;

  gst_segment_init (&segment, fuzz_byte (c->input) > 245 ? GST_FORMAT_BYTES :
      GST_FORMAT_TIME);
  segment.rate = FUZZ_ONE_OF (c->input, rates);
  segment.start = fuzz_time (c->input);
  segment.stop = fuzz_time (c->input);
  segment.time = fuzz_time (c->input);
  if (fuzz_byte (c->input) > 200) {
    segment.applied_rate = FUZZ_ONE_OF (c->input, rates);
    segment.base = fuzz_time (c->input);
    segment.offset = fuzz_time (c->input);
    segment.position = fuzz_time (c->input);
    segment.duration = fuzz_time (c->input);
  } else {                      /* a segment as demuxers send it */
    segment.start = segment.time =
        GST_CLOCK_TIME_IS_VALID (segment.start) ? segment.start : 0;
    segment.stop = MAX (segment.stop, segment.start);
    segment.position = segment.rate > 0 ? segment.start : segment.stop;
  }
  c->next_ns = segment.start;
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
}

static void
send_gap (Chaos * c)
{
  GstClockTime pts = choose_pts (c);

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    pts = 0;
  gst_harness_push_event (c->h, gst_event_new_gap (pts, fuzz_time (c->input)));
}

static void
flush (Chaos * c)
{
  guint how = fuzz_byte (c->input);

  gst_harness_push_event (c->h, gst_event_new_flush_start ());
  if (how > 240)                /* a buffer during the flush */
    push_buffer (c);
  gst_harness_push_event (c->h, gst_event_new_flush_stop (how & 1));
}

static void
send_event (Chaos * c)
{
  static const gdouble multipliers[] = { 1, 2, 0.5, -1, 1e-9, 1e9, 100 };
  GstEvent *event = NULL;

  switch (fuzz_below (c->input, 9)) {
    case 0:
      event = gst_event_new_stream_start (fuzz_flag (c->input) ? "a" : "b");
      break;
    case 1:
      event = gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a", NULL));
      break;
    case 2:
      event = gst_event_new_segment_done (fuzz_flag (c->input) ?
          GST_FORMAT_TIME : GST_FORMAT_BYTES, fuzz_edge (c->input));
      break;
    case 3:
      event = gst_event_new_instant_rate_change (FUZZ_ONE_OF (c->input,
              multipliers), 0);
      break;
    case 4:
      event = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("a"));
      break;
    case 5:
      event = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
          gst_structure_new_empty ("a"));
      break;
    case 6:
      event = gst_event_new_flush_start ();
      break;
    case 7:
      event = gst_event_new_flush_stop (fuzz_flag (c->input));
      break;
    default:
      event = gst_event_new_eos ();
  }
  gst_harness_push_event (c->h, event);
}

/* ---- from downstream ---------------------------------------------------- */

static void
seek (Chaos * c)
{
  static const gdouble rates[] = { 1, -1, 2, -0.5, 1e-9, -1e9, 1.5 };
  gdouble rate = FUZZ_ONE_OF (c->input, rates);
  GstSeekFlags flags = fuzz_bytes (c->input, 2);
  GstFormat format = fuzz_byte (c->input) > 240 ? GST_FORMAT_BYTES :
      GST_FORMAT_TIME;
  GstSeekType start_type = fuzz_below (c->input, 3);
  gint64 start = fuzz_time (c->input);
  GstSeekType stop_type = fuzz_below (c->input, 3);
  gint64 stop = fuzz_time (c->input);

  if (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE) {      /* GStreamer requires this */
    flags &= ~GST_SEEK_FLAG_FLUSH;
    start_type = stop_type = GST_SEEK_TYPE_NONE;
    format = GST_FORMAT_TIME;
  }
  gst_harness_push_upstream_event (c->h, gst_event_new_seek (rate, format,
          flags, start_type, start, stop_type, stop));
}

static void
ask (Chaos * c)
{
  GstFormat format = fuzz_below (c->input, 5);
  g_autoptr (GstQuery) query = NULL;

  switch (fuzz_below (c->input, 7)) {
    case 0:
      query = gst_query_new_position (format);
      break;
    case 1:
      query = gst_query_new_duration (format);
      break;
    case 2:
      query = gst_query_new_seeking (format);
      break;
    case 3:
      query = gst_query_new_segment (format);
      break;
    case 4:
      query = gst_query_new_convert (GST_FORMAT_TIME, fuzz_edge (c->input),
          format);
      break;
    case 5:
      query = gst_query_new_caps (NULL);
      break;
    default:
      query = gst_query_new_latency ();
  }
  gst_pad_peer_query (c->h->sinkpad, query);
}

static void
ask_from_upstream (Chaos * c)
{
  g_autoptr (GstCaps) caps = gst_audio_info_to_caps (&c->info);
  g_autoptr (GstQuery) query = fuzz_flag (c->input) ?
      gst_query_new_allocation (caps, fuzz_flag (c->input)) :
      gst_query_new_accept_caps (caps);

  gst_pad_peer_query (c->h->srcpad, query);
}

static void
answer_downstream (Chaos * c)
{
  static const GstFlowReturn returns[] = { GST_FLOW_OK, GST_FLOW_EOS,
    GST_FLOW_FLUSHING, GST_FLOW_ERROR, GST_FLOW_NOT_LINKED
  };

  c->watch.answer = FUZZ_ONE_OF (c->input, returns);
}

/* ---- properties and states ---------------------------------------------- */

static void
bind_curve (Chaos * c, const gchar * property)
{
  g_autoptr (GstControlSource) source = gst_interpolation_control_source_new ();
  guint n = fuzz_below (c->input, 5);

  g_object_set (source, "mode", fuzz_below (c->input, 3), NULL);
  while (n-- > 0)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), fuzz_bytes (c->input, 2) * 125000,
        fuzz_byte (c->input) / 6000.0);
  gst_object_add_control_binding (GST_OBJECT (c->element),
      gst_direct_control_binding_new (GST_OBJECT (c->element), property,
          source));
}

/* Sets any property to any value. GObject clamps numbers to their range. */
static void
turn_knob (Chaos * c)
{
  static const gchar *const folders[] = { NULL, "/nowhere", "" };
  GObject *element = G_OBJECT (c->element);
  guint n;
  GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  GParamSpec *spec = specs[fuzz_below (c->input, n)];

  g_free (specs);
  if (!(spec->flags & G_PARAM_WRITABLE)
      || spec->owner_type == GST_TYPE_OBJECT)
    return;
  if ((spec->flags & GST_PARAM_CONTROLLABLE) && fuzz_byte (c->input) < 100)
    bind_curve (c, spec->name);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec)
      && G_PARAM_SPEC_DOUBLE (spec)->minimum < 0)
    g_object_set (element, spec->name,
        (gdouble) fuzz_below (c->input, 193) / 4 - 24, NULL);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_object_set (element, spec->name, fuzz_factor (c->input), NULL);
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_object_set (element, spec->name, fuzz_time (c->input), NULL);
  else if (G_IS_PARAM_SPEC_STRING (spec))
    g_object_set (element, spec->name, FUZZ_ONE_OF (c->input, folders), NULL);
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    g_object_set (element, spec->name, (gint) fuzz_below (c->input,
            G_PARAM_SPEC_ENUM (spec)->enum_class->n_values), NULL);
  else
    g_object_set (element, spec->name, (gint) fuzz_below (c->input, 11), NULL);
}

/* Relinks the pads, so that sticky events are sent again. */
static void
relink (Chaos * c)
{
  g_autoptr (GstPad) sinkpad = gst_pad_get_peer (c->h->srcpad);

  gst_pad_unlink (c->h->srcpad, sinkpad);
  gst_pad_link (c->h->srcpad, sinkpad);
}

static void
change_state (Chaos * c)
{
  gst_element_set_state (c->element, GST_STATE_NULL + fuzz_below (c->input, 4));
  if (fuzz_flag (c->input))
    gst_element_set_state (c->element, GST_STATE_PLAYING);
  if (fuzz_flag (c->input))
    relink (c);
}

/* ---- one input of the fuzzer -------------------------------------------- */

static void (*const steps[]) (Chaos *) = {
  push_buffer, push_buffer, push_buffer, push_buffer, push_buffer, push_buffer,
  send_caps, send_segment, send_segment, send_gap, flush, send_event, seek,
  ask, ask_from_upstream, answer_downstream, turn_knob, turn_knob, turn_knob,
  change_state
};

static void
drop_upstream_events (Chaos * c)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL)
    gst_event_unref (event);
}

/* Removes the control bindings, and sets properties to values with which the
 * output is known. */
static void
reset_properties (Chaos * c)
{
  guint n;
  GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (c->element), &n);

  while (n-- > 0) {
    GstControlBinding *binding =
        gst_object_get_control_binding (GST_OBJECT (c->element),
        specs[n]->name);

    if (binding != NULL) {
      gst_object_remove_control_binding (GST_OBJECT (c->element), binding);
      gst_object_unref (binding);
    }
  }
  g_free (specs);
  g_object_set (c->element, "max-memory", (guint64) 64 << 20,
      "spill-directory", NULL, NULL);
  if (!c->is_timescale)
    g_object_set (c->element, "loop", 0, "loop-start", (guint64) 0,
        "loop-stop", GST_CLOCK_TIME_NONE, NULL);
}

/* Plays a new stream of 1000 frames, after a flush that resets the element. */
static void
play_again (Chaos * c)
{
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);
  GstCaps *caps;

  gst_harness_push_event (c->h, gst_event_new_flush_start ());
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  relink (c);
  fail_unless (gst_harness_push_event (c->h,
          gst_event_new_stream_start ("again")));
  /* resets the rate, because the pad upstream remembers the last rate */
  gst_harness_push_event (c->h, gst_event_new_instant_rate_change (1, 0));
  c->info = retro_test_plain_info ();
  caps = gst_audio_info_to_caps (&c->info);
  gst_harness_push_event (c->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_harness_push (c->h, retro_test_buffer (&c->info,
              0, 600)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (c->h, retro_test_buffer (&c->info,
              600, 400)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (c->h, gst_event_new_eos ()));
}

/* Asserts that a stream of 1000 frames has the correct output. */
static void
require_alive (Chaos * c)
{
  gdouble factor = 1;

  gst_element_set_state (c->element, GST_STATE_NULL);
  reset_properties (c);
  gst_element_set_state (c->element, GST_STATE_PLAYING);
  if (c->is_timescale)
    g_object_get (c->element, "factor", &factor, NULL);
  fuzz_watch_clear (&c->watch);
  c->watch.frames = 0;
  play_again (c);
  fail_unless_equals_uint64 (c->watch.frames, floor (1000 * factor + 1e-9));
}

void
fuzz_chaos (FuzzInput * input)
{
  Chaos c = {.input = input };
  guint i;

  c.is_timescale = fuzz_flag (input);
  c.element = gst_element_factory_make (c.is_timescale ? "timescale" :
      "revbuf", NULL);
  c.h = gst_harness_new_with_element (c.element, "sink", "src");
  gst_harness_set_drop_buffers (c.h, TRUE);
  gst_harness_set_live (c.h, fuzz_flag (input));
  fuzz_watch_start (&c.watch, c.h->sinkpad);
  c.info = retro_test_plain_info ();
  if (fuzz_byte (input) < 240) {        /* most streams begin in the normal way */
    gst_harness_push_event (c.h, gst_event_new_stream_start ("a"));
    turn_knob (&c);
    send_caps (&c);
    send_segment (&c);
  }
  for (i = 0; i < MAX_STEPS && fuzz_more (input); i++) {
    FUZZ_ONE_OF (input, steps) (&c);
    drop_upstream_events (&c);
  }
  require_alive (&c);
  gst_harness_teardown (c.h);
  gst_object_unref (c.element);
}
