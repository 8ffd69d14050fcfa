public import Signal

extension MusicPlan {
  /// One playing of one track: which, and from which frame on.
  public struct Turn: Sendable, Hashable {
    public var entry: PlaylistEntry
    /// Where its track's first frame lies.
    public var at: FrameTime
    /// How many came before it in the same line of music.
    var ordinal = 0
    /// Where the listener has entered it, behind its beginning; nil for at its beginning.
    var enters: FrameTime?
    /// How it fades in there; nil for as the plan has it.
    var arrival: FadeShape?
    /// Frames of the shortest fade that doesn't click, where it is entered without another one.
    var ramp: FrameCount = 0
    /// Its fade-in where a crossfade was hurried or undone.
    var fadeIn: Fade?
    /// How often it has been paused and continued.
    var part = 0

    init(entry: PlaylistEntry, at: FrameTime) {
      self.entry = entry
      self.at = at
    }

    /// The frame at which it begins to sound.
    var begin: FrameTime { max(at, enters ?? at) }

    /// The same, that many frames later; what has begun continues at `frame`.
    ///
    /// - Parameter fadeIn: as it was when it was paused.
    func continued(at frame: FrameTime, later shift: FrameCount, fadeIn: Fade?, ramp: FrameCount) -> Turn {
      var moved = self
      moved.at += shift
      moved.enters = enters.map { $0 + shift }
      moved.fadeIn = self.fadeIn?.shifted(by: shift)
      guard moved.begin < frame else { return moved }
      moved.fadeIn = fadeIn?.shifted(by: shift)
      moved.enters = frame
      moved.ramp = ramp
      moved.part += 1
      return moved
    }
  }

  /// Nil where nothing can sound.
  public var first: Turn? {
    guard tracks.contains(where: { 0 < $0.length }) else { return nil }
    return playlist.opening.map { Turn(entry: PlaylistEntry(index: $0, pass: 0, overlap: 0), at: begin) }
  }

  public func successor(of turn: Turn) -> Turn? {
    let track = tracks[turn.entry.index]
    guard track.length != .endless, let (index, pass) = playlist.entry(after: turn.entry) else { return nil }
    let overlap = overlap(between: track, and: tracks[index])
    let at = turn.at.addingReportingOverflow(track.length - overlap)
    guard !at.overflow else { return nil }
    var next = Turn(entry: PlaylistEntry(index: index, pass: pass, overlap: overlap), at: at.partialValue)
    next.ordinal = turn.ordinal + 1
    return next
  }

  /// A crossfade longer than half of either track is shortened to half of the shorter one.
  public func overlap(between outgoing: Track, and incoming: Track) -> FrameCount {
    min(crossfade.length, outgoing.length / 2, incoming.length / 2)
  }

  /// The frame after the last track's last one, when `turn` is under way; `.endless` too for what is beyond counting.
  func end(from turn: Turn) -> FrameTime {
    guard playlist.isBounded else { return .endless }
    let last = self.turn(at: .endless, from: turn)
    let end = last.at.addingReportingOverflow(tracks[last.entry.index].length)
    return end.overflow ? .endless : end.partialValue
  }

  /// Frames from the first track's beginning to the last one's end; `.endless` where something repeats without a bound,
  /// and where the sum is beyond all counting.
  public var naturalLength: FrameCount {
    guard let first else { return 0 }
    let end = end(from: first)
    return end == .endless ? .endless : end - begin
  }

  /// The last turn that begins at or before `frame`, whether it still sounds there or not. Nil before `begin`, and where
  /// there are no tracks.
  public func turn(at frame: FrameTime) -> Turn? {
    guard begin <= frame, let first else { return nil }
    return turn(at: frame, from: first)
  }

  /// The same, when `start` is under way; found by arithmetic, so a week of short tracks takes no longer than a minute of
  /// them.
  func turn(at frame: FrameTime, from start: Turn) -> Turn {
    var turn = start
    // Twice over the playlist, the whole rounds between them in one step.
    var hasSkipped = false
    while let next = successor(of: turn), next.at <= frame {
      turn = next
      if playlist.repetition == .track { turn = repeated(turn, until: frame) }
      if !hasSkipped, playlist.repetition == .playlist, turn.entry.index == playlist.opening {
        turn = roundsLater(turn, until: frame)
        hasSkipped = true
      }
    }
    return turn
  }

  /// The same entry as many passes later as have begun by `frame`.
  private func roundsLater(_ turn: Turn, until frame: FrameTime) -> Turn {
    guard let round, 0 < round.length else { return turn }
    let fitting = passed(since: turn, at: frame) / round.length
    let passes = playlist.repeatCount.map { min(FrameCount(max(0, $0 - turn.entry.pass)), fitting) } ?? fitting
    return later(turn, passes: passes, each: round.length, turns: round.turns)
  }

  /// Frames and turns from an entry's beginning to its next one, the playlist over; nil where nothing ends it.
  private var round: (length: FrameCount, turns: Int)? {
    let playable = tracks.filter { !$0.isUnplayable }
    guard !playable.isEmpty, playable.allSatisfy({ $0.length != .endless }) else { return nil }
    var sum: FrameCount = 0
    for (index, track) in playable.enumerated() {
      let step = track.length - overlap(between: track, and: playable[(index + 1) % playable.count])
      let (result, overflow) = sum.addingReportingOverflow(step)
      if overflow { return nil }
      sum = result
    }
    return (sum, playable.count)
  }

  /// The last turn of the same track that begins at or before `frame`.
  private func repeated(_ turn: Turn, until frame: FrameTime) -> Turn {
    let track = tracks[turn.entry.index]
    guard track.length != .endless, 0 < track.length else { return turn }
    let step = track.length - overlap(between: track, and: track)
    let fitting = passed(since: turn, at: frame) / step
    let passes = playlist.repeatCount.map { min(FrameCount(max(0, $0 - turn.entry.pass)), fitting) } ?? fitting
    var last = later(turn, passes: passes, each: step, turns: 1)
    if 0 < passes { last.entry.overlap = overlap(between: track, and: track) }
    return last
  }

  /// A track that is entered in its middle may have begun before the session's first frame.
  private func passed(since turn: Turn, at frame: FrameTime) -> FrameCount {
    frame == .endless ? .endless : frame - turn.at
  }

  private func later(_ turn: Turn, passes: FrameCount, each length: FrameCount, turns: Int) -> Turn {
    guard 0 < passes else { return turn }
    let frames = passes.multipliedReportingOverflow(by: length)
    let at = turn.at.addingReportingOverflow(frames.partialValue)
    var last = Turn(entry: turn.entry, at: frames.overflow || at.overflow ? .endless : at.partialValue)
    last.entry.pass += Int(passes)
    last.ordinal = turn.ordinal + Int(passes) * turns
    return last
  }
}
