/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerChain.h"

/* Elements of @factory only forward the stream in a decodebin, so we can leave them out. The
 * capsfilter restricts a parser's output to the decoder's caps, but the two would agree on those
 * anyway. */
static gboolean
only_passes (const gchar * factory)
{
  static const gchar *const names[] =
      { "multiqueue", "capsfilter", "typefind", NULL };

  return g_strv_contains (names, factory);
}

/* The sink pad that feeds the source pad @pad of the same element, or NULL unless there's exactly
 * one. */
static GstPad *
inner_peer (GstPad * pad)
{
  GstIterator *pads = gst_pad_iterate_internal_links (pad);
  GValue item = G_VALUE_INIT;
  GstPad *found = NULL;
  guint count = 0;

  while (pads != NULL && gst_iterator_next (pads, &item) == GST_ITERATOR_OK) {
    gst_clear_object (&found);
    found = g_value_dup_object (&item);
    g_value_reset (&item);
    count++;
  }
  g_value_unset (&item);
  g_clear_pointer (&pads, gst_iterator_free);
  if (count != 1)
    gst_clear_object (&found);
  return found;
}

/* The description of an element for gst_parse_launch(), with the name of its source pad @pad
 * unless that's an always pad. NULL if the element is a bin. */
static gchar *
describe (GstElement * element, const gchar * factory, GstPad * pad)
{
  GstPadTemplate *template = gst_pad_get_pad_template (pad);
  gboolean is_always = template != NULL
      && GST_PAD_TEMPLATE_PRESENCE (template) == GST_PAD_ALWAYS;

  gst_clear_object (&template);
  if (GST_IS_BIN (element))
    return NULL;
  return is_always ? g_strdup (factory)
      : g_strdup_printf ("%s .%s", factory, GST_PAD_NAME (pad));
}

/* Prepends descriptions of the elements between decodebin's input and @pad to @chain. Returns
 * FALSE if we can't describe an element, or if one has several inputs. */
static gboolean
trace (GstPad * pad, GPtrArray * chain)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  GstElementFactory *factory =
      element ? gst_element_get_factory (element) : NULL;
  const gchar *name = factory ? GST_OBJECT_NAME (factory) : NULL;
  g_autoptr (GstPad) input = NULL;
  g_autoptr (GstPad) peer = NULL;

  if (name == NULL)
    return FALSE;
  if (!only_passes (name)) {
    gchar *part = describe (element, name, pad);
    if (part == NULL)
      return FALSE;
    g_ptr_array_insert (chain, 0, part);
  }
  input = inner_peer (pad);
  peer = input ? gst_pad_get_peer (input) : NULL;
  /* we've only reached the start if this is typefind, decodebin's first element
   * */
  if (peer == NULL || GST_IS_PROXY_PAD (peer))
    return g_str_equal (name, "typefind");
  return trace (peer, chain);
}

gchar *
cgst_decoding_chain (gpointer element)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GstPad) input = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) output = input ? gst_pad_get_peer (input) : NULL;
  g_autoptr (GstPad) decoder = NULL;

  if (GST_IS_GHOST_PAD (output))
    decoder = gst_ghost_pad_get_target (GST_GHOST_PAD (output));
  if (decoder == NULL || !trace (decoder, chain) || chain->len == 0)
    return NULL;
  g_ptr_array_add (chain, NULL);
  return g_strjoinv (" ! ", (gchar **) chain->pdata);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  return GST_PAD_PROBE_OK;
}

/* Handles have-type by unblocking the stream. Called after decodebin's own handler, which links
 * and starts the demuxer. */
static void
release (GstElement * typefind, guint probability, GstCaps * caps,
    gulong * probe)
{
  g_autoptr (GstPad) output = gst_element_get_static_pad (typefind, "src");

  gst_pad_remove_probe (output, *probe);
  g_signal_handlers_disconnect_by_func (typefind, release, probe);
}

static void
free_probe (gpointer probe, GClosure * unused)
{
  g_free (probe);
}

void
cgst_hold_until_plugged (gpointer decodebin)
{
  g_autoptr (GstPad) input = gst_element_get_static_pad (decodebin, "sink");
  g_autoptr (GstPad) inner = gst_ghost_pad_get_target (GST_GHOST_PAD (input));
  g_autoptr (GstElement) typefind = gst_pad_get_parent_element (inner);
  g_autoptr (GstPad) output = gst_element_get_static_pad (typefind, "src");
  gulong *probe = g_new (gulong, 1);

  *probe = gst_pad_add_probe (output,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_PULL, hold, NULL, NULL);
  g_signal_connect_data (typefind, "have-type", G_CALLBACK (release), probe,
      free_probe, G_CONNECT_AFTER);
}
