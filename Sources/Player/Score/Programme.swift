public import Engine
public import Signal

/// A session as the player sees it: stages one after the other, their music in closed form, their cues at exact frames.
public struct Programme: Sendable {
  public struct Stage: Sendable {
    public var name: String
    public var begin: FrameTime
    /// Where the next stage begins, or the session's music ends; nil for an open stage, which the listener ends.
    public var end: FrameTime?
    /// It ends when its music does, wherever the listener goes in it; else where it was planned to.
    public var endsWithMusic = false
    public var music: MusicPlan
    /// Overlays and gongs of this stage in the order of their frames.
    public var cues: [Placement]

    public init(name: String, begin: FrameTime, end: FrameTime?, music: MusicPlan, cues: [Placement]) {
      self.name = name
      self.begin = begin
      self.end = end
      self.music = music
      self.cues = cues
    }

    /// Moves everything that many frames later.
    mutating func shift(by frames: FrameCount) {
      begin += frames
      end = end.map { $0 + frames }
      music.begin += frames
      music.departure = music.departure?.shifted(by: frames)
      cues = cues.map { $0.shifted(by: frames) }
    }
  }

  /// A sound that the session asks for and that can't be played: it has been left out of the plan, and is told of.
  public struct Skipped: Sendable {
    public var title: String
    public var reason: SourceError

    public init(title: String, reason: SourceError) {
      self.title = title
      self.reason = reason
    }
  }

  public var title: String
  public var rate: SampleRate
  public var master: Gain
  public var stages: [Stage]
  /// Session-wide overlays and gongs in the order of their frames.
  public var cues: [Placement]
  public var skipped: [Skipped] = []

  public init(title: String, rate: SampleRate, master: Gain, stages: [Stage], cues: [Placement]) {
    self.title = title
    self.rate = rate
    self.master = master
    self.stages = stages
    self.cues = cues
  }
}

extension Programme {
  /// The stages that follow each other without the listener: from behind an open stage up to the next one. Their frames
  /// count from the beginning of the first of them; session-wide cues belong to the first run.
  public func run(containing index: Int) -> Range<Int> {
    let first = stages[..<max(0, min(index, stages.count))].lastIndex { $0.end == nil }.map { $0 + 1 } ?? 0
    let last = stages[first...].firstIndex { $0.end == nil } ?? stages.count - 1
    return first..<last + 1
  }

  /// The frame at which the last sound has ended; nil when an open stage decides.
  public var end: FrameTime? { stages.contains { $0.end == nil } ? nil : end(ofRun: stages.indices) }

  /// The frame at which the last sound of a run has ended; nil when its last stage is open.
  public func end(ofRun run: Range<Int>) -> FrameTime? {
    guard let last = stages[run].last?.end else { return nil }
    let cues = stages[run].flatMap(\.cues) + (run.lowerBound == 0 ? self.cues : [])
    return max(last, cues.map(\.end).max() ?? 0)
  }

  /// Every source that it plays.
  public var sources: Set<SoundSource> {
    Set((stages.flatMap(\.cues) + cues).map(\.source) + stages.flatMap { $0.music.tracks.map(\.source) })
  }
}
