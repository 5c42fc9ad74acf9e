/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retrotestsource.h"

/* Number of frames in a block of a stream that plays backwards. */
#define BACKWARD_FRAMES 1000

/* Index of the wrong frame that is output in place of frame @index while the decoder
 * has not settled. */
#define UNSETTLED(take, index) ((index) + ((guint64) (take) << 40))

G_DEFINE_FINAL_TYPE (RetroTestSource, retro_test_source, GST_TYPE_BASE_SRC);

/* ---- packets ------------------------------------------------------------ */

/* The packet that contains @frame: [@first, @end). */
static void
find_packet (const RetroTestKnobs * knobs, guint64 frame, guint64 * first,
    guint64 * end)
{
  guint64 period = 0, at;
  guint i;

  for (i = 0; knobs->cut[i] != 0; i++)
    period += knobs->cut[i];
  at = frame / period * period;
  for (i = 0; at + knobs->cut[i] <= frame; i++)
    at += knobs->cut[i];
  *first = at;
  *end = MIN (at + knobs->cut[i], knobs->n_frames);
}

static guint64
frames_to_settle (RetroTestSource * self)
{
  const RetroTestKnobs *knobs = &self->knobs;

  if (self->take == 0)
    return 0;
  if (self->take_first_frame == 0)
    return knobs->settle_at_0_frames;
  return self->take_first_frame < knobs->settle_more_below_frame ?
      knobs->settle_more_frames : knobs->settle_frames;
}

/* The offset of the frames in this run: frame n has the samples of frame n + this
 * number. */
static guint64
edit_of (RetroTestSource * self)
{
  const RetroTestKnobs *knobs = &self->knobs;

  return self->take > 0 && self->take_first_frame >= knobs->edit_from_frame
      && (knobs->edit_below_frame == 0
      || self->take_first_frame < knobs->edit_below_frame) ?
      knobs->edit_frames : 0;
}

static GstClockTime
told_edit_ns (RetroTestSource * self)
{
  return self->knobs.edit_is_told ?
      retro_test_time (&self->knobs.info, edit_of (self)) : 0;
}

/* The noise in the last bit of a sample: -1, 0 or 1, different in each run. */
static gint
noise_of (RetroTestSource * self, guint64 sample_index)
{
  guint64 x = (sample_index + ((guint64) self->take << 32))
      * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (gint) ((x >> 40) % 3) - 1;
}

static void
add_noise (RetroTestSource * self, guint64 index, gint16 * samples)
{
  gint c, channels = GST_AUDIO_INFO_CHANNELS (&self->knobs.info);

  for (c = 0; c < channels; c++)
    samples[c] = CLAMP (samples[c] + noise_of (self, index * channels + c),
        G_MININT16, G_MAXINT16);
}

static void
fill_frame (RetroTestSource * self, const GstAudioInfo * info, guint64 index,
    guint8 * frame)
{
  gboolean unsettled = index < self->take_first_frame + frames_to_settle (self);
  guint64 shown = index + edit_of (self);

  retro_test_frame (info,
      unsettled ? UNSETTLED (self->take + 1, shown) : shown, frame);
  if (self->knobs.noisy)
    add_noise (self, index, (gint16 *) frame);
}

/* ---- times -------------------------------------------------------------- */

/* The difference between the frame numbers that the timestamps of this run indicate
 * and the real ones. */
static gint64
shift_of (RetroTestSource * self)
{
  gint64 shift = self->knobs.shift_frames;

  if (self->take == 0 || self->take_first_frame <= (guint64) shift)
    return 0;
  return (self->take * 7919) % (2 * shift + 1) - shift;
}

static guint64
behind_at (RetroTestSource * self, guint64 frame)
{
  return frame > self->knobs.behind_from_frame ? self->knobs.behind_frames : 0;
}

static guint64
frame_at (RetroTestSource * self, GstClockTime time_ns)
{
  return gst_util_uint64_scale_int_round (time_ns,
      GST_AUDIO_INFO_RATE (&self->knobs.info), GST_SECOND);
}

/* The frame to which the timestamp of @frame belongs, if seeks lead to wrong timestamps. */
static guint64
told_frame (RetroTestSource * self, guint64 frame)
{
  const RetroTestKnobs *knobs = &self->knobs;

  return knobs->told_num > 0 && self->take > 0 && self->take_first_frame > 0 ?
      frame * knobs->told_num / knobs->told_den : frame;
}

static GstClockTime
time_of (RetroTestSource * self, guint64 frame)
{
  const RetroTestKnobs *knobs = &self->knobs;
  GstClockTime time_ns = retro_test_time (&knobs->info,
      told_frame (self, frame) + shift_of (self) - behind_at (self, frame));

  if (knobs->rounding_ns > 0)
    time_ns = (time_ns + knobs->rounding_ns / 2) / knobs->rounding_ns
        * knobs->rounding_ns;
  return time_ns + knobs->pts_offset_ns + told_edit_ns (self);
}

static const GstAudioInfo *
info_at (RetroTestSource * self, guint64 frame)
{
  const RetroTestKnobs *knobs = &self->knobs;

  return knobs->other_from_frame > 0 && frame >= knobs->other_from_frame ?
      &knobs->other : &knobs->info;
}

/* Negotiates the format of the next packet. */
static gboolean
retro_test_source_negotiate (GstBaseSrc * src)
{
  RetroTestSource *self = RETRO_TEST_SOURCE (src);
  GstCaps *caps = gst_audio_info_to_caps (info_at (self, self->next_frame));
  gboolean ok = gst_base_src_set_caps (src, caps);

  gst_caps_unref (caps);
  return ok;
}

static guint64
in_rate_of (RetroTestSource * self, const GstAudioInfo * info, guint64 frame)
{
  return gst_util_uint64_scale_int (frame, GST_AUDIO_INFO_RATE (info),
      GST_AUDIO_INFO_RATE (&self->knobs.info));
}

static GstBuffer *
make_packet (RetroTestSource * self, guint64 first, guint64 end)
{
  const GstAudioInfo *info = info_at (self, first);
  GstClockTime pts = time_of (self, first);
  GstClockTime duration_ns = time_of (self, end) - pts;
  gsize bpf = GST_AUDIO_INFO_BPF (info);
  guint8 *samples;
  GstBuffer *buffer;
  guint64 n;

  first = in_rate_of (self, info, first);
  end = in_rate_of (self, info, end);
  samples = g_malloc ((end - first) * bpf);
  for (n = first; n < end; n++)
    fill_frame (self, info, n, samples + (n - first) * bpf);
  buffer = retro_test_buffer_of (info, samples, end - first, pts);
  GST_BUFFER_DURATION (buffer) = duration_ns;
  if (first - self->take_first_frame < self->knobs.untimed_frames)
    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  g_free (samples);
  return buffer;
}

/* ---- the stream --------------------------------------------------------- */

static gboolean
breaks_here (RetroTestSource * self)
{
  const RetroTestKnobs *knobs = &self->knobs;

  return knobs->breaks_at_frame > 0
      && self->take >= (gint) knobs->breaks_in_take
      && !(knobs->breaks_once && self->take > (gint) knobs->breaks_in_take)
      && self->next_frame >= knobs->breaks_at_frame;
}

static GstFlowReturn
break_off (RetroTestSource * self)
{
  if (!self->knobs.breaks_with_error)
    return GST_FLOW_EOS;
  GST_ELEMENT_ERROR (self, STREAM, DECODE, ("The test source fails here."),
      (NULL));
  return GST_FLOW_ERROR;
}

static GstBuffer *
create_backward (RetroTestSource * self, const GstSegment * segment)
{
  guint64 start = frame_at (self, segment->time);
  guint64 end = self->next_frame;

  if (end <= start)
    return NULL;
  self->next_frame = end - MIN (end - start, BACKWARD_FRAMES);
  return make_packet (self, self->next_frame, end);
}

/* Creates the next buffer of a stream that plays forward. It is clipped to the stop of the
 * segment, as by a decoder. */
static GstBuffer *
create_forward (RetroTestSource * self, const GstSegment * segment)
{
  const RetroTestKnobs *knobs = &self->knobs;
  guint64 first, end, stop = knobs->n_frames;

  if (GST_CLOCK_TIME_IS_VALID (segment->stop)
      && segment->stop != knobs->stop_ns)
    stop = MIN (stop, frame_at (self, segment->stop - knobs->pts_offset_ns));
  if (self->next_frame >= knobs->hole_at_frame
      && self->next_frame < knobs->hole_at_frame + knobs->hole_frames)
    self->next_frame = knobs->hole_at_frame + knobs->hole_frames;
  while (told_frame (self, self->next_frame) < self->told_first_frame
      && self->next_frame < stop)
    self->next_frame++;
  if (told_frame (self, self->next_frame) >= stop || self->next_frame
      >= knobs->n_frames)
    return NULL;
  find_packet (knobs, self->next_frame, &first, &end);
  first = MAX (first, self->next_frame);
  if (knobs->other_from_frame > 0)
    retro_test_source_negotiate (GST_BASE_SRC (self));
  self->next_frame = end;
  return make_packet (self, first, MIN (end, stop));
}

static void
tell_tags (RetroTestSource * self)
{
  const GstTagList *tags = self->knobs.tags[g_atomic_int_get (&self->take) % 2];

  gst_pad_push_event (GST_BASE_SRC_PAD (self), gst_event_new_tag (tags ?
          gst_tag_list_copy (tags) :
          gst_tag_list_new (GST_TAG_TITLE, "take", NULL)));
}

static GstFlowReturn
retro_test_source_create (GstBaseSrc * src, guint64 offset, guint size,
    GstBuffer ** buffer)
{
  RetroTestSource *self = RETRO_TEST_SOURCE (src);

  if (breaks_here (self))
    return break_off (self);
  *buffer = (src->segment.rate < 0 ? create_backward : create_forward)
      (self, &src->segment);
  if (*buffer == NULL && self->knobs.followed)
    gst_pad_push_event (src->srcpad, gst_event_new_stream_start ("next"));
  if (*buffer == NULL)
    return GST_FLOW_EOS;
  if (self->packets++ == 1 && self->knobs.tells_tags)
    tell_tags (self);
  return GST_FLOW_OK;
}

/* ---- seeks -------------------------------------------------------------- */

/* After a seek, the stream begins with the packet that contains the requested frame. */
static gboolean
retro_test_source_do_seek (GstBaseSrc * src, GstSegment * segment)
{
  RetroTestSource *self = RETRO_TEST_SOURCE (src);
  const RetroTestKnobs *knobs = &self->knobs;
  guint64 frame, end;

  g_atomic_int_inc (&self->take);
  self->packets = 0;
  segment->time = segment->start;
  if (!GST_CLOCK_TIME_IS_VALID (segment->stop))
    segment->stop = knobs->stop_ns;
  if (segment->rate < 0) {
    end = GST_CLOCK_TIME_IS_VALID (segment->stop) ?
        frame_at (self, segment->stop) : knobs->n_frames;
    self->next_frame = MIN (end, knobs->n_frames);
    segment->stop = segment->position =
        retro_test_time (&knobs->info, self->next_frame);
    self->take_first_frame = 0;
    return TRUE;
  }
  frame = gst_util_uint64_scale_int (segment->start,
      GST_AUDIO_INFO_RATE (&knobs->info), GST_SECOND);
  find_packet (knobs, frame + behind_at (self, frame), &self->take_first_frame,
      &end);
  self->next_frame = self->take_first_frame;
  self->told_first_frame = knobs->told_num > 0 ? frame : 0;
  segment->start += knobs->pts_offset_ns + told_edit_ns (self);
  segment->position = segment->start;
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    segment->stop += knobs->pts_offset_ns;
  return TRUE;
}

static gboolean
retro_test_source_event (GstBaseSrc * src, GstEvent * event)
{
  RetroTestSource *self = RETRO_TEST_SOURCE (src);
  gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK, ok;

  if (is_seek && g_atomic_int_add (&self->seeks, 1) + 1
      == (gint) self->knobs.refused_seek)
    return FALSE;
  if (is_seek)
    g_rec_mutex_lock (&self->seek_lock);
  ok = GST_BASE_SRC_CLASS (retro_test_source_parent_class)->event (src, event);
  if (is_seek)
    g_rec_mutex_unlock (&self->seek_lock);
  return ok;
}

static gboolean
retro_test_source_unlock (GstBaseSrc * src)
{
  GAsyncQueue *unlocked = RETRO_TEST_SOURCE (src)->knobs.unlocked;

  if (unlocked != NULL)
    g_async_queue_push (unlocked, src);
  return TRUE;
}

static gboolean
retro_test_source_is_seekable (GstBaseSrc * src)
{
  return !RETRO_TEST_SOURCE (src)->knobs.not_seekable;
}

static gboolean
retro_test_source_query (GstBaseSrc * src, GstQuery * query)
{
  GstClockTime duration_ns = RETRO_TEST_SOURCE (src)->knobs.duration_ns;

  if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING) {
    gst_query_set_seeking (query, GST_FORMAT_TIME,
        !RETRO_TEST_SOURCE (src)->knobs.not_seekable, 0, duration_ns);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return GST_BASE_SRC_CLASS (retro_test_source_parent_class)->query (src,
        query);
  if (!GST_CLOCK_TIME_IS_VALID (duration_ns))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, duration_ns
      + (guint64) g_atomic_int_get (&RETRO_TEST_SOURCE (src)->take)
      * RETRO_TEST_SOURCE (src)->knobs.duration_drift_ns);
  return TRUE;
}

/* ---- the element -------------------------------------------------------- */

static gboolean
retro_test_source_start (GstBaseSrc * src)
{
  RetroTestSource *self = RETRO_TEST_SOURCE (src);

  g_atomic_int_set (&self->seeks, 0);
  g_atomic_int_set (&self->take, -1);   /* GstBaseSrc begins with a seek to 0 */
  return TRUE;
}

static void
retro_test_source_finalize (GObject * object)
{
  g_rec_mutex_clear (&RETRO_TEST_SOURCE (object)->seek_lock);
  G_OBJECT_CLASS (retro_test_source_parent_class)->finalize (object);
}

static void
retro_test_source_init (RetroTestSource * self)
{
  g_rec_mutex_init (&self->seek_lock);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
retro_test_source_class_init (RetroTestSourceClass * klass)
{
  static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("audio/x-raw"));
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = retro_test_source_finalize;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass),
      &src_template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Test source", "Source", "Frames that tell their index",
      "The Retrograde authors <retrograde@localhost>");
  src_class->create = retro_test_source_create;
  src_class->do_seek = retro_test_source_do_seek;
  src_class->unlock = retro_test_source_unlock;
  src_class->event = retro_test_source_event;
  src_class->is_seekable = retro_test_source_is_seekable;
  src_class->query = retro_test_source_query;
  src_class->negotiate = retro_test_source_negotiate;
  src_class->start = retro_test_source_start;
}

RetroTestSource *
retro_test_source_new (const GstAudioInfo * info, guint64 n_frames)
{
  static const gsize plain_cut[] = { 1000, 0 };
  RetroTestSource *self = g_object_new (RETRO_TYPE_TEST_SOURCE, NULL);

  self->knobs.info = *info;
  self->knobs.n_frames = n_frames;
  self->knobs.cut = plain_cut;
  self->knobs.stop_ns = GST_CLOCK_TIME_NONE;
  self->knobs.duration_ns = retro_test_time (info, n_frames);
  return self;
}
