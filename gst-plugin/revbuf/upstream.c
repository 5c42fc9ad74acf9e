/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

#define FOREIGN_FLUSH_US (G_USEC_PER_SEC / 10)

/* Two revbuf with one source would take each other's seeks for the application's,
 * and flush each other for ever. So the seqnum of a fetch says that it is one, and
 * whose: 8 bits that gst_util_seqnum_next() reaches after two thousand million
 * events, 12 bits for the element, 12 bits that count. */
#define FETCH_MARK 0x7a000000u
#define FETCH_MARK_MASK 0xff000000u
#define FETCH_COUNT_MASK 0x00000fffu
#define FETCH_ELEMENT_SHIFT 12

typedef enum
{
  CLOSED,                       /* upstream is sent away */
  DROPPING,                     /* nothing has been fetched yet */
  SEEKING,                      /* upstream waits for its flush */
  FILLING,
  PARKED                        /* upstream waits: the run is done */
} State;

struct _GstRevBufUpstream
{
  GstElement *element;
  GstPad *sinkpad;
  GstRevBufLock *lock;
  GstRevBufUpstreamListener listener;

  /* upstream's streaming thread */
  TimePlayFormat format;
  GstSegment segment;

  /* under the lock */
  GPtrArray *formats;
  State state;
  gboolean flushing;            /* between FLUSH_START and FLUSH_STOP */
  gboolean foreign;             /* … of somebody else, whose segment is to come */
  gboolean flushed;             /* SEEKING: what comes is new */
  gboolean at_eos;
  gboolean finished;            /* PARKED: nothing more is wanted … */
  GstFlowReturn after;          /* … and this is what upstream is told */
  gboolean followed;            /* by another stream, which no seek reaches */
  gboolean contested;           /* by the fetches of another revbuf */
  gboolean broken;
  gboolean needs_stop;          /* upstream plays nothing where a seek does not say
                                 * where to stop, as auparse does, which takes no
                                 * stop for one at 0 */
  TimePlayRun *run;             /* FILLING: belongs to the streaming thread */
  TimePlayRun *next;            /* SEEKING: for what comes */
  gint64 next_frame;            /* PARKED: where upstream stands */
  GThread *seeking_thread;
  guint32 seqnum;               /* of the last fetch */
  GQueue events;
};

void
gst_revbuf_lock_acquire (GstRevBufLock * lock)
{
  g_mutex_lock (&lock->lock);
}

void
gst_revbuf_lock_release (GstRevBufLock * lock)
{
  g_mutex_unlock (&lock->lock);
}

void
gst_revbuf_lock_release_and_signal (GstRevBufLock * lock)
{
  lock->changes++;
  g_cond_broadcast (&lock->changed);
  gst_revbuf_lock_release (lock);
}

gboolean
gst_revbuf_upstream_is_fetch (guint32 seqnum)
{
  return (seqnum & FETCH_MARK_MASK) == FETCH_MARK;
}

static gboolean
is_own_fetch (const GstRevBufUpstream * upstream, guint32 seqnum)
{
  return ((seqnum ^ upstream->seqnum) & ~FETCH_COUNT_MASK) == 0;
}

static guint32
next_fetch (guint32 seqnum)
{
  return (seqnum & ~FETCH_COUNT_MASK) | ((seqnum + 1) & FETCH_COUNT_MASK);
}

GstRevBufUpstream *
gst_revbuf_upstream_new (GstElement * element, GstPad * sinkpad,
    GstRevBufLock * lock, const GstRevBufUpstreamListener * listener)
{
  static gint elements;         /* atomic */
  GstRevBufUpstream *upstream = g_new0 (GstRevBufUpstream, 1);
  guint id = (guint) g_atomic_int_add (&elements, 1);

  upstream->seqnum = FETCH_MARK
      | ((id << FETCH_ELEMENT_SHIFT) & ~FETCH_MARK_MASK);
  upstream->element = element;
  upstream->sinkpad = sinkpad;
  upstream->lock = lock;
  upstream->listener = *listener;
  upstream->formats = gst_revbuf_formats_new ();
  g_queue_init (&upstream->events);
  return upstream;
}

static void
forget (GstRevBufUpstream * upstream)
{
  g_clear_pointer (&upstream->run, timeplay_run_free);
  g_clear_pointer (&upstream->next, timeplay_run_free);
  g_queue_clear_full (&upstream->events, (GDestroyNotify) gst_event_unref);
}

void
gst_revbuf_upstream_free (GstRevBufUpstream * upstream)
{
  forget (upstream);
  g_ptr_array_unref (upstream->formats);
  g_free (upstream);
}

/* ---- buffers ------------------------------------------------------------ */

static gboolean
must_wait (const GstRevBufUpstream * upstream)
{
  return !upstream->flushing && (upstream->state == SEEKING
      || (upstream->state == PARKED && !upstream->finished));
}

static void
run_is_done (GstRevBufUpstream * upstream)
{
  upstream->state = PARKED;
  upstream->next_frame = upstream->run->next_frame;
  upstream->lock->changes++;
  g_cond_broadcast (&upstream->lock->changed);
}

/* With the lock, which is given up while samples are copied: nobody else
 * touches a run before it is done. */
static void
fill (GstRevBufUpstream * upstream, GstBuffer * buffer, gsize * first)
{
  TimePlayRun *run = upstream->run;
  gboolean understood;

  gst_revbuf_lock_release (upstream->lock);
  understood =
      gst_revbuf_run_add (run, buffer, &upstream->format,
      &upstream->segment, first);
  gst_revbuf_lock_acquire (upstream->lock);
  if (upstream->state != FILLING)
    return;
  upstream->broken |= !understood;
  if (run->state != TIMEPLAY_RUN_OPEN || !understood)
    run_is_done (upstream);
}

GstFlowReturn
gst_revbuf_upstream_chain (GstRevBufUpstream * upstream, GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean taken = FALSE;
  gsize first = 0;

  gst_revbuf_lock_acquire (upstream->lock);
  while (ret == GST_FLOW_OK && !taken) {
    while (must_wait (upstream))
      g_cond_wait (&upstream->lock->changed, &upstream->lock->lock);

    if (upstream->flushing || upstream->state == CLOSED) {
      ret = GST_FLOW_FLUSHING;
    } else if (upstream->state == PARKED) {
      ret = upstream->after;
      taken = TRUE;
    } else if (upstream->state == DROPPING) {
      taken = TRUE;
    } else {
      fill (upstream, buffer, &first);
      taken = upstream->state == FILLING;
    }
  }
  gst_revbuf_lock_release (upstream->lock);
  gst_buffer_unref (buffer);
  return ret;
}

/* ---- events ------------------------------------------------------------- */

/* Upstream seeks in the thread that asks it to, and most of its elements mark
 * what follows with the number of the seek. */
static gboolean
is_own (const GstRevBufUpstream * upstream, GstEvent * event)
{
  return upstream->seeking_thread == g_thread_self ()
      || is_own_fetch (upstream, gst_event_get_seqnum (event));
}

static void
handle_flush_start (GstRevBufUpstream * upstream, GstEvent * event)
{
  gboolean own, contested;

  gst_revbuf_lock_acquire (upstream->lock);
  own = is_own (upstream, event);
  contested = !own
      && gst_revbuf_upstream_is_fetch (gst_event_get_seqnum (event));
  upstream->flushing = TRUE;
  upstream->contested |= contested;
  upstream->foreign |= !own && !contested;
  gst_revbuf_lock_release_and_signal (upstream->lock);

  if (own || contested)
    gst_event_unref (event);
  else
    upstream->listener.flush (upstream->listener.owner, event);
}

static void
handle_flush_stop (GstRevBufUpstream * upstream)
{
  gst_revbuf_lock_acquire (upstream->lock);
  upstream->flushing = upstream->at_eos = FALSE;
  upstream->flushed = TRUE;
  if (upstream->foreign && upstream->state != CLOSED)
    upstream->state = PARKED;
  gst_revbuf_lock_release_and_signal (upstream->lock);
}

/* Upstream has seeked: what comes from now on is for the next run. */
static void
begin_run (GstRevBufUpstream * upstream)
{
  timeplay_run_free (upstream->run);
  upstream->run = g_steal_pointer (&upstream->next);
  upstream->state = FILLING;
}

static void
handle_segment (GstRevBufUpstream * upstream, GstEvent * event)
{
  gboolean foreign;

  gst_revbuf_lock_acquire (upstream->lock);
  gst_event_copy_segment (event, &upstream->segment);
  upstream->broken |= upstream->segment.format != GST_FORMAT_TIME;
  foreign = upstream->foreign;
  upstream->foreign = FALSE;
  upstream->followed &= !foreign;
  if (upstream->state == SEEKING && upstream->flushed && !foreign) {
    upstream->needs_stop |= upstream->segment.stop <= upstream->segment.start;
    begin_run (upstream);
  }
  gst_revbuf_lock_release_and_signal (upstream->lock);

  if (foreign)
    upstream->listener.segment (upstream->listener.owner, &upstream->segment,
        &upstream->format, gst_event_get_seqnum (event));
}

static void
handle_caps (GstRevBufUpstream * upstream, GstEvent * event)
{
  gconstpointer before = upstream->format.id;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  gst_revbuf_lock_acquire (upstream->lock);
  if (gst_audio_info_from_caps (&info, caps))
    upstream->format = gst_revbuf_formats_find (upstream->formats, &info);
  else
    upstream->broken = TRUE;
  /* one run cannot hold both, nor tell where the other one lies */
  if (upstream->format.id != before && upstream->state == FILLING
      && upstream->run->format.rate > 0) {
    upstream->broken = TRUE;
    run_is_done (upstream);
  }
  gst_revbuf_lock_release_and_signal (upstream->lock);
}

static void
handle_eos (GstRevBufUpstream * upstream)
{
  gst_revbuf_lock_acquire (upstream->lock);
  upstream->at_eos = TRUE;
  /* a seek beyond the end: not everybody sends a segment for nothing */
  if (upstream->state == SEEKING && upstream->flushed && !upstream->foreign)
    begin_run (upstream);
  if (upstream->state == FILLING) {
    timeplay_run_end (upstream->run);
    run_is_done (upstream);
  }
  gst_revbuf_lock_release_and_signal (upstream->lock);
}

/* Another stream behind this one is the end of this one. */
static void
handle_stream_start (GstRevBufUpstream * upstream, GstEvent * event)
{
  gchar *now = gst_pad_get_stream_id (upstream->sinkpad);
  const gchar *next;

  gst_event_parse_stream_start (event, &next);
  if (g_strcmp0 (now, next) != 0) {
    gst_revbuf_lock_acquire (upstream->lock);
    upstream->followed = TRUE;
    gst_revbuf_lock_release (upstream->lock);
    handle_eos (upstream);
  }
  g_free (now);
}

static void
keep_event (GstRevBufUpstream * upstream, GstEvent * event)
{
  gst_revbuf_lock_acquire (upstream->lock);
  g_queue_push_tail (&upstream->events, gst_event_ref (event));
  gst_revbuf_lock_release_and_signal (upstream->lock);
}

gboolean
gst_revbuf_upstream_event (GstRevBufUpstream * upstream, GstEvent ** event)
{
  switch (GST_EVENT_TYPE (*event)) {
    case GST_EVENT_FLUSH_START:
      handle_flush_start (upstream, g_steal_pointer (event));
      return TRUE;
    case GST_EVENT_FLUSH_STOP:
      handle_flush_stop (upstream);
      break;
    case GST_EVENT_SEGMENT:
      handle_segment (upstream, *event);
      break;
    case GST_EVENT_CAPS:
      handle_caps (upstream, *event);
      break;
    case GST_EVENT_EOS:
      handle_eos (upstream);
      break;
    case GST_EVENT_STREAM_START:
      handle_stream_start (upstream, *event);
      break;
    case GST_EVENT_GAP:        /* shows as a hole in the timestamps */
    case GST_EVENT_SEGMENT_DONE:
      break;
    default:
      if (!GST_EVENT_IS_SERIALIZED (*event))
        return TRUE;
      keep_event (upstream, *event);
  }
  gst_clear_event (event);
  return TRUE;
}

/* ---- fetching ----------------------------------------------------------- */

TimePlayFormat
gst_revbuf_upstream_open (GstRevBufUpstream * upstream,
    const GstAudioInfo * info, const GstSegment * segment, gboolean contested)
{
  TimePlayFormat format;

  gst_revbuf_lock_acquire (upstream->lock);
  forget (upstream);
  g_ptr_array_set_size (upstream->formats, 0);
  format = gst_revbuf_formats_find (upstream->formats, info);
  upstream->format = format;
  upstream->segment = *segment;
  upstream->state = DROPPING;
  upstream->flushing = upstream->foreign = upstream->at_eos = FALSE;
  upstream->followed = upstream->broken = upstream->needs_stop = FALSE;
  upstream->finished = FALSE;
  upstream->contested = contested;
  gst_revbuf_lock_release_and_signal (upstream->lock);
  return format;
}

void
gst_revbuf_upstream_fill (GstRevBufUpstream * upstream, TimePlayRun * run)
{
  gst_revbuf_lock_acquire (upstream->lock);
  upstream->run = run;
  upstream->state = FILLING;
  gst_revbuf_lock_release (upstream->lock);
}

void
gst_revbuf_upstream_close (GstRevBufUpstream * upstream)
{
  gst_revbuf_lock_acquire (upstream->lock);
  upstream->state = CLOSED;
  gst_revbuf_lock_release_and_signal (upstream->lock);
}

/* Sends upstream what makes it play forward from @start_ns on, up to @stop_ns,
 * unless nobody wants that any more. FALSE: it refuses, or is contested. */
static gboolean
seek (GstRevBufUpstream * upstream, GstClockTime start_ns, GstClockTime stop_ns)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      start_ns, GST_SEEK_TYPE_SET, stop_ns);
  gboolean contested, closed, ok = TRUE;

  GST_DEBUG_OBJECT (upstream->element, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (start_ns));
  gst_revbuf_lock_acquire (upstream->lock);
  upstream->seqnum = next_fetch (upstream->seqnum);
  gst_event_set_seqnum (event, upstream->seqnum);
  upstream->seeking_thread = g_thread_self ();
  contested = upstream->contested;
  closed = upstream->state == CLOSED;
  gst_revbuf_lock_release (upstream->lock);

  if (contested || closed)
    gst_event_unref (event);
  else
    ok = gst_pad_push_event (upstream->sinkpad, event);

  gst_revbuf_lock_acquire (upstream->lock);
  upstream->seeking_thread = NULL;
  gst_revbuf_lock_release (upstream->lock);
  return ok && !contested;
}

/* A pad that is being flushed refuses seeks, some instants before the flush of
 * somebody else is seen here: what follows that is for the listener. */
static gboolean
is_left_alone (GstRevBufUpstream * upstream)
{
  gint64 deadline = g_get_monotonic_time () + FOREIGN_FLUSH_US;
  gboolean alone, in_time = TRUE;

  gst_revbuf_lock_acquire (upstream->lock);
  while (!(alone = upstream->foreign || upstream->contested
          || upstream->state == CLOSED) && in_time)
    in_time = g_cond_wait_until (&upstream->lock->changed,
        &upstream->lock->lock, deadline);
  gst_revbuf_lock_release (upstream->lock);
  return alone;
}

/* FALSE: upstream refused. */
static gboolean
fetch (GstRevBufUpstream * upstream, TimePlayRun * run)
{
  GstClockTime seek_ns, stop_ns;

  gst_revbuf_lock_acquire (upstream->lock);
  if (upstream->state == CLOSED) {
    timeplay_run_free (run);
    gst_revbuf_lock_release (upstream->lock);
    return TRUE;                /* nobody waits for it */
  }
  timeplay_run_free (upstream->next);
  upstream->next = run;
  upstream->flushed = upstream->finished = FALSE;
  upstream->state = SEEKING;
  seek_ns = run->fetch.seek_ns;
  stop_ns = run->origin == TIMEPLAY_RUN_SOUGHT_WITH_STOP ?
      G_MAXINT64 : GST_CLOCK_TIME_NONE;
  gst_revbuf_lock_release (upstream->lock);
  return seek (upstream, seek_ns, stop_ns) || is_left_alone (upstream);
}

/* Where upstream stands at the first frame of the block of @run, fills it with
 * what comes next, and has taken it; else FALSE. */
static gboolean
go_on (GstRevBufUpstream * upstream, TimePlayRun * run)
{
  gboolean there;

  gst_revbuf_lock_acquire (upstream->lock);
  there = upstream->state == PARKED && !upstream->finished
      && !upstream->flushing && !upstream->foreign && upstream->run == NULL
      && timeplay_run_continue (run, upstream->next_frame);
  if (there) {
    upstream->run = run;
    upstream->state = FILLING;
    if (upstream->at_eos) {
      timeplay_run_end (run);
      run_is_done (upstream);
    }
  }
  gst_revbuf_lock_release_and_signal (upstream->lock);
  return there;
}

gboolean
gst_revbuf_upstream_obtain (GstRevBufUpstream * upstream,
    const TimePlayAction * action)
{
  if (action->may_continue && go_on (upstream, action->run))
    return TRUE;
  if (action->may_seek)
    return fetch (upstream, action->run);
  timeplay_run_free (action->run);
  return FALSE;
}

/* ---- with the lock held -------------------------------------------------- */

void
gst_revbuf_upstream_finish (GstRevBufUpstream * upstream, GstFlowReturn after)
{
  upstream->finished = TRUE;
  upstream->after = after;
  upstream->lock->changes++;
  g_cond_broadcast (&upstream->lock->changed);
}

void
gst_revbuf_upstream_pop_arrival (GstRevBufUpstream * upstream,
    TimePlayArrival * arrival)
{
  arrival->run = upstream->state == PARKED ?
      g_steal_pointer (&upstream->run) : NULL;
  arrival->broken = upstream->broken;
  arrival->contested = upstream->contested;
  arrival->needs_stop = upstream->needs_stop;
  arrival->followed = upstream->followed;
}

GstEvent *
gst_revbuf_upstream_pop_event (GstRevBufUpstream * upstream)
{
  return g_queue_pop_head (&upstream->events);
}

gboolean
gst_revbuf_upstream_is_waiting (GstRevBufUpstream * upstream)
{
  return upstream->state == SEEKING || upstream->state == FILLING;
}

gboolean
gst_revbuf_upstream_is_finished (GstRevBufUpstream * upstream)
{
  return upstream->finished;
}
