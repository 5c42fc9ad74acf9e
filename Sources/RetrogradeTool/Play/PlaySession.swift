// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// Plays a list of files, and connects the player, the keys and the display.
///
/// All events arrive in one stream. Actions of the player run concurrently, so that keys don't have
/// to wait for a seek.
final class PlaySession {
  enum Event: Sendable {
    /// A key was pressed. Nil if no more can follow.
    case key(Key?)
    case signal(Int32)
    /// The player has reported its position. The event doesn't contain it, because we only need the
    /// latest one.
    case position
    case player(AudioPlayer.Event)
    case outline(Int, [Float])
    /// Progress of the file that we write, 0 … 1.
    case writing(Double)
    /// Nil if we've written the file.
    case written(RetrogradeError?)
    /// The file with this index is open, or couldn't be opened.
    case opened(Int, Result<AudioInformation, RetrogradeError>)
    /// The player has performed an action.
    case done
  }

  let files: [AudioFile]
  let player: AudioPlayer
  let report: AsyncStream<Event>.Continuation
  private let events: AsyncStream<Event>
  /// Where playback of the first file starts. By default, that's the beginning of the loop.
  let start: Duration?

  var model: PlayModel
  var display = PlayDisplay()
  /// We leave the terminal alone until a file is open.
  var hasBegun = false
  var hasEnded = false
  /// We end once the file that we write is complete.
  var isQuitting = false
  /// We go to the next file if this one fails.
  var isAdvancing = true
  /// Errors about files that we couldn't play or write.
  private(set) var failures: [RetrogradeError] = []
  var outline: Task<Void, Never>?
  var writing: (task: Task<Void, Never>, name: String)?

  /// Actions that the player hasn't performed yet, and the one that it's performing.
  private var waiting: [PlayAction] = []
  private var work: Task<Void, Never>?

  init(
    _ files: [AudioFile], with player: AudioPlayer, model: PlayModel, start: Duration? = nil
  ) {
    (self.files, self.player, self.model, self.start) = (files, player, model, start)
    (events, report) = AsyncStream.makeStream(of: Event.self)
  }

  /// Returns when everything has stopped.
  func run() async {
    Signals.watch([SIGTSTP, SIGCONT, SIGWINCH]) { [report] in report.yield(.signal($0)) }
    if display.isInteractive { Key.watch { [report] in report.yield(.key($0)) } }
    let feeds = [feed(player.positions) { _ in .position }, feed(player.events) { .player($0) }]
    ask([.turn(model.direction), .apply(model.settings), .open(0)])
    for await event in events {
      await handle(event)
      if hasBegun { display.show(model) }
      if hasEnded { break }
    }
    display.leave()
    for task in feeds + [work, outline, writing?.task].compactMap(\.self) { task.cancel() }
    // this removes an incomplete file
    await writing?.task.value
    await player.close()
    guard display.isInteractive else { return }
    // the screen showed them only briefly or not at all
    for failure in failures { Console.error.complain(failure.message) }
    if [.playing, .paused].contains(model.transport) {
      let (name, time) = (model.track.name, model.position.deckClock)
      Console.output.writeLine("\(name): stopped at \(time); --start \(time) goes on from there.")
    }
  }

  private func feed<Element: Sendable>(
    _ stream: AsyncStream<Element>, as event: @escaping @Sendable (Element) -> Event
  ) -> Task<Void, Never> {
    Task { [report] in
      for await element in stream { report.yield(event(element)) }
    }
  }

  /// Shows the error of a file, and again at the end.
  func note(_ failure: RetrogradeError) {
    model.message = failure.message
    guard failures.last != failure else { return }
    failures.append(failure)
    display.say(failure.message)
  }

  // MARK: - The player's actions

  /// While actions are still to come, the player's reported positions are out of date.
  var isBusy: Bool { work != nil }

  /// Queues actions. If several of the same kind follow each other, such as seeks, only the last one
  /// is performed.
  func ask(_ actions: [PlayAction]) {
    for action in actions {
      if waiting.last?.isOutdone(by: action) == true { waiting.removeLast() }
      waiting.append(action)
    }
    if !isBusy { performNext() }
  }

  func performNext() {
    work = nil
    guard !waiting.isEmpty else { return }
    work = Task { [player, files, report, action = waiting.removeFirst()] in
      switch action {
      case .play: await player.play()
      case .pause: await player.pause()
      case .seek(let position): await player.seek(to: position)
      case .turn(let direction): await player.setDirection(direction)
      case .speed(let speed): await player.setSpeed(speed)
      case .apply(let settings): await player.apply(settings)
      case .open(let index):
        let result: Result<AudioInformation, RetrogradeError>
        do { result = .success(try await player.open(files[index])) } catch {
          result = .failure(RetrogradeError(error))
        }
        report.yield(.opened(index, result))
      case .write, .quit: break  // the session itself does that
      }
      report.yield(.done)
    }
  }
}
