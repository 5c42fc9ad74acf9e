/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields that the flight recorder (record.h) logs. Also included by the program that
 * replays a log.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include <timeplay.h>

/* A field of a struct: an integer of @bytes bytes, or a double. */
typedef struct
{
  const char *name;             /* NULL ends a table */
  size_t offset, bytes;
} GstRevBufField;

#define FIELD(type, member) \
    { #member, offsetof (type, member), sizeof (((type *) 0)->member) }
#define FORMAT(type, member) \
    FIELD (type, member.rate), FIELD (type, member.channels), \
    FIELD (type, member.planes), FIELD (type, member.stride_bytes), \
    FIELD (type, member.sample_bytes), FIELD (type, member.silence), \
    FIELD (type, member.id)
#define SEGMENT(type, member) \
    FIELD (type, member.rate), FIELD (type, member.flags), \
    FIELD (type, member.start_ns), FIELD (type, member.stop_ns)

static const GstRevBufField gst_revbuf_number_fields[] = {
  {"number", 0, sizeof (uint32_t)}, {NULL}
};

static const GstRevBufField gst_revbuf_settings_fields[] = {
  FIELD (TimePlaySettings, mode),
  FIELD (TimePlaySettings, max_block_ns), FIELD (TimePlaySettings, preroll_ns),
  FIELD (TimePlaySettings, max_memory_bytes), FIELD (TimePlaySettings, exact),
  FIELD (TimePlaySettings, direction), FIELD (TimePlaySettings, turns),
  FIELD (TimePlaySettings, loop),
  FIELD (TimePlaySettings, loop_start_ns),
  FIELD (TimePlaySettings, loop_stop_ns), {NULL}
};

static const GstRevBufField gst_revbuf_arrival_fields[] = {
  FIELD (TimePlayArrival, kind), FIELD (TimePlayArrival, flips),
  FIELD (TimePlayArrival, first_ns), FIELD (TimePlayArrival, frames),
  FIELD (TimePlayArrival, rate), FIELD (TimePlayArrival, source),
  FIELD (TimePlayArrival, ends), FIELD (TimePlayArrival, is_live),
  FIELD (TimePlayArrival, has_warned), {NULL}
};

static const GstRevBufField gst_revbuf_start_fields[] = {
  FORMAT (TimePlayStart, format), SEGMENT (TimePlayStart, segment),
  FIELD (TimePlayStart, seqnum), FIELD (TimePlayStart, duration_ns),
  FIELD (TimePlayStart, base_ns), FIELD (TimePlayStart, last_frame), {NULL}
};

static const GstRevBufField gst_revbuf_seek_fields[] = {
  FIELD (TimePlaySeek, rate), FIELD (TimePlaySeek, flags),
  FIELD (TimePlaySeek, start_type), FIELD (TimePlaySeek, stop_type),
  FIELD (TimePlaySeek, start_ns), FIELD (TimePlaySeek, stop_ns),
  FIELD (TimePlaySeek, seqnum), FIELD (TimePlaySeek, duration_ns),
  FIELD (TimePlaySeek, is_shared), FIELD (TimePlaySeek, cannot_start), {NULL}
};

static const GstRevBufField gst_revbuf_event_fields[] = {
  FIELD (TimePlayEvent, kind), FIELD (TimePlayEvent, seqnum),
  FIELD (TimePlayEvent, in_seek), SEGMENT (TimePlayEvent, segment),
  FIELD (TimePlayEvent, empty), FIELD (TimePlayEvent, duration_ns),
  FORMAT (TimePlayEvent, format), {NULL}
};

static const GstRevBufField gst_revbuf_buffer_fields[] = {
  FIELD (TimePlayBuffer, frames), FIELD (TimePlayBuffer, has_timestamp),
  FIELD (TimePlayBuffer, time_sign), FIELD (TimePlayBuffer, time_ns),
  FIELD (TimePlayBuffer, offset_ns), {NULL}
};

static const GstRevBufField gst_revbuf_action_fields[] = {
  FIELD (TimePlayAction, kind), FIELD (TimePlayAction, seqnum),
  FIELD (TimePlayAction, flags), FIELD (TimePlayAction, report),
  FIELD (TimePlayAction, frame), FIELD (TimePlayAction, value),
  FIELD (TimePlayAction, seek_ns), FIELD (TimePlayAction, is_last),
  FIELD (TimePlayAction, direction),
  FIELD (TimePlayAction, rate), FIELD (TimePlayAction, base_ns),
  FIELD (TimePlayAction, start_ns), FIELD (TimePlayAction, stop_ns),
  FIELD (TimePlayAction, duration_ns), FIELD (TimePlayAction, frames),
  FIELD (TimePlayAction, offset_frames), FIELD (TimePlayAction, discont), {NULL}
};

static const GstRevBufField gst_revbuf_outcome_fields[] = {
  FIELD (TimePlayOutcome, ok), FIELD (TimePlayOutcome, flushing),
  FIELD (TimePlayOutcome, flow), FIELD (TimePlayOutcome, open),
  FIELD (TimePlayOutcome, held), FIELD (TimePlayOutcome, duration_ns), {NULL}
};

#undef FIELD
#undef FORMAT
#undef SEGMENT
