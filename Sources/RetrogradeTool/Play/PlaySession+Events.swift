// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

extension PlaySession {
  func handle(_ event: Event) async {
    switch event {
    case .key(let key?): await handle(key)
    case .key(nil): hasEnded = true
    case .signal(let signal): handle(signal)
    case .position: follow()
    case .player(.ended): await advanceAtEnd()
    case .player(.failed(let error)): fail(model.index, error)
    case .player(.tags(let tags)): model.track.tags = tags
    case .player(.warning(let sentence)):
      model.message = sentence
      display.say(sentence)
    case .player: break
    case .outline(let index, let peaks): if index == model.index { model.track.peaks = peaks }
    case .writing(let fraction) where !isQuitting:
      model.message = "Writing \(writing?.name ?? ""): \(Int(saturating: fraction * 100)) %"
    case .writing: break
    case .written(let error):
      model.message = "Wrote \(writing?.name ?? "")."
      error.map(note)
      writing = nil
      if isQuitting { hasEnded = true }
    case .opened(let index, .success(let information)): begin(index, information)
    case .opened(let index, .failure(let error)): fail(index, error)
    case .done:
      performNext()
      await advanceAtEnd()
    }
  }

  // MARK: - Keys and signals

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGTSTP:
      display.leave()
      raise(SIGSTOP)
      if hasBegun { display.enter() }
    case SIGCONT: if hasBegun { display.enter() }
    case SIGWINCH: break
    default: hasEnded = true
    }
  }

  private func handle(_ key: Key) async {
    model.message = ""
    for action in model.handle(key) {
      switch action {
      case .quit: quit()
      case .write(let edit): await write(edit)
      case .open:
        isAdvancing = false
        model.transport = .opening
        ask([action])
      default: ask([action])
      }
    }
  }

  /// Quits when the file that we write is complete. If you press the key again, it's discarded.
  private func quit() {
    hasEnded = writing == nil || isQuitting
    isQuitting = true
    writing.map { model.message = "Still writing \($0.name); press q again to discard it." }
  }

  /// Writes a file into the current folder in the background.
  private func write(_ edit: AudioEdit) async {
    guard writing == nil, let information = await player.information else { return }
    let file = files[model.index]
    let known = OutputSettings.FileType(extension: FilePath(file.url).fileExtension)
    let type = known ?? .same(as: information)
    // a name that's still free
    let names = (1...).lazy.map { number in
      FilePath(file.url).stem + "-played\(number > 1 ? "-\(number)" : "").\(type.rawValue)"
    }
    let path = names.first { $0.status(followsLinks: false) == nil } ?? "retrograde"
    var edit = edit
    (edit.effects, edit.peaks) = (player.effects, .limited)
    let settings = OutputSettings(type: type).completed(
      by: information, extension: path.fileExtension, channels: edit.channels)
    let task = Task { [report, edit] in
      do {
        _ = try await file.render(edit, to: path.url, settings: settings) {
          report.yield(.writing($0.fraction))
        }
        report.yield(.written(nil))
      } catch {
        report.yield(.written(RetrogradeError(error)))
      }
    }
    writing = (task, path.description)
  }

  // MARK: - The player

  private func follow() {
    guard !isBusy, let position = player.position else { return }
    model.position = position.time
    if model.loopMode == .pingPong { model.direction = position.direction }
    if !model.ladder.isEmpty, !model.isOriginal { model.factor = position.factor }
    switch position.state {
    case .playing: model.transport = .playing
    case .paused: model.transport = .paused
    case .ended: model.transport = .ended
    default: break
    }
  }

  /// Goes to the next file if the player is at the end of this one. Actions that are still to come
  /// may move it away from the end, so we do nothing until they're done and then call this again.
  private func advanceAtEnd() async {
    guard !isBusy, await player.state == .ended else { return }
    follow()
    advance()
  }

  /// After the last file, the session ends unless it's interactive.
  private func advance() {
    guard model.index + 1 < files.count else {
      if !display.isInteractive || !hasBegun { hasEnded = true }
      return
    }
    isAdvancing = true
    ask([.open(model.index + 1)])
  }

  private func begin(_ index: Int, _ information: AudioInformation) {
    var actions: [PlayAction] = []
    if hasBegun {
      model.forgetLoop()
    } else {
      let edge = model.direction == .forward ? model.markerStart : model.markerStop
      actions = (start ?? edge).map { [.seek($0)] } ?? []
      let first = max(start ?? .zero, model.markerStart ?? .zero)
      if let duration = information.duration, first >= duration, first > .zero {
        return fail(
          index,
          RetrogradeError.invalid(
            "\(files[index].label): the file ends at \(duration.deckClock), but is to start at "
              + "\(first.deckClock); choose an earlier time."))
      }
      hasBegun = true
      display.enter()
    }
    isAdvancing = false
    model.begin(index, files[index].name, information)
    if let missing = information.missing {
      model.message = "\(files[index].label): \(missing)."
      display.say(model.message)
    }
    drawOutline(of: index)
    ask([.apply(model.settings)] + actions + [.play])
  }

  private func fail(_ index: Int, _ error: RetrogradeError) {
    model.index = index
    model.track = PlayModel.Track(name: files[index].name)
    (model.transport, model.position) = (.failed, .zero)
    note(error)
    if isAdvancing || !display.isInteractive { advance() }
  }

  private func drawOutline(of index: Int) {
    outline?.cancel()
    guard display.isInteractive else { return }
    outline = Task { [report, file = files[index]] in
      // if the file cannot be read, the player reports the reason
      _ = try? await file.waveform(columns: 1024) { waveform in
        report.yield(.outline(index, waveform.columns.map { max(-$0.lowerBound, $0.upperBound) }))
      }
    }
  }
}
