package import Signal

/// The clips of a schedule, ordered by their first frame. It computes one clip at a time, so its memory use does not
/// grow with the length of the session.
package struct ClipSequence: Sequence, IteratorProtocol, Sendable {
  /// One ordered source of clips. `head` is its next clip.
  private struct Lane: Sendable {
    /// Overlays and gongs are computed one repeat at a time.
    enum Source: Sendable {
      case clips(ArraySlice<Clip>)
      case music(MusicPlan.Clips)
      case overlay(OverlayOccurrence, time: Int, rest: ArraySlice<Clip>)
      case gong(GongSeries, time: Int, strike: Int)
    }

    var source: Source
    var head: Clip? = nil

    mutating func advance() -> Clip? {
      switch source {
      case .clips(var clips):
        defer { source = .clips(clips) }
        return clips.popFirst()
      case .music(var clips):
        defer { source = .music(clips) }
        return clips.next()
      case .overlay(let occurrence, var time, var rest):
        defer { source = .overlay(occurrence, time: time, rest: rest) }
        while rest.isEmpty, let clips = occurrence.heardClips(of: time) { (time, rest) = (time + 1, clips[...]) }
        // Sounds of a layer may begin while earlier ones play, whose parts after a pause come later.
        while let head = rest.first, occurrence.mayBegin(time, by: head.begin),
          let clips = occurrence.heardClips(of: time)
        {
          time += 1
          rest = (rest + clips).sorted { ($0.begin, $0.id.ordinal) < ($1.begin, $1.id.ordinal) }[...]
        }
        return rest.popFirst()
      case .gong(let series, var time, let strike):
        defer { source = .gong(series, time: time, strike: strike) }
        while let clip = series.clip(time: time, strike: strike), clip.at < series.span.until {
          time += 1
          if series.span.from <= clip.at { return clip }
        }
        return nil
      }
    }
  }

  /// A cue whose first clip is still to come. It becomes a lane when its turn comes, because a lane is large.
  private struct WaitingCue: Sendable {
    /// No clip of it begins before this frame.
    var begin: FrameTime
    /// Index into `overlays` or `gongs`.
    var index: Int
    /// Index of the strike of a gong; nil for an overlay.
    var strike: Int?
  }

  /// The position of a lane in the sequence. Clips of one frame are ordered by `ordinal`, so that the sequence does not
  /// depend on the order of the lanes.
  private struct Position: Sendable {
    var begin: FrameTime
    var ordinal: UInt128
    /// Index of the lane.
    var lane: Int

    func comes(before other: Position) -> Bool { (begin, ordinal) < (other.begin, other.ordinal) }
  }

  private let schedule: Schedule
  /// Clips that end at or before this session frame are omitted.
  private let from: FrameTime
  private var lanes: [Lane] = []
  /// Indices of the lanes that have ended, whose places others can take.
  private var free: [Int] = []
  private let overlays: [OverlayOccurrence]
  private let gongs: [GongSeries]
  /// In the reverse order of their beginnings.
  private var waiting: [WaitingCue] = []
  /// A binary heap, ordered by the first frames of the heads: the one at index i is never before that at (i - 1) / 2.
  /// Lanes without a head are not in it.
  private var heap: [Position] = []
  /// Index in the schedule's `layouts` of the next stage whose music is not in the heap yet.
  private var nextStage: Int

  /// - Parameter frame: clips that end at or before this frame are omitted.
  init(_ schedule: Schedule, from frame: FrameTime) {
    self.schedule = schedule
    from = frame
    nextStage = schedule.current + 1
    (overlays, gongs) = (schedule.occurrences, schedule.series)
    add(.clips(schedule.tails.sorted { ($0.begin, $0.id.ordinal) < ($1.begin, $1.id.ordinal) }[...]))
    for stageMusic in schedule.outgoing { add(.music(stageMusic.clips)) }
    if schedule.pausedMusic == nil { add(.music(schedule.stageMusic.clips)) }
    for (index, overlay) in overlays.enumerated() {
      waiting.append(WaitingCue(begin: overlay.at, index: index))
    }
    for (index, series) in gongs.enumerated() {
      for strike in 0..<series.gong.strikes {
        let begin = FrameTime(nearest: series.begin(of: 0) + Double(strike) * series.gong.spacing)
        waiting.append(WaitingCue(begin: begin, index: index, strike: strike))
      }
    }
    waiting.sort { $1.begin < $0.begin }
    openDue()
  }

  /// The next clip; nil at the end of the sequence.
  package var head: Clip? { heap.first.flatMap { lanes[$0.lane].head } }

  package mutating func next() -> Clip? {
    defer { drop() }
    return head
  }

  /// Removes the head.
  package mutating func drop() {
    guard let lane = heap.first?.lane else { return }
    if let position = advance(lane) {
      heap[0] = position
    } else {
      free.append(lane)
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
    }
    siftDown()
    openDue()
  }

  /// Adds the music of a later stage and the cues once no earlier clip is left, so that the heap contains only what has
  /// begun.
  private mutating func openDue() {
    while nextStage < schedule.layouts.count, schedule.pausedMusic == nil {
      let layout = schedule.layouts[nextStage]
      if let next = head?.begin, next < layout.begin { break }
      let move = schedule.stageMusic.move
      add(.music(MusicPlan.Clips(plan: layout.music, from: layout.music.first, move: move, stage: layout.stage)))
      nextStage += 1
    }
    while let cue = waiting.last, head.map({ cue.begin <= $0.begin }) ?? true {
      waiting.removeLast()
      if let strike = cue.strike {
        let series = gongs[cue.index]
        add(.gong(series, time: series.firstTime(endingAfter: from), strike: strike))
      } else {
        let occurrence = overlays[cue.index]
        add(.overlay(occurrence, time: occurrence.firstTime(endingAfter: from), rest: []))
      }
    }
  }

  /// Adds a lane and moves it up in the heap until the order is restored.
  private mutating func add(_ source: Lane.Source) {
    let lane = free.popLast() ?? lanes.count
    if lane == lanes.count { lanes.append(Lane(source: source)) } else { lanes[lane] = Lane(source: source) }
    guard let position = advance(lane) else { return free.append(lane) }
    heap.append(position)
    var index = heap.count - 1
    while 0 < index, heap[index].comes(before: heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Moves the first position down in the heap until the order is restored, after it has changed.
  private mutating func siftDown() {
    var index = 0
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
      guard heap[child].comes(before: heap[index]) else { return }
      heap.swapAt(child, index)
      index = child
    }
  }

  /// Computes the next clip of a lane that ends after `from`, and returns its position; nil at the end of the lane. A
  /// clip that ducks the music ends when the music is back at full volume.
  private mutating func advance(_ lane: Int) -> Position? {
    while let clip = lanes[lane].advance() {
      let clip = schedule.adjusted(clip)
      if clip.releaseEnd <= from, clip.end <= from { continue }
      lanes[lane].head = clip
      return Position(begin: clip.begin, ordinal: clip.id.ordinal, lane: lane)
    }
    lanes[lane].head = nil
    return nil
  }
}

extension Schedule {
  /// Every clip that ends after `frame`, ordered by its first frame.
  package func clips(from frame: FrameTime) -> ClipSequence { ClipSequence(self, from: frame) }

  /// The clips that play at `frame`, including those that begin at it.
  func playing(at frame: FrameTime) -> [Clip] {
    var clips: [Clip] = []
    for clip in self.clips(from: frame) {
      if frame < clip.begin { break }
      if frame < clip.end { clips.append(clip) }
    }
    return clips
  }

  /// The cue, moved to the end of a ramp into a pause if it is due within the ramp: there the session clock stops.
  func postponing(_ cue: Clip) -> Clip {
    var cue = cue
    for ramp in postponed where ramp.contains(cue.begin) { cue = cue.shifted(by: ramp.upperBound - cue.begin) }
    return cue
  }

  /// The clip with the effects of pauses, stops and edits applied.
  func adjusted(_ clip: Clip) -> Clip {
    var clip = clip.layer == .music ? clip : postponing(clip)
    if clip.layer == .effect {
      for stop in effects.stops where clip.begin < stop && stop < clip.end { clip.leave(at: stop, over: ramp) }
    }
    if let ease = editRamps[clip.id] { clip.ramp = ease }
    return clip
  }
}
