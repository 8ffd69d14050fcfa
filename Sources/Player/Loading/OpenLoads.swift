import Sounds

/// The loads that have begun and not ended, and when to tell how long they last. It is a value, used on the control
/// thread.
struct OpenLoads: Sendable {
  private struct Load: Sendable {
    var id: LoadID
    var title: String
    /// Index of the stage of its sound.
    var stage: Int?
    /// The name of the command that waits for it; nil if the session plays on without it.
    var command: String?
    /// Seconds of the clock of the calls.
    var began: Double
    /// The whole seconds that have been told.
    var told = 0
  }

  private var loads: [Load] = []

  /// The command `name` waits for a load that has begun.
  mutating func hold(_ name: String, for id: LoadID) {
    for index in loads.indices where loads[index].id == id { loads[index].command = name }
  }

  /// Follows the events of loads.
  mutating func note(_ event: PlayerEvent, stage: Int?, at now: Double) {
    switch event {
    case .loadStarted(let title, let id):
      loads.append(Load(id: id, title: title, stage: stage, began: now))
    case .loadCompleted(_, let id, _), .loadFailed(_, let id, _), .loadTimeout(_, let id, _):
      loads.removeAll { $0.id == id }
    default: break
    }
  }

  /// The title of the oldest load that has lasted for a second or more; nil if there is none.
  var lasting: String? { loads.first { 0 < $0.told }?.title }

  /// When the next progress is due; infinite if nothing loads.
  var nextProgress: Double { loads.map { $0.began + Double($0.told + 1) }.min() ?? .infinity }

  /// The progress of each load that has lasted for another second.
  mutating func progress(at now: Double) -> [(stage: Int?, event: PlayerEvent)] {
    var events: [(stage: Int?, event: PlayerEvent)] = []
    for index in loads.indices {
      let load = loads[index]
      let seconds = Int(max(0, min(now - load.began, 1e9)))
      guard load.told < seconds else { continue }
      loads[index].told = seconds
      events.append((load.stage, .loadProgress(title: load.title, id: load.id, milliseconds: 1_000 * Double(seconds))))
      if load.told == 0, let command = load.command {
        events.append((load.stage, .loadCancellable(title: load.title, id: load.id, command: command)))
      }
    }
    return events
  }

  /// Removes all loads, and returns the events that end them, because nothing waits for them any more.
  mutating func cancelAll() -> [(stage: Int?, event: PlayerEvent)] {
    defer { loads = [] }
    return loads.map { ($0.stage, .loadFailed(title: $0.title, id: $0.id, .cancelled)) }
  }

  /// What is known of a load; nil if it has ended.
  subscript(id: LoadID) -> (title: String, stage: Int?, began: Double)? {
    loads.first { $0.id == id }.map { ($0.title, $0.stage, $0.began) }
  }
}

/// A load that a command has begun.
struct BegunLoad: Sendable {
  var id: LoadID
  var source: SoundSource
}
