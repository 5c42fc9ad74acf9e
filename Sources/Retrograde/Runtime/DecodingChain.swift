// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Element {
  /// The elements inside a decodebin that decode the stream going to this element, as a description
  /// for gst_parse_launch(), such as "oggdemux .src_00000000 ! vorbisdec". Leaves out queues.
  ///
  /// The decodebin must be at least PAUSED. Nil if an element has several inputs, if there's a bin
  /// among the elements, or if the stream doesn't come from a decodebin.
  var decodingChain: String? {
    guard let output = withPad("sink", { gst_pad_get_peer($0) }) ?? nil else { return nil }
    defer { gst_object_unref(output) }
    guard isKind(output, gst_ghost_pad_get_type()), let pad = gst_ghost_pad_get_target(cast(output))
    else { return nil }
    defer { gst_object_unref(pad) }
    guard let parts = Self.parts(to: pad), !parts.isEmpty else { return nil }
    return parts.joined(separator: " ! ")
  }

  /// These only forward the stream in a decodebin. The capsfilter restricts a parser's output to
  /// the decoder's caps, but the two would agree on those anyway.
  private static let forwarders = ["multiqueue", "capsfilter", "typefind"]

  /// Descriptions of the elements between the decodebin's input and `pad`.
  private static func parts(to pad: UnsafeMutablePointer<GstPad>) -> [String]? {
    guard let element = gst_pad_get_parent_element(pad).map(Element.init(taking:)),
      let name = element.factoryName, !isKind(element.pointer, gst_bin_get_type())
    else { return nil }
    let own = forwarders.contains(name) ? [] : [name + selector(of: pad)]
    let inputs = all(gst_pad_iterate_internal_links(pad))
    let peer = inputs.count == 1 ? gst_pad_get_peer(cast(inputs[0].pointer)) : nil
    defer { if let peer { gst_object_unref(peer) } }
    guard let peer, !isKind(peer, gst_proxy_pad_get_type()) else {
      // we've only reached the start if this is decodebin's first element
      return name == "typefind" ? own : nil
    }
    return parts(to: peer).map { $0 + own }
  }

  /// Names a pad that isn't always there.
  private static func selector(of pad: UnsafeMutablePointer<GstPad>) -> String {
    let template = gst_pad_get_pad_template(pad)
    defer { if let template { gst_object_unref(template) } }
    let isAlways = template?.pointee.presence == GST_PAD_ALWAYS
    return isAlways ? "" : " ." + adopt(gst_object_get_name(cast(pad)))
  }

  /// The name of the kind of element, such as "oggdemux".
  var factoryName: String? {
    let factory = gst_element_get_factory(pointer).map { UnsafeMutablePointer<GstObject>($0) }
    return factory.map { adopt(gst_object_get_name($0)) }
  }
}

private func isKind<Object>(_ object: UnsafeMutablePointer<Object>, _ type: GType) -> Bool {
  g_type_check_instance_is_a(cast(object), type) != 0
}
