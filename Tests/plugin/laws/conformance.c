/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * General requirements for every element: states in any order, properties with any
 * value, unlinking and relinking of the next element, and repeated use. Criticals and
 * warnings end a test.
 */

#include "uses.h"

/* ---- states -------------------------------------------------------------- */

SOME_TEST (states_in_any_order, 5, RETRO_N_USES)
{
  g_autoptr (GstElement) element =
      gst_parse_launch (retro_uses[__i__].element, NULL);
  GRand *rand = g_rand_new_with_seed (__i__);
  gint n;

  for (n = 0; n < 500; n++)
    fail_unless (gst_element_set_state (element,
            g_rand_int_range (rand, GST_STATE_NULL, GST_STATE_PLAYING + 1))
        != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT (element, "element", 1);
  g_rand_free (rand);
}

/* ---- properties ---------------------------------------------------------- */

static gdouble
random_double (GRand * rand, gdouble min, gdouble max)
{
  return g_rand_boolean (rand) ? min + (max - min) * g_rand_double (rand) :
      g_rand_boolean (rand) ? min : max;
}

static void
set_to_any_value (GstElement * element, GParamSpec * spec, GRand * rand)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (&value, g_rand_boolean (rand) ?
        ((guint64) g_rand_int (rand) << 32) | g_rand_int (rand) :
        g_rand_boolean (rand) ? 0 : G_MAXUINT64);
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (&value, g_rand_int (rand));
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (&value, random_double (rand, -G_MAXDOUBLE,
            G_MAXDOUBLE));
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    g_value_set_enum (&value, g_rand_int (rand));
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (&value, g_rand_boolean (rand));
  else if (G_IS_PARAM_SPEC_STRING (spec))
    g_value_set_string (&value, g_rand_boolean (rand) ? NULL : "/nowhere");
  g_param_value_validate (spec, &value);        /* clamps the value to the range */
  g_object_set_property (G_OBJECT (element), spec->name, &value);

  /* a property must return a value within its range */
  g_value_reset (&value);
  g_object_get_property (G_OBJECT (element), spec->name, &value);
  fail_if (g_param_value_validate (spec, &value), "%s is out of its range",
      spec->name);
  g_value_unset (&value);
}

SOME_TEST (properties_of_any_value, 5, RETRO_N_USES)
{
  g_autoptr (GstElement) element =
      gst_parse_launch (retro_uses[__i__].element, NULL);
  GRand *rand = g_rand_new_with_seed (__i__);
  guint n_specs, i, n;
  GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n_specs);

  for (n = 0; n < 200; n++)
    for (i = 0; i < n_specs; i++)
      if ((specs[i]->flags & G_PARAM_WRITABLE)
          && specs[i]->owner_type != GST_TYPE_OBJECT)
        set_to_any_value (element, specs[i], rand);
  g_free (specs);
  g_rand_free (rand);
}

/* ---- links ---------------------------------------------------------------- */

TEST (unlinked_and_linked_again)
{
  GstElement *element = gst_parse_launch ("timescale factor=2", NULL);
  GstPad *from = gst_element_get_static_pad (element, "src"), *to;
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstAudioInfo info = retro_test_plain_info ();
  GstCaps *caps;
  gint n;

  caps = gst_audio_info_to_caps (&info);
  gst_harness_set_src_caps (h, caps);
  to = gst_pad_get_peer (from);
  for (n = 0; n < 20; n++) {
    fail_unless_equals_int (gst_harness_push (h,
            retro_test_buffer (&info, 2 * n * 1000, 1000)), GST_FLOW_OK);
    fail_unless (gst_pad_unlink (from, to));
    fail_unless_equals_int (gst_harness_push (h,
            retro_test_buffer (&info, (2 * n + 1) * 1000, 1000)),
        GST_FLOW_NOT_LINKED);
    fail_unless_equals_int (gst_pad_link (from, to), GST_PAD_LINK_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (gst_harness_buffers_received (h) >= 20);
  gst_object_unref (to);
  gst_object_unref (from);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

/* ---- buffers of a pool ----------------------------------------------------- */

static GstBufferPool *
pool_of_one (const GstAudioInfo * info, guint n_frames)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_audio_info_to_caps (info);

  gst_buffer_pool_config_set_params (config, caps,
      n_frames * GST_AUDIO_INFO_BPF (info), 1, 1);
  gst_caps_unref (caps);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* Returns the only buffer of @pool, which must be available. If @other is TRUE,
 * returns a second buffer with the same memory instead. */
static GstBuffer *
borrow (GstBufferPool * pool, guint n, gboolean other)
{
  GstBufferPoolAcquireParams at_once = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  GstBuffer *buffer;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
          &at_once), GST_FLOW_OK);
  gst_buffer_memset (buffer, 0, n, -1);
  if (other) {
    GstBuffer *copy = gst_buffer_copy (buffer);

    /* GStreamer 1.22 does not add this meta; later versions do */
    if (gst_buffer_get_parent_buffer_meta (copy) == NULL)
      gst_buffer_add_parent_buffer_meta (copy, buffer);
    gst_buffer_unref (buffer);
    buffer = copy;
  }
  return buffer;
}

static const struct
{
  const gchar *element;
  gboolean passes;              /* whether the input buffer itself is forwarded */
} keepers[] = {
  {"timescale", TRUE}, {"timescale interpolation=linear", TRUE},
  {"timescale factor=0.01", FALSE}, {"timescale factor=1.3", FALSE},
  {"timescale factor=1.3 alignment=endpoints", FALSE}, {"revbuf", TRUE},
  {"revbuf direction=reverse mode=collect", FALSE},
  {"revbuf direction=reverse mode=seek", FALSE},
  {"revbuf direction=reverse mode=chunk block-time=10000000", FALSE}
};

/* An element must not keep a buffer of a pool, because upstream may wait until the
 * only buffer of the pool is returned. */
LOOP_TEST (no_buffer_of_a_pool_is_kept, 2 * G_N_ELEMENTS (keepers))
{
  RetroTest *t = retro_test_new (keepers[__i__ / 2].element);
  GstBufferPool *pool;
  guint n;

  retro_test_answer_queries (t, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  retro_test_start (t, NULL, 1.0, 0, GST_CLOCK_TIME_NONE);
  pool = pool_of_one (&t->info, 100);
  for (n = 0; n < 30; n++) {
    fail_unless_equals_int (gst_harness_push (t->h, borrow (pool, n,
                __i__ % 2)), GST_FLOW_OK);
    if (keepers[__i__ / 2].passes)
      retro_test_clear (t);
  }
  retro_test_free (t);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* ---- repeated use ------------------------------------------------------------ */
