// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Test func tagsOfTheAudioAreKeptAndTagsOfItsStorageAreNot() {
  let tags = AudioTags([
    "title": "Echo", "artist": "Narcissus", "track-number": "3", "image": "(1200 bytes)",
    "audio-codec": "MPEG-1 Layer 3 (MP3)", "bitrate": "128000", "container-format": "ID3 tag",
    "encoder": "LAME", "minimum-bitrate": "32000", "has-crc": "false", "language-code": "en",
    "extended-comment": "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x3",
  ])
  #expect(Set(tags.descriptive.values.keys) == ["title", "artist", "track-number", "image"])
  #expect(tags.descriptive.title == "Echo")
  #expect(tags.descriptive.artist == "Narcissus")
  #expect(tags.descriptive.album == nil)
  #expect(tags["bitrate"] == "128000")
}

@Test func laterTagsGoBeforeEarlierOnes() {
  var tags = AudioTags(["title": "Echo", "artist": "Narcissus"])
  tags.merge(AudioTags(["title": "Ohce", "album": "Palindromes"]))
  #expect(tags == AudioTags(["title": "Ohce", "artist": "Narcissus", "album": "Palindromes"]))
}

@Test func aTagIsFoundByItsOtherName() {
  #expect(AudioTags(["date": "2019"]).counterpart(of: "datetime") == "2019")
  #expect(AudioTags(["preview-image": "(9 bytes)"]).counterpart(of: "image") == "(9 bytes)")
  #expect(AudioTags(["title": "Echo"]).counterpart(of: "artist") == nil)
}

/// The tags are written by FFmpeg and read by GStreamer.
@Test func tagsOfAFileAreRead() async throws {
  let folder = try TestFolder()
  let song = folder.file("song.flac")
  let title = "Wie spät? \"½ 9\" \\ spät"
  try output(
    of: "ffmpeg", "-v", "error", "-i", Sounds.file("short.wav").url.path, "-metadata",
    "title=\(title)", "-metadata", "artist=A", "-metadata", "album=B", song.path)
  let tags = try await AudioFile(song).information().tags
  #expect(tags.title == title)
  #expect(tags.artist == "A")
  #expect(tags.album == "B")
}
