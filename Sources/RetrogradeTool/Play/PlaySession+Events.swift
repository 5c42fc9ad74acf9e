// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

extension PlaySession {
  func handle(_ event: PlayEvent) async {
    switch event {
    case .terminal(let event): await handle(event)
    case .position: follow()
    case .player(let event): await handle(event)
    case .outline(let index, let peaks): if index == model.index { model.track.peaks = peaks }
    case .writing(let fraction): showWriting(fraction)
    case .written(let result): showWritten(result)
    case .opened(let index, .success(let information)): await begin(index, information)
    case .opened(let index, .failure(let error)): await fail(index, error)
    case .done(let count):
      note(done: count)
      await advanceAtEnd()
    }
  }

  // MARK: - Keys and signals

  private func handle(_ event: TerminalEvent) async {
    switch event {
    case .key(let key): await handle(key)
    case .signal(SIGTSTP):
      display?.suspend()
      raise(SIGSTOP)
      display?.resume()
    case .signal(SIGCONT): display?.resume()
    case .signal(SIGWINCH): break
    case .signal(let signal): ending = .signal(signal)
    case .closed: ending = .finished
    }
  }

  private func handle(_ key: Key) async {
    model.message = ""
    if key != .character("w") { offered = nil }
    for action in model.handle(key) {
      switch action {
      case .quit: quit()
      case .write(let edit): await write(edit)
      case .open:
        isAdvancing = false
        model.transport = .opening
        await ask([action])
      default: await ask([action])
      }
    }
  }

  /// While we write a file, you have to press the key twice, so that one key press can't discard
  /// the file.
  private func quit() {
    guard let name = writing?.name, !isQuitting else {
      ending = .finished
      return
    }
    isQuitting = true
    model.message = "Still writing \(name); press q again to discard it."
  }

  // MARK: - The player

  private func follow() {
    guard !hasPendingActions, let position = player.position else { return }
    model.position = position.time
    if model.loopMode == .pingPong { model.direction = position.direction }
    if !model.ladder.isEmpty, !model.isOriginal { model.factor = position.factor }
    switch position.state {
    case .playing: model.transport = .playing
    case .paused: model.transport = .paused
    case .ended: model.transport = .ended
    case .empty: break
    }
  }

  private func handle(_ event: AudioPlayer.Event) async {
    switch event {
    case .ended: await advanceAtEnd()
    case .failed(let error): await fail(model.index, error)
    case .tags(let tags): model.track.show(tags)
    case .warning(let sentence):
      model.message = sentence
      display?.say(sentence)
    }
  }

  /// Goes to the next file if the player is at the end of this one. Pending actions may move it
  /// away from the end, so we do nothing until they're done and then call this again.
  private func advanceAtEnd() async {
    guard !hasPendingActions, await player.state == .ended else { return }
    follow()
    await advance()
  }

  /// After the last file, the session ends unless it's interactive.
  private func advance() async {
    guard model.index + 1 < files.count else {
      if !isInteractive || display == nil { ending = .finished }
      return
    }
    isAdvancing = true
    await ask([.open(model.index + 1)])
  }

  private func begin(_ index: Int, _ information: AudioInformation) async {
    if let position = firstPosition, let duration = information.duration, position >= duration {
      let sentence =
        "\(files[index].label): the file ends at \(duration.deckClock), but is to start at "
        + "\(position.deckClock); choose an earlier time."
      await fail(index, RetrogradeError.invalid(sentence))
      return
    }
    (firstPosition, offered) = (nil, nil)
    if display == nil { display = makeDisplay() }
    isAdvancing = false
    if hasBegun { model.forgetLoop() }
    hasBegun = true
    model.begin(index, files[index].name, information)
    if let missing = information.missing {
      model.message = "\(files[index].label): \(missing)."
      display?.say(model.message)
    }
    drawOutline(of: index)
    await ask([.apply(model.settings)] + preparation + [.play])
    preparation = []
  }

  private func fail(_ index: Int, _ error: RetrogradeError) async {
    failures.append(error)
    model.index = index
    model.track = PlayModel.Track(name: files[index].name)
    (model.transport, model.position) = (.failed, .zero)
    model.message = error.message
    display?.say(error.message)
    if display == nil && error.code.isForAllFiles {
      ending = .finished
      return
    }
    if isAdvancing || !isInteractive { await advance() }
  }

  private func drawOutline(of index: Int) {
    outline?.cancel()
    guard isInteractive else { return }
    outline = Task { [report, file = files[index]] in
      // if the file cannot be read, the player reports the reason
      _ = try? await file.waveform(columns: 1024) { waveform in
        report.yield(.outline(index, waveform.columns.map { max(-$0.lowerBound, $0.upperBound) }))
      }
    }
  }
}

extension RetrogradeError.Code {
  fileprivate var isForAllFiles: Bool {
    switch self {
    case .pluginNotFound, .deviceUnavailable, .outputExists, .outputUnwritable, .invalidArgument:
      true
    default: false
    }
  }
}
