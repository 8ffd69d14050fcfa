public import Signal

extension MusicPlan {
  /// One playing of one track: which, and from which frame on.
  package struct Turn: Sendable, Hashable {
    package var entry: PlaylistEntry
    /// Where its track's first frame lies.
    package var at: FrameTime
    /// Where the listener has entered it, behind its beginning; nil for at its beginning.
    package var enters: FrameTime?
    /// How it fades in there; nil for as the plan has it.
    package var arrival: FadeShape?
    /// Frames of the shortest fade that doesn't click, where it is entered without another one.
    package var ramp: FrameCount = 0

    package init(entry: PlaylistEntry, at: FrameTime) {
      self.entry = entry
      self.at = at
    }

    /// The same, that many frames later.
    func shifted(by frames: FrameCount) -> Turn {
      var moved = self
      moved.at += frames
      moved.enters = enters.map { $0 + frames }
      return moved
    }
  }

  /// The frame after the last track's last one.
  var naturalEnd: FrameTime {
    let end = begin.addingReportingOverflow(naturalLength)
    return naturalLength == .endless || end.overflow ? .endless : end.partialValue
  }

  /// The same when `turn` is under way, wherever the listener has moved it; `.endless` too for what is beyond counting.
  func end(from turn: Turn) -> FrameTime {
    guard tracks.allSatisfy({ $0.length != .endless }), repetition == .off || repeatCount != nil else {
      return .endless
    }
    var last = turn
    var count = 0
    while let next = successor(of: last) {
      last = next
      count += 1
      if 1_000_000 < count { return .endless }
    }
    return last.at + tracks[last.entry.index].length
  }

  /// Frames from the first track's beginning to the last one's end; `.endless` where something repeats without a bound,
  /// and where the sum is beyond all counting.
  public var naturalLength: FrameCount {
    guard !tracks.isEmpty else { return 0 }
    guard tracks.allSatisfy({ $0.length != .endless }), repetition == .off || repeatCount != nil else {
      return .endless
    }
    let once = saturatingSum(tracks.indices.map { $0 + 1 == tracks.count ? tracks[$0].length : step($0, to: $0 + 1) })
    switch repetition {
    case .off: return once
    case .playlist: return saturatingSum([once, saturatingProduct(round, repeatCount ?? 0)])
    case .track:
      return saturatingSum([once] + tracks.indices.map { saturatingProduct(step($0, to: $0), repeatCount ?? 0) })
    }
  }

  /// A crossfade longer than half of either track is shortened to half of the shorter one.
  package func overlap(between outgoing: Track, and incoming: Track) -> FrameCount {
    min(crossfade.length, outgoing.length / 2, incoming.length / 2)
  }

  /// The last turn that begins at or before `frame`, whether it still sounds there or not; found by arithmetic, so a
  /// week of short tracks takes no longer than a minute of them. Nil before `begin`, and where there are no tracks.
  package func turn(at frame: FrameTime) -> Turn? {
    guard begin <= frame, var turn = first else { return nil }
    if repetition == .playlist, tracks.allSatisfy({ $0.length != .endless }), 0 < round {
      let rounds = (frame - begin) / round
      turn = opening(ofRound: repeatCount.map { min(FrameCount($0), rounds) } ?? rounds)
    }
    while true {
      if repetition == .track { turn = repeated(turn, until: frame) }
      guard let next = successor(of: turn), next.at <= frame else { return turn }
      turn = next
    }
  }

  /// How many turns have begun before `turn`.
  package func turns(before turn: Turn) -> Int {
    switch repetition {
    case .off: turn.entry.index
    case .playlist: turn.entry.pass * tracks.count + turn.entry.index
    case .track: turn.entry.index * ((repeatCount ?? 0) + 1) + turn.entry.pass
    }
  }

  /// Nil where nothing can sound.
  var first: Turn? {
    guard tracks.contains(where: { 0 < $0.length }) else { return nil }
    return opening.map { Turn(entry: PlaylistEntry(index: $0, pass: 0, overlap: 0), at: begin) }
  }

  /// Index of the first track that can be played.
  var opening: Int? { tracks.firstIndex { !$0.isUnplayable } }

  func successor(of turn: Turn) -> Turn? {
    let track = tracks[turn.entry.index]
    guard track.length != .endless, let (index, pass) = entry(after: turn.entry) else { return nil }
    let overlap = overlap(between: track, and: tracks[index])
    let at = turn.at.addingReportingOverflow(track.length - overlap)
    guard !at.overflow else { return nil }
    return Turn(entry: PlaylistEntry(index: index, pass: pass, overlap: overlap), at: at.partialValue)
  }

  /// Which entry follows that can be played, and in which pass; nil after the last one.
  func entry(after entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    var entry = entry
    // Once round, and the track itself.
    for _ in 0...tracks.count {
      guard let (index, pass) = neighbour(of: entry) else { return nil }
      if !tracks[index].isUnplayable { return (index, pass) }
      entry = PlaylistEntry(index: index, pass: pass, overlap: 0)
    }
    return nil
  }

  private func neighbour(of entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let goesRoundAgain = repeatCount.map { entry.pass < $0 } ?? true
    switch repetition {
    case .track where goesRoundAgain && 0 < tracks[entry.index].length && !tracks[entry.index].isUnplayable:
      return (entry.index, entry.pass + 1)
    case .playlist where entry.index + 1 == tracks.count: return goesRoundAgain ? (0, entry.pass + 1) : nil
    case .playlist: return (entry.index + 1, entry.pass)
    case .off, .track: return entry.index + 1 < tracks.count ? (entry.index + 1, 0) : nil
    }
  }

  /// Frames from one track's beginning to that of the one that follows it.
  private func step(_ index: Int, to next: Int) -> FrameCount {
    tracks[index].length - overlap(between: tracks[index], and: tracks[next])
  }

  /// Frames from the first track's beginning to its next one, the playlist over.
  private var round: FrameCount { saturatingSum(tracks.indices.map { step($0, to: ($0 + 1) % tracks.count) }) }

  private func opening(ofRound number: FrameCount) -> Turn {
    let overlap = number == 0 ? 0 : overlap(between: tracks[tracks.count - 1], and: tracks[0])
    return Turn(entry: PlaylistEntry(index: 0, pass: Int(number), overlap: overlap), at: begin + number * round)
  }

  /// The last turn of the same track that begins at or before `frame`.
  private func repeated(_ turn: Turn, until frame: FrameTime) -> Turn {
    let index = turn.entry.index
    guard tracks[index].length != .endless, 0 < tracks[index].length, turn.entry.pass == 0 else { return turn }
    let fitting = (frame - turn.at) / step(index, to: index)
    let passes = repeatCount.map { min(FrameCount($0), fitting) } ?? fitting
    guard 0 < passes else { return turn }
    let overlap = overlap(between: tracks[index], and: tracks[index])
    let entry = PlaylistEntry(index: index, pass: Int(passes), overlap: overlap)
    return Turn(entry: entry, at: turn.at + passes * step(index, to: index))
  }
}

private func saturatingSum(_ counts: [FrameCount]) -> FrameCount {
  counts.reduce(0) { sum, count in
    let (result, overflow) = sum.addingReportingOverflow(count)
    return overflow ? .endless : result
  }
}

private func saturatingProduct(_ count: FrameCount, _ times: Int) -> FrameCount {
  let (result, overflow) = count.multipliedReportingOverflow(by: FrameCount(times))
  return overflow ? .endless : result
}
