/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retrotestfaults.h"

/* @last_seqnum is the sequence number of the last seek, @before_seqnum that of the seek
 * before it. */
struct _RetroTestFaults
{
  RetroTestFault fault;
  GstPad *pad;
  gulong probe;
  GThreadPool *late;
  gint first_seqnum, last_seqnum, before_seqnum;
};

/* Set while this thread sends an additional event. The probe must not process such an
 * event again. */
static GPrivate sends_own;

static const gchar *const names[] = {
  "new seqnums", "new seqnums of segments", "new seqnums of flushes",
  "the same seqnum", "the seqnum of the seek before", "each segment twice",
  "a segment of the whole stream first", "a second flush", "a late seek",
  "no flush"
};

const gchar *
retro_test_fault_name (RetroTestFault fault)
{
  return names[fault];
}

/* ---- sending -------------------------------------------------------------- */

static void
send_own (RetroTestFaults * self, GstEvent * event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  g_private_set (&sends_own, GINT_TO_POINTER (1));
  gst_pad_push_event (self->pad, event);
  g_private_set (&sends_own, NULL);
}

static void
send_whole_segment (RetroTestFaults * self, GstEvent * like)
{
  const GstSegment *segment;
  GstSegment whole;

  gst_event_parse_segment (like, &segment);
  gst_segment_copy_into (segment, &whole);
  whole.start = whole.time = whole.position = 0;
  whole.stop = GST_CLOCK_TIME_NONE;
  send_own (self, gst_event_new_segment (&whole), gst_event_get_seqnum (like));
}

/* Flushes a second time. A flush removes the segment from the pad, so @segment is sent
 * after the flush. */
static void
flush_again (RetroTestFaults * self, GstEvent * segment)
{
  guint32 seqnum = gst_event_get_seqnum (segment);

  send_own (self, gst_event_new_flush_start (), seqnum);
  send_own (self, gst_event_new_flush_stop (TRUE), seqnum);
  send_own (self, gst_event_copy (segment), seqnum);
}

/* ---- seqnums ------------------------------------------------------------ */

/* The sequence number that @event must get. Most events keep their own. */
static guint32
seqnum_of (RetroTestFaults * self, GstEvent * event)
{
  gboolean is_flush = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  gboolean is_segment = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT;
  guint32 seqnum = gst_event_get_seqnum (event);

  switch (self->fault) {
    case RETRO_TEST_NEW_SEQNUMS:
      return gst_util_seqnum_next ();
    case RETRO_TEST_NEW_SEGMENT_SEQNUMS:
      return is_segment ? gst_util_seqnum_next () : seqnum;
    case RETRO_TEST_NEW_FLUSH_SEQNUMS:
      return is_flush ? gst_util_seqnum_next () : seqnum;
    case RETRO_TEST_SAME_SEQNUMS:
      g_atomic_int_compare_and_exchange (&self->first_seqnum, 0, seqnum);
      return g_atomic_int_get (&self->first_seqnum);
    case RETRO_TEST_STALE_SEQNUMS:
      return g_atomic_int_get (&self->before_seqnum) != 0 ?
          (guint32) g_atomic_int_get (&self->before_seqnum) : seqnum;
    default:
      return seqnum;
  }
}

static void
number (RetroTestFaults * self, GstPadProbeInfo * info)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  guint32 seqnum = seqnum_of (self, event);

  if (seqnum == gst_event_get_seqnum (event))
    return;
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_copy (event);
  gst_event_unref (event);
  gst_event_set_seqnum (GST_PAD_PROBE_INFO_EVENT (info), seqnum);
}

/* ---- the probe ---------------------------------------------------------- */

static gboolean
is_after_seek (RetroTestFaults * self)
{
  return g_atomic_int_get (&self->last_seqnum) != 0;
}

static GstPadProbeReturn
on_segment (RetroTestFaults * self, GstEvent * event)
{
  switch (self->fault) {
    case RETRO_TEST_SEGMENT_TWICE:
      send_own (self, gst_event_copy (event), gst_event_get_seqnum (event));
      break;
    case RETRO_TEST_OTHER_SEGMENT:
      send_whole_segment (self, event);
      break;
    case RETRO_TEST_FLUSH_TWICE:
      if (!is_after_seek (self))
        break;
      flush_again (self, event);
      return GST_PAD_PROBE_DROP;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_seek (RetroTestFaults * self, GstEvent * event)
{
  g_atomic_int_set (&self->before_seqnum, g_atomic_int_get
      (&self->last_seqnum));
  g_atomic_int_set (&self->last_seqnum, gst_event_get_seqnum (event));
  if (self->late == NULL)
    return GST_PAD_PROBE_OK;
  g_thread_pool_push (self->late, event, NULL);
  return GST_PAD_PROBE_HANDLED; /* the thread pool owns the event now */
}

static GstPadProbeReturn
on_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroTestFaults *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (g_private_get (&sends_own) != NULL)
    return GST_PAD_PROBE_OK;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEEK:
      return on_seek (self, event);
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      if (self->fault == RETRO_TEST_NO_FLUSH)
        return GST_PAD_PROBE_DROP;
      break;
    case GST_EVENT_SEGMENT:
      if (on_segment (self, event) == GST_PAD_PROBE_DROP)
        return GST_PAD_PROBE_DROP;
      break;
    default:
      break;
  }
  number (self, info);
  return GST_PAD_PROBE_OK;
}

/* ---- delayed seeks ----------------------------------------------------------- */

static void
seek_late (gpointer event, gpointer data)
{
  RetroTestFaults *self = data;

  gst_element_send_event (GST_PAD_PARENT (self->pad), event);
}

RetroTestFaults *
retro_test_faults_new (RetroTestSource * source, RetroTestFault fault)
{
  RetroTestFaults *self = g_new0 (RetroTestFaults, 1);

  self->fault = fault;
  self->pad = gst_object_ref (GST_BASE_SRC_PAD (source));
  if (fault == RETRO_TEST_LATE_SEEK)
    self->late = g_thread_pool_new (seek_late, self, 1, TRUE, NULL);
  self->probe = gst_pad_add_probe (self->pad,
      GST_PAD_PROBE_TYPE_EVENT_BOTH | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_event,
      self, NULL);
  return self;
}

void
retro_test_faults_free (RetroTestFaults * self)
{
  if (self->late != NULL)
    g_thread_pool_free (self->late, FALSE, TRUE);
  gst_pad_remove_probe (self->pad, self->probe);
  gst_object_unref (self->pad);
  g_free (self);
}
