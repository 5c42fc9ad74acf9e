// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

// Corrections of what decoders and demuxers of GStreamer 1.22 do wrong.

extension Element {
  /// Makes a decodebin choose decoders that decode the file right, and sets up all that it adds from
  /// now on.
  func setUpDecoders(isOpusMusic: Bool) {
    let added: @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GstElement>?) -> Void = {
      if let element = $2 { Element(sharing: element).setUpDecoder() }
    }
    connect("deep-element-added", added)
    let select:
      @convention(c) (
        gpointer?, gpointer?, UnsafeMutablePointer<GstCaps>?, OpaquePointer?, gpointer?
      ) -> CInt = { _, _, caps, factory, isOpusMusic in
        guard let caps, let factory else { return 0 }
        // GST_AUTOPLUG_SELECT_SKIP, or _TRY
        return Element.isWrong(factory, for: caps, isOpusMusic: isOpusMusic != nil) ? 2 : 0
      }
    connect("autoplug-select", select, isOpusMusic ? UnsafeMutableRawPointer(pointer) : nil)
  }

  /// True if we have a better decoder, unless the user has raised the rank of this one.
  private static func isWrong(
    _ factory: OpaquePointer, for caps: UnsafeMutablePointer<GstCaps>, isOpusMusic: Bool
  ) -> Bool {
    let (better, rank): (String, GstRank)
    var channels: gint = 0
    gst_structure_get_int(caps.structure, "channels", &channels)
    switch adopt(gst_object_get_name(UnsafeMutablePointer(factory))) {
    // the first one dithers loud audio, so its output differs each time
    case "avdec_mp3", "avdec_mp3float": (better, rank) = ("mpg123audiodec", GST_RANK_MARGINAL)
    // swaps channels
    case "flacdec" where channels >= 7: (better, rank) = ("avdec_flac", GST_RANK_PRIMARY)
    // takes three times as long, and outputs 16 bits
    case "opusdec" where isOpusMusic: (better, rank) = ("avdec_opus", GST_RANK_PRIMARY)
    default: return false
    }
    return GStreamer.has(better) && gst_plugin_feature_get_rank(factory) <= rank.rawValue
  }

  /// Makes the first element that a decodebin adds after typefind, normally a demuxer, wait until
  /// the decodebin has linked and started it. Otherwise its own thread may fail before that,
  /// because of a malformed MP4 or because it isn't linked yet. decodebin (up to
  /// 1.28) then drops the error, and you get neither audio nor an end of stream.
  func holdUntilPlugged() {
    guard let typefind = cgst_bin_get(pointer, "typefind").map({ Element(taking: $0) }) else {
      return
    }
    let kinds = GST_PAD_PROBE_TYPE_BLOCK.rawValue | GST_PAD_PROBE_TYPE_PULL.rawValue
    let block = typefind.withPad("src") {
      $0.probe(GstPadProbeType(kinds)) { _ in GST_PAD_PROBE_OK }
    }
    let found:
      @convention(c) (UnsafeMutablePointer<GstElement>?, guint, gpointer?, gpointer?) -> Void =
        { typefind, _, _, block in
          if let typefind { Element(sharing: typefind).unblock(UInt(bitPattern: block)) }
        }
    // after decodebin's own handler, which links and starts the demuxer
    typefind.connect(
      "have-type", found, block.flatMap { UnsafeMutableRawPointer(bitPattern: $0) },
      G_CONNECT_AFTER)
  }

  /// `handler` is a C function.
  private func connect<Handler>(
    _ signal: String, _ handler: Handler, _ data: gpointer? = nil,
    _ flags: GConnectFlags = GConnectFlags(0)
  ) {
    g_signal_connect_data(
      pointer, signal, unsafeBitCast(handler, to: GCallback.self), data, nil, flags)
  }

  /// Sets up a decoder or demuxer. Does nothing to other elements.
  func setUpDecoder() {
    let name = factoryName ?? ""
    if ["oggdemux", "asfdemux"].contains(name) { watchStreams() }
    // what the encoder intended
    if name == "opusdec" { set("phase-inversion", "true") }
    if name.hasPrefix("avdec_") || ["mpg123audiodec", "opusdec", "a52dec"].contains(name) {
      watch("sink", .events) { $0.changeSegment(Self.tighten) }
    }
    // they output frames after the end of the sound, but their last buffer has the right duration
    if ["vorbisdec", "sfdec"].contains(name) {
      watch("src", GST_PAD_PROBE_TYPE_BUFFER) { $0.trim() }
    }
  }

  private func watchStreams() {
    let added: @convention(c) (gpointer?, UnsafeMutablePointer<GstPad>?) -> Void = {
      if let pad = $1 { Element.watchEnds(of: pad) }
    }
    connect("pad-added", added)
  }

  private static func watchEnds(of pad: UnsafeMutablePointer<GstPad>) {
    let start = OpusStart()
    pad.probe(GST_PAD_PROBE_TYPE_BUFFER) { start.skip($0) }
    pad.watch(.events) { passage in
      if passage.endsWithItsPackets { passage.changeSegment(removeEnd) }
    }
  }

  /// Moves both ends of a segment inwards by a few nanoseconds to undo rounding. Decoders clip to
  /// whole frames, so an end that was rounded outwards leaves one frame too many.
  private static func tighten(_ segment: inout GstSegment) -> Bool {
    guard segment.format == GST_FORMAT_TIME else { return false }
    if segment.start > 0 { segment.start &+= 1 }
    if segment.stop != cgst_no_time, segment.stop > segment.start &+ 2 { segment.stop -= 2 }
    return true
  }

  /// Removes a segment's stop if it's the end of the file.
  private static func removeEnd(_ segment: inout GstSegment) -> Bool {
    guard segment.stop == segment.duration else { return false }
    segment.stop = cgst_no_time
    return true
  }
}

extension Passage {
  /// Passes a changed segment on, if `change` returns true.
  func changeSegment(_ change: (inout GstSegment) -> Bool) {
    guard let event, event.pointee.type == GST_EVENT_SEGMENT else { return }
    var segment = GstSegment()
    gst_event_copy_segment(event, &segment)
    guard change(&segment), let changed = gst_event_new_segment(&segment) else { return }
    gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
    replace(with: changed)
    gst_event_unref(event)
  }

  /// Drops any frames in a buffer beyond its duration.
  fileprivate func trim() {
    guard let buffer, let format, buffer.pointee.duration != cgst_no_time else { return }
    let frames = gst_util_uint64_scale_round(
      buffer.pointee.duration, guint64(clamping: format.rate), 1_000_000_000)
    let size = frames &* guint64(clamping: format.bpf)
    if size < guint64(clamping: buffer.size), let own = writableBuffer() {
      gst_buffer_set_size(own, gssize(clamping: size))
    }
  }

  /// True if this type has no extra frames after the end of the sound, but may be clipped there.
  /// GStreamer 1.22's oggdemux counts the empty packet at the end of FFmpeg's FLAC as a frame, and
  /// its times are a frame late if the file has a single page of sound. ASF rounds its length to
  /// milliseconds.
  fileprivate var endsWithItsPackets: Bool {
    pad.withCaps { ["audio/x-flac", "audio/x-wma"].contains($0.name) } ?? false
  }
}

/// Makes an Opus decoder drop the pre-skip unless oggdemux already has. In GStreamer 1.22, oggdemux
/// only does if granule positions begin at 0, but they don't in a recording that starts in the middle
/// of a broadcast (RFC 7845, section 4.5).
private final class OpusStart: Sendable {
  /// The timestamp of the first packet.
  private let first = Mutex<GstClockTime?>(nil)

  func skip(_ passage: Passage) -> GstPadProbeReturn {
    guard let buffer = passage.buffer, buffer.pointee.pts != cgst_no_time,
      buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue == 0
    else { return GST_PAD_PROBE_OK }
    let (time, known) = (buffer.pointee.pts, first.withLock { $0 })
    guard time == known ?? time else { return GST_PAD_PROBE_OK }
    let skipped = Self.preSkip(of: passage.pad)
    if known == nil {
      let isClipped = gst_buffer_get_meta(buffer, gst_audio_clipping_meta_api_get_type()) != nil
      if isClipped || skipped == 0 { return GST_PAD_PROBE_REMOVE }
      first.withLock { $0 = time }
    }
    guard let own = passage.writableBuffer() else { return GST_PAD_PROBE_OK }
    gst_buffer_add_audio_clipping_meta(own, GST_FORMAT_DEFAULT, guint64(clamping: skipped), 0)
    own.pointee.pts =
      time &+ gst_util_uint64_scale(guint64(clamping: skipped), 1_000_000_000, 48_000)
    return GST_PAD_PROBE_OK
  }

  /// In frames at 48 kHz, or 0 for other types.
  private static func preSkip(of pad: UnsafeMutablePointer<GstPad>) -> guint16 {
    pad.withCaps { caps in
      guard let header = caps.streamHeader else { return nil }
      var skipped: guint16 = 0
      gst_codec_utils_opus_parse_header(header, nil, nil, nil, nil, nil, nil, &skipped, nil)
      return skipped
    } ?? 0
  }
}
