extension PlayerState {
  /// The reason why a state is invalid, in one sentence.
  package enum Defect: Sendable, Hashable, CustomStringConvertible {
    case sameTrackTwice(title: String)
    case progress(Double)
    case position(Double)
    case duration(Double)

    package var description: String {
      switch self {
      case .sameTrackTwice(let title): "one playback of '\(title)' can't be crossfaded into itself"
      case .progress(let progress): "progress \(progress) is outside 0…1"
      case .position(let position): "a track can't be paused at \(position) s; positions start at 0"
      case .duration(let duration): "a fade-out can't take \(duration) s"
      }
    }
  }

  /// The first invalid associated value; nil if the state is valid. Snapshots are validated by their initializer.
  package var defect: Defect? {
    switch self {
    case .idle, .preparing, .playing, .finished, .failed: nil
    case .preparingCrossfade(let current, let next): Self.pairDefect(current, next)
    case .crossfading(let from, let to, let progress), .crossfadePaused(let from, let to, let progress, _, _):
      (0...1).contains(progress) ? Self.pairDefect(from, to) : .progress(progress)
    case .paused(_, let position): 0 <= position && position.isFinite ? nil : .position(position)
    case .fadingOut(_, let duration): 0 <= duration && duration.isFinite ? nil : .duration(duration)
    }
  }

  private static func pairDefect(_ first: TrackInfo, _ second: TrackInfo) -> Defect? {
    first.id == second.id ? .sameTrackTwice(title: first.title) : nil
  }
}
