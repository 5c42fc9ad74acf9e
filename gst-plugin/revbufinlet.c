/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufinlet.h"
#include "revbufseeks.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

#define FOREIGN_FLUSH_US (G_USEC_PER_SEC / 10)

typedef enum
{
  CLOSED,                       /* upstream is sent away */
  DROPPING,                     /* nothing has been fetched yet */
  SEEKING,                      /* upstream waits for its flush */
  FILLING,
  PARKED                        /* upstream waits: the take is done */
} State;

struct _RevBufInlet
{
  GstElement *element;
  GstPad *sinkpad;
  RevBufMeeting *meeting;
  RevBufInletListener listener;

  /* upstream's streaming thread */
  GstAudioInfo info;
  GstSegment segment;

  /* under the meeting's lock */
  State state;
  gboolean flushing;            /* between FLUSH_START and FLUSH_STOP */
  gboolean foreign;             /* … of somebody else, whose segment is to come */
  gboolean flushed;             /* SEEKING: what comes is new */
  gboolean at_eos;
  gboolean followed;            /* by another stream, which no seek reaches */
  gboolean contested;           /* by the fetches of another inlet */
  gboolean broken;
  gboolean needs_stop;          /* upstream makes 0 of a stop that is open */
  RevBufTake *take;             /* FILLING: belongs to the streaming thread */
  RevBufTake *next;             /* SEEKING: for what comes */
  gint64 next_frame;            /* PARKED: where upstream stands */
  GThread *seeking_thread;
  guint32 seqnum;               /* of the last seek of our own */
  GQueue events;
};

void
rev_buf_meeting_enter (RevBufMeeting * meeting)
{
  g_mutex_lock (&meeting->lock);
}

void
rev_buf_meeting_leave (RevBufMeeting * meeting)
{
  g_mutex_unlock (&meeting->lock);
}

void
rev_buf_meeting_announce (RevBufMeeting * meeting)
{
  meeting->changes++;
  g_cond_broadcast (&meeting->changed);
  rev_buf_meeting_leave (meeting);
}

RevBufInlet *
rev_buf_inlet_new (GstElement * element, GstPad * sinkpad,
    RevBufMeeting * meeting, const RevBufInletListener * listener)
{
  RevBufInlet *inlet = g_new0 (RevBufInlet, 1);

  inlet->element = element;
  inlet->sinkpad = sinkpad;
  inlet->meeting = meeting;
  inlet->listener = *listener;
  g_queue_init (&inlet->events);
  return inlet;
}

static void
forget (RevBufInlet * inlet)
{
  g_clear_pointer (&inlet->take, rev_buf_take_free);
  g_clear_pointer (&inlet->next, rev_buf_take_free);
  g_queue_clear_full (&inlet->events, (GDestroyNotify) gst_event_unref);
}

void
rev_buf_inlet_free (RevBufInlet * inlet)
{
  rev_buf_seeks_forget (inlet->element);
  forget (inlet);
  g_free (inlet);
}

/* ---- buffers ------------------------------------------------------------ */

static gboolean
must_wait (const RevBufInlet * inlet)
{
  return !inlet->flushing && (inlet->state == SEEKING
      || inlet->state == PARKED);
}

static void
take_is_done (RevBufInlet * inlet)
{
  inlet->state = PARKED;
  inlet->next_frame = inlet->take->next_frame;
  inlet->meeting->changes++;
  g_cond_broadcast (&inlet->meeting->changed);
}

/* With the lock, which is given up while samples are copied: nobody else
 * touches a take before it is done. */
static void
fill (RevBufInlet * inlet, GstBuffer * buffer, gsize * first)
{
  RevBufTake *take = inlet->take;
  gboolean understood;

  rev_buf_meeting_leave (inlet->meeting);
  understood = rev_buf_take_add (take, buffer, &inlet->info, &inlet->segment,
      first);
  rev_buf_meeting_enter (inlet->meeting);
  if (inlet->state != FILLING)
    return;
  inlet->broken |= !understood;
  if (take->done || take->no_memory || !understood)
    take_is_done (inlet);
}

GstFlowReturn
rev_buf_inlet_chain (RevBufInlet * inlet, GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean finished = FALSE;
  gsize first = 0;

  rev_buf_meeting_enter (inlet->meeting);
  while (!finished) {
    while (must_wait (inlet))
      g_cond_wait (&inlet->meeting->changed, &inlet->meeting->lock);

    if (inlet->flushing || inlet->state == CLOSED) {
      ret = GST_FLOW_FLUSHING;
      finished = TRUE;
    } else if (inlet->state == DROPPING) {
      finished = TRUE;
    } else {
      fill (inlet, buffer, &first);
      finished = inlet->state == FILLING;
    }
  }
  rev_buf_meeting_leave (inlet->meeting);
  gst_buffer_unref (buffer);
  return ret;
}

/* ---- events ------------------------------------------------------------- */

/* Upstream seeks in the thread that asks it to, and most of its elements mark
 * what follows with the number of the seek. */
static gboolean
is_own (const RevBufInlet * inlet, GstEvent * event)
{
  return inlet->seeking_thread == g_thread_self ()
      || inlet->seqnum == gst_event_get_seqnum (event);
}

static void
handle_flush_start (RevBufInlet * inlet, GstEvent * event)
{
  gboolean own, contested;

  rev_buf_meeting_enter (inlet->meeting);
  own = is_own (inlet, event);
  contested = !own && rev_buf_seeks_is_of_another (inlet->element,
      gst_event_get_seqnum (event));
  inlet->flushing = TRUE;
  inlet->contested |= contested;
  inlet->foreign |= !own && !contested;
  rev_buf_meeting_announce (inlet->meeting);

  if (own || contested)
    gst_event_unref (event);
  else
    inlet->listener.flush (inlet->listener.owner, event);
}

static void
handle_flush_stop (RevBufInlet * inlet)
{
  rev_buf_meeting_enter (inlet->meeting);
  inlet->flushing = inlet->at_eos = FALSE;
  inlet->flushed = TRUE;
  if (inlet->foreign && inlet->state != CLOSED)
    inlet->state = PARKED;
  rev_buf_meeting_announce (inlet->meeting);
}

/* Upstream has seeked: what comes from now on is for the next take. */
static void
begin_take (RevBufInlet * inlet)
{
  rev_buf_take_free (inlet->take);
  inlet->take = g_steal_pointer (&inlet->next);
  inlet->state = FILLING;
}

static void
handle_segment (RevBufInlet * inlet, GstEvent * event)
{
  gboolean foreign;

  rev_buf_meeting_enter (inlet->meeting);
  gst_event_copy_segment (event, &inlet->segment);
  inlet->broken |= inlet->segment.format != GST_FORMAT_TIME;
  foreign = inlet->foreign;
  inlet->foreign = FALSE;
  inlet->followed &= !foreign;
  if (inlet->state == SEEKING && inlet->flushed && !foreign) {
    inlet->needs_stop |= inlet->segment.stop <= inlet->segment.start;
    begin_take (inlet);
  }
  rev_buf_meeting_announce (inlet->meeting);

  if (foreign)
    inlet->listener.segment (inlet->listener.owner, &inlet->segment,
        &inlet->info, gst_event_get_seqnum (event));
}

static void
handle_caps (RevBufInlet * inlet, GstEvent * event)
{
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  rev_buf_meeting_enter (inlet->meeting);
  if (!gst_audio_info_from_caps (&info, caps)) {
    inlet->broken = TRUE;
  } else if (!gst_audio_info_is_equal (&info, &inlet->info)) {
    inlet->info = info;
    /* one take cannot hold both, nor tell where the other one lies */
    if (inlet->state == FILLING && GST_AUDIO_INFO_IS_VALID (&inlet->take->info)) {
      inlet->broken = TRUE;
      take_is_done (inlet);
    }
  }
  rev_buf_meeting_announce (inlet->meeting);
}

static void
handle_eos (RevBufInlet * inlet)
{
  rev_buf_meeting_enter (inlet->meeting);
  inlet->at_eos = TRUE;
  /* a seek beyond the end: not everybody sends a segment for nothing */
  if (inlet->state == SEEKING && inlet->flushed && !inlet->foreign)
    begin_take (inlet);
  if (inlet->state == FILLING) {
    rev_buf_take_end (inlet->take);
    take_is_done (inlet);
  }
  rev_buf_meeting_announce (inlet->meeting);
}

/* Another stream behind this one is the end of this one. */
static void
handle_stream_start (RevBufInlet * inlet, GstEvent * event)
{
  gchar *now = gst_pad_get_stream_id (inlet->sinkpad);
  const gchar *next;

  gst_event_parse_stream_start (event, &next);
  if (g_strcmp0 (now, next) != 0) {
    rev_buf_meeting_enter (inlet->meeting);
    inlet->followed = TRUE;
    rev_buf_meeting_leave (inlet->meeting);
    handle_eos (inlet);
  }
  g_free (now);
}

static void
keep_event (RevBufInlet * inlet, GstEvent * event)
{
  rev_buf_meeting_enter (inlet->meeting);
  g_queue_push_tail (&inlet->events, gst_event_ref (event));
  rev_buf_meeting_announce (inlet->meeting);
}

gboolean
rev_buf_inlet_event (RevBufInlet * inlet, GstEvent ** event)
{
  switch (GST_EVENT_TYPE (*event)) {
    case GST_EVENT_FLUSH_START:
      handle_flush_start (inlet, g_steal_pointer (event));
      return TRUE;
    case GST_EVENT_FLUSH_STOP:
      handle_flush_stop (inlet);
      break;
    case GST_EVENT_SEGMENT:
      handle_segment (inlet, *event);
      break;
    case GST_EVENT_CAPS:
      handle_caps (inlet, *event);
      break;
    case GST_EVENT_EOS:
      handle_eos (inlet);
      break;
    case GST_EVENT_STREAM_START:
      handle_stream_start (inlet, *event);
      break;
    case GST_EVENT_GAP:        /* shows as a hole in the timestamps */
    case GST_EVENT_SEGMENT_DONE:
      break;
    default:
      if (!GST_EVENT_IS_SERIALIZED (*event))
        return TRUE;
      keep_event (inlet, *event);
  }
  gst_clear_event (event);
  return TRUE;
}

/* ---- fetching ----------------------------------------------------------- */

void
rev_buf_inlet_open (RevBufInlet * inlet, const GstAudioInfo * info,
    const GstSegment * segment, gboolean contested, RevBufTake * take)
{
  rev_buf_meeting_enter (inlet->meeting);
  forget (inlet);
  inlet->info = *info;
  inlet->segment = *segment;
  inlet->take = take;
  inlet->state = take != NULL ? FILLING : DROPPING;
  inlet->flushing = inlet->foreign = inlet->at_eos = FALSE;
  inlet->followed = inlet->broken = inlet->needs_stop = FALSE;
  inlet->contested = contested;
  rev_buf_meeting_announce (inlet->meeting);
}

void
rev_buf_inlet_close (RevBufInlet * inlet)
{
  rev_buf_meeting_enter (inlet->meeting);
  inlet->state = CLOSED;
  rev_buf_meeting_announce (inlet->meeting);
}

/* Sends upstream what makes it play forward from @start_ns on, up to @stop_ns,
 * unless nobody wants that any more. FALSE: it refuses, or is contested. */
static gboolean
seek (RevBufInlet * inlet, GstClockTime start_ns, GstClockTime stop_ns)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      start_ns, GST_SEEK_TYPE_SET, stop_ns);
  gboolean contested, closed, ok = TRUE;

  GST_DEBUG_OBJECT (inlet->element, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (start_ns));
  rev_buf_seeks_begin (inlet->element, gst_event_get_seqnum (event));
  rev_buf_meeting_enter (inlet->meeting);
  inlet->seqnum = gst_event_get_seqnum (event);
  inlet->seeking_thread = g_thread_self ();
  contested = inlet->contested;
  closed = inlet->state == CLOSED;
  rev_buf_meeting_leave (inlet->meeting);

  if (contested || closed)      /* while we waited for another */
    gst_event_unref (event);
  else
    ok = gst_pad_push_event (inlet->sinkpad, event);

  rev_buf_meeting_enter (inlet->meeting);
  inlet->seeking_thread = NULL;
  rev_buf_meeting_leave (inlet->meeting);
  rev_buf_seeks_end (inlet->element);
  return ok && !contested;
}

/* A pad that is being flushed refuses seeks, some instants before the flush of
 * somebody else is seen here: what follows that is for the listener. */
static gboolean
is_left_alone (RevBufInlet * inlet)
{
  gint64 deadline = g_get_monotonic_time () + FOREIGN_FLUSH_US;
  gboolean alone, in_time = TRUE;

  rev_buf_meeting_enter (inlet->meeting);
  while (!(alone = inlet->foreign || inlet->contested
          || inlet->state == CLOSED) && in_time)
    in_time = g_cond_wait_until (&inlet->meeting->changed,
        &inlet->meeting->lock, deadline);
  rev_buf_meeting_leave (inlet->meeting);
  return alone;
}

gboolean
rev_buf_inlet_fetch (RevBufInlet * inlet, RevBufTake * take)
{
  GstClockTime seek_ns, stop_ns;

  rev_buf_meeting_enter (inlet->meeting);
  if (inlet->state == CLOSED) {
    rev_buf_take_free (take);
    rev_buf_meeting_leave (inlet->meeting);
    return TRUE;                /* nobody waits for it */
  }
  rev_buf_take_free (inlet->next);
  inlet->next = take;
  inlet->flushed = FALSE;
  inlet->state = SEEKING;
  take->has_stop = inlet->needs_stop;
  seek_ns = take->fetch.seek_ns;
  stop_ns = inlet->needs_stop ? G_MAXINT64 : GST_CLOCK_TIME_NONE;
  rev_buf_meeting_leave (inlet->meeting);
  return seek (inlet, seek_ns, stop_ns) || is_left_alone (inlet);
}

gboolean
rev_buf_inlet_go_on (RevBufInlet * inlet, RevBufTake * take)
{
  gboolean there;

  rev_buf_meeting_enter (inlet->meeting);
  there = inlet->state == PARKED && !inlet->flushing && !inlet->foreign
      && inlet->take == NULL && inlet->next_frame == take->fetch.first_frame;
  if (there) {
    take->continues = TRUE;
    take->fetch.keep_first_frame = take->fetch.first_frame;
    take->next_frame = inlet->next_frame;
    inlet->take = take;
    inlet->state = FILLING;
    if (inlet->at_eos) {
      rev_buf_take_end (take);
      take_is_done (inlet);
    }
  }
  rev_buf_meeting_announce (inlet->meeting);
  return there;
}

/* ---- with the lock held -------------------------------------------------- */

RevBufTake *
rev_buf_inlet_pop_done (RevBufInlet * inlet)
{
  return inlet->state == PARKED ? g_steal_pointer (&inlet->take) : NULL;
}

GstEvent *
rev_buf_inlet_pop_event (RevBufInlet * inlet)
{
  return g_queue_pop_head (&inlet->events);
}

gboolean
rev_buf_inlet_is_waiting (RevBufInlet * inlet)
{
  return inlet->state == SEEKING || inlet->state == FILLING;
}

gboolean
rev_buf_inlet_is_followed (RevBufInlet * inlet)
{
  return inlet->followed;
}

gboolean
rev_buf_inlet_needs_stop (RevBufInlet * inlet)
{
  return inlet->needs_stop;
}

gboolean
rev_buf_inlet_is_broken (RevBufInlet * inlet)
{
  return inlet->broken;
}

gboolean
rev_buf_inlet_is_contested (RevBufInlet * inlet)
{
  return inlet->contested;
}
