public import Engine
public import Signal

/// What a listener has done in a session up to a frame: all that it takes to come there again without playing it.
public struct Journal: Sendable, Hashable, Codable {
  /// The most changes that are kept.
  package static let most = 500
  /// The most moves of one volume, of which each may begin within the one before: what is older is no longer heard.
  private static let mostMoves = 8

  /// The stage in whose run it began, and the session frame.
  package var stage: Int
  package var start: FrameTime
  /// The master volume at the beginning.
  public var master: Gain
  /// The session frame to which it leads.
  public var frame: FrameTime
  package var entries: [Entry] = []

  /// Nothing was done before but that volumes were set.
  public init(stage: Int, start: FrameTime, volumes: Volumes) {
    self.init(stage: stage, start: start, master: volumes.master, frame: start)
    for (layer, gain) in [(Layer.music, volumes.music), (.overlay, volumes.overlays), (.effect, volumes.effects)]
    where gain != .unity {
      add(Entry(.volume(layer, gain, over: 0), at: start))
    }
  }

  package init(stage: Int, start: FrameTime, master: Gain, frame: FrameTime) {
    (self.stage, self.start, self.master, self.frame) = (stage, start, master, frame)
  }

  /// Something that was done at one frame.
  package struct Entry: Sendable, Hashable, Codable {
    package enum Act: Sendable, Hashable, Codable {
      /// `resuming`: how a crossfade continues that the edit lets go on.
      case edit(Edit, resuming: ResumeStrategy?)
      case volume(Layer?, Gain, over: FrameCount)
    }

    package var act: Act
    package var at: FrameTime
    /// Where what is new begins: at the same frame, but for a pause that had yet to come to rest.
    package var edited: FrameTime
    package var isSilent: Bool

    package init(_ act: Act, at frame: FrameTime, edited: FrameTime? = nil, isSilent: Bool = false) {
      self.act = act
      at = frame
      self.edited = edited ?? frame
      self.isSilent = isSilent
    }
  }

  /// What was brought in by what was done.
  public var sources: Set<SoundSource> { Set(entries.flatMap(\.sources)) }

  /// Whether the session is another one than it was planned to be.
  public var isChanged: Bool { !entries.isEmpty }

  /// Seconds that no session comes to: a week.
  public static let longest = 604_800.0

  /// Whether all of it can be done again in a programme.
  public func fits(_ programme: Programme) -> Bool { replayed(in: programme) != nil }

  /// The same up to another frame.
  package func brought(to frame: FrameTime) -> Journal {
    var journal = self
    journal.frame = frame
    return journal
  }

  /// Of changes of one volume only those are kept that can still be heard: a slider makes many.
  package mutating func add(_ entry: Entry) {
    if case .volume(let layer, _, _) = entry.act {
      let same = entries.indices.filter { entries[$0].isVolume(of: layer) }
      if Self.mostMoves <= same.count { entries.remove(at: same[0]) }
      if 2 <= same.count, same.count < Self.mostMoves, let last = same.last, entries[last].end <= entry.at {
        entries.remove(at: same[same.count - 2])
      }
    }
    entries.append(entry)
  }

  /// The master volume is another one from the beginning on.
  public mutating func setMaster(_ gain: Gain) {
    master = gain
    for index in entries.indices {
      if case .volume(nil, _, _) = entries[index].act { entries[index].act = .volume(nil, gain, over: 0) }
    }
  }
}

/// What a journal leads to.
public struct Replayed: Sendable {
  public var schedule: Schedule
  public var settings: Settings
  public var journal: Journal

  /// A performance that begins with a stage, or in the middle, and nothing was done before.
  public init(_ programme: Programme, _ stage: Int, at start: FrameTime) {
    schedule = Schedule(programme, fromStage: stage)
    settings = Settings(master: programme.master)
    journal = Journal(stage: stage, start: start, master: programme.master, frame: start)
    schedule.advance(to: start, keeping: start)
  }

  fileprivate mutating func make(_ entry: Journal.Entry) throws(EditError) {
    switch entry.act {
    case .edit(let edit, let strategy):
      schedule = try schedule.applying(
        edit, at: entry.edited, keeping: entry.at, isSilent: entry.isSilent, resuming: strategy)
    case .volume(let layer, let gain, let length): settings.move(layer, to: gain, at: entry.at, over: length)
    }
    journal.add(entry)
  }
}

extension Journal {
  /// Makes every edit again, each at its frame; nil when one can't be made in this programme. A session that was paused
  /// continues.
  public func replayed(in programme: Programme) -> Replayed? {
    guard programme.stages.indices.contains(stage), isPossible(at: programme.rate) else { return nil }
    var replayed = Replayed(programme, stage, at: start)
    replayed.settings = Settings(master: master)
    replayed.journal.master = master
    do throws(EditError) {
      for entry in entries where entry.at <= frame { try replayed.make(entry) }
      if isPaused { try replayed.make(Entry(.edit(.resume(nil), resuming: nil), at: frame)) }
      if replayed.schedule.isMusicPaused { try replayed.make(Entry(.edit(.resumeMusic, resuming: nil), at: frame)) }
    } catch { return nil }
    replayed.journal.frame = frame
    replayed.schedule.advance(to: frame, keeping: frame)
    return replayed
  }

  private var isPaused: Bool {
    for entry in entries.reversed() {
      if case .edit(.pause, _) = entry.act { return true }
      if case .edit(.resume, _) = entry.act { return false }
    }
    return false
  }

  /// Whether all of it lies between the beginning and the frame, and no session is too short for it.
  private func isPossible(at rate: SampleRate) -> Bool {
    let (frames, end) = (entries.flatMap { [$0.at, $0.edited] }, rate.frames(Self.longest))
    return 0 <= start && start <= frame && frame <= end && entries.count <= Self.most
      && frames.allSatisfy { start <= $0 && $0 <= end } && entries.allSatisfy { 0 <= $0.length && $0.length <= end }
  }
}

extension Journal.Entry {
  fileprivate var sources: [SoundSource] { if case .edit(let edit, _) = act { edit.sources } else { [] } }

  /// Frames of what it brings in, or takes.
  fileprivate var length: FrameCount {
    switch act {
    case .volume(_, _, let length), .edit(.gong(_, let length), _), .edit(.overlay(_, let length), _): length
    default: 0
    }
  }

  /// Where a move of a volume has come to its end.
  package var end: FrameTime { if case .volume(_, _, let length) = act { at + length } else { at } }

  fileprivate func isVolume(of layer: Layer?) -> Bool { if case .volume(layer, _, _) = act { true } else { false } }
}
