/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 *
 * timescale: its properties follow control bindings, which may also come and go.
 */

#include "scalemodel.h"

#include <gst/controller/controller.h>
#include <math.h>

#define N 16000                 /* 2 s */

typedef GstControlBinding *(*Binding) (GstObject *, const gchar *,
    GstControlSource *);

/* Adds a control binding for @source (transfer full), which the element owns. */
static void
bind_curve (RetroTest * t, const gchar * property, GstControlSource * source,
    Binding new_binding)
{
  GstObject *element = GST_OBJECT (t->element);

  fail_unless (gst_object_add_control_binding (element, new_binding (element,
              property, source)));
  gst_object_unref (source);
}

/* A curve of straight lines through @begin at 0, @middle at 1 s, and @end at 2 s. */
static GstControlSource *
lines (gdouble begin, gdouble middle, gdouble end)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  const gdouble values[] = { begin, middle, end };
  guint i;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  for (i = 0; i < 3; i++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), i * GST_SECOND, values[i]);
  return source;
}

typedef struct
{
  const gchar *properties, *name;
  gdouble begin, middle, end;
  guint frames;                 /* number of output frames: the integral of the factor */
} Curve;

static const Curve curves[] = {
  {"interpolation=linear", "factor", 1, 2, 0.5, 22000},
  {"quality=2", "factor", 1, 2, 0.5, 22000},
  /* the integral of 1 / (1 + x / 2) over 2 s is 2 ln 2 */
  {"interpolation=cubic", "rate", 1, 1.5, 2, 2 * G_LN2 * 8000},
  {"keep-pitch=true", "factor", 1, 1.5, 2, 24000},
  {"keep-pitch=true factor=1.5", "semitones", -12, 0, 12, 24000},
  {"semitones=3", "formant-semitones", -6, 0, 6, 16000}
};

static RetroTest *
start (const Curve * curve, GstClockTime stop)
{
  RetroTest *t = scale_test_new (scale_factors[0], curve->properties);
  GstAudioInfo info = scale_plain_info ();

  bind_curve (t, curve->name, lines (curve->begin, curve->middle, curve->end),
      gst_direct_control_binding_new_absolute);
  scale_set (t, curve->properties);
  retro_test_start (t, &info, 1, 0, stop);
  return t;
}

/* Asserts that the curve is followed, however the stream is cut into buffers. */
LOOP_TEST (a_curve_is_followed_at_every_frame, G_N_ELEMENTS (curves))
{
  static const guint pieces[] = { 7, 333, 4096 };
  const Curve *curve = &curves[__i__];
  g_autoptr (GByteArray) whole = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (pieces); i++) {
    RetroTest *t = start (curve, GST_CLOCK_TIME_NONE);

    scale_push_sound (t, 0, N, pieces[i]);
    retro_test_eos (t);
    retro_test_assert_perfect (t, 0);
    fail_unless (ABS ((gint) retro_test_frames_out (t) - (gint) curve->frames)
        <= 4, "%s: %u frames", curve->name, (guint) retro_test_frames_out (t));
    if (whole == NULL)
      whole = retro_test_bytes (t);
    retro_test_assert_bytes (t, g_byte_array_ref (whole), NULL);
    retro_test_free (t);
  }
}

/* Given a factor that rises from 1 to 2 in the first second. After x seconds of the input, the
 * output has lasted for x + x² / 2. When a seek goes to such a time, then it arrives at x, however
 * long the buffers were. */
LOOP_TEST (a_seek_goes_back_along_the_curve, 3)
{
  static const guint pieces[] = { 160, 1600, N };
  static const gdouble places[] = { 0.1, 0.25, 0.5, 0.9 };
  AUTO_TEST t = start (&curves[0], GST_CLOCK_TIME_NONE);
  guint i;

  scale_push_sound (t, 0, N, pieces[__i__]);
  for (i = 0; i < G_N_ELEMENTS (places); i++) {
    gdouble x = places[i];
    g_autoptr (GstEvent) event = retro_test_seek (t, 1, GST_SEEK_FLAG_FLUSH,
        GST_SEEK_TYPE_SET, (x + x * x / 2) * GST_SECOND, GST_SEEK_TYPE_NONE,
        -1);
    gint64 begin;

    gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &begin, NULL, NULL);
    fail_unless (fabs (begin - x * GST_SECOND) <= PLAIN_NS (3),
        "%g s: %g s", x, begin / 1e9);
  }
}

/* Given a curve of the pitch. When the rate changes instantly, then a segment says so. */
TEST (a_rate_may_change_instantly_beside_a_curve)
{
  AUTO_TEST t = start (&curves[4], GST_CLOCK_TIME_NONE);

  scale_push_sound (t, 0, N / 2, 500);
  gst_harness_push_event (t->h, gst_event_new_instant_rate_change (2, 0));
  scale_push_sound (t, N / 2, N / 2, 500);
  retro_test_eos (t);
  fail_unless_equals_float (retro_test_last_segment (t).applied_rate, 2);
  fail_unless (retro_test_frames_out (t) < curves[4].frames * 9 / 10);
  retro_test_assert_perfect (t, 0);
}

TEST (a_curve_leaves_the_stop_open)
{
  AUTO_TEST t = start (&curves[0], PLAIN_NS (N));

  scale_push_sound (t, 0, N, 500);
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      GST_CLOCK_TIME_NONE);
}

static const gchar *const pitch_properties[] = { "semitones",
  "formant-semitones", "formants", "keep-pitch"
};

/* Given a curve of a property that changes no duration. When a segment with a stop arrives, then
 * the output has that stop, scaled by the constant factor. */
LOOP_TEST (a_curve_of_the_pitch_keeps_the_stop, G_N_ELEMENTS (pitch_properties))
{
  AUTO_TEST t = retro_test_new ("timescale factor=2");

  bind_curve (t, pitch_properties[__i__], lines (0.5, 0.6, 0.6),
      gst_direct_control_binding_new);
  retro_test_start (t, NULL, 1, 0, PLAIN_NS (N));
  retro_test_push_cut (t, 0, N, (const gsize[]) { 1000, 0 });
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (2 * N));
}

/* The kernel becomes eight times as long, in a few steps. Each step may cause one message. */
TEST (a_curve_reports_its_latency_a_few_times_only)
{
  static const Curve down = { "quality=6", "factor", 1, 0.5, 0.125, 0 };
  AUTO_TEST t = start (&down, GST_CLOCK_TIME_NONE);

  gst_harness_set_live (t->h, TRUE);
  scale_push_sound (t, 0, N, 100);
  fail_unless (gst_harness_query_latency (t->h) >= PLAIN_NS (8 * 96 - 16));
  fail_unless (gst_harness_query_latency (t->h) <= PLAIN_NS (16 * 96));
  fail_unless (retro_test_take_messages (t, GST_MESSAGE_LATENCY) <= 4);
}

/* ---- curves that come and go -------------------------------------------- */

static const gchar *const controllable[] = {
  "factor", "rate", "semitones", "keep-pitch", "formants",
  "formant-semitones"
};

static RetroTest *followed;     /* the test whose control bindings are removed by the next
                                 * evaluation */

static gboolean
remove_curves (GstControlSource * source, GstClockTime time_ns, gdouble * value)
{
  GstObject *element = GST_OBJECT (followed->element);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (controllable); i++) {
    GstControlBinding *binding =
        gst_object_get_control_binding (element, controllable[i]);

    if (binding != NULL) {
      gst_object_remove_control_binding (element, binding);
      gst_object_unref (binding);
    }
  }
  *value = 0.5;
  return TRUE;
}

/* Each control binding is removed while its own value is evaluated. Without a
 * reference of the element, GStreamer would then use freed memory. */
TEST (curves_may_be_removed_while_they_are_followed)
{
  AUTO_TEST t = retro_test_new ("timescale");
  GstAudioInfo info = scale_plain_info ();
  guint i;

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  followed = t;
  for (i = 0; i < G_N_ELEMENTS (controllable); i++) {
    GstControlSource *source = lines (0.25, 0.25, 0.25);

    source->get_value = remove_curves;
    bind_curve (t, controllable[i], source, gst_direct_control_binding_new);
  }
  for (i = 0; i < 10; i++)
    retro_test_push (t, i * 100, 100);
  fail_if (gst_object_has_active_control_bindings (GST_OBJECT (t->element)));
  fail_unless (retro_test_eos (t));
  fail_unless (retro_test_frames_out (t) > 0);
}
