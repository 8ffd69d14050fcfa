package import Signal
package import Sounds

/// The edits and volume changes of a session up to a frame. Replaying them restores the position without playing the
/// session. The names of the stored properties are keys of the saved position.
package struct Journal: Sendable, Hashable, Codable {
  /// The number of entries beyond which the player drops the journal.
  package static let maximumEntries = 500
  /// Maximum number of entries per volume. A volume change may start before the previous one has ended, so several can
  /// be audible at the same time; older ones are not.
  private static let maximumVolumeChanges = 8

  /// Index of a stage in the run of stages with which the session began.
  package var stage: Int
  /// The session frame at which playback began.
  package var start: FrameTime
  /// Master volume at `start`.
  package var master: Gain
  /// The session frame that the journal restores.
  package var frame: FrameTime
  package var entries: [Entry] = []

  /// A journal without edits, with the given volumes at `start`.
  package init(stage: Int, start: FrameTime, volumes: Volumes) {
    self.init(stage: stage, start: start, master: volumes.master, frame: start)
    for (layer, gain) in [(Layer.music, volumes.music), (.overlay, volumes.overlays), (.effect, volumes.effects)]
    where gain != .unity {
      add(Entry(.volume(layer, gain, over: 0), at: start))
    }
  }

  package init(stage: Int, start: FrameTime, master: Gain, frame: FrameTime) {
    (self.stage, self.start, self.master, self.frame) = (stage, start, master, frame)
  }

  /// One edit or volume change.
  package struct Entry: Sendable, Hashable, Codable {
    package enum Act: Sendable, Hashable, Codable {
      /// `resuming`: how a paused crossfade continues after the edit.
      case edit(Edit, resuming: ResumeStrategy?)
      /// A volume change over that many frames; nil for the master volume.
      case volume(Layer?, Gain, over: FrameCount)

      /// The file before and now, if the session file was read again.
      package var update: SessionUpdate? { if case .edit(.reload(let reload), _) = self { reload.update } else { nil } }

      /// How a paused crossfade continues after it; nil if none is paused.
      package var resumption: ResumeStrategy? {
        switch self {
        case .edit(.resume(let strategy), _), .edit(_, let strategy): strategy
        case .volume: nil
        }
      }
    }

    package var act: Act
    package var at: FrameTime
    /// The frame from which the schedule changes. It differs from `at` only while a pause is still ramping down.
    package var edited: FrameTime
    /// Whether the output was silent at the edit, so that nothing was faded.
    package var isSilent: Bool

    package init(_ act: Act, at frame: FrameTime, edited: FrameTime? = nil, isSilent: Bool = false) {
      self.act = act
      at = frame
      self.edited = edited ?? frame
      self.isSilent = isSilent
    }
  }

  /// The sources that the entries added.
  package var sources: Set<SoundSource> { Set(entries.flatMap(\.sources)) }

  /// Whether all entries can be replayed in `programme`.
  package func fits(_ programme: Programme) -> Bool { replayed(in: programme) != nil }

  /// A copy that restores another frame.
  package func restoring(_ frame: FrameTime) -> Journal {
    var journal = self
    journal.frame = frame
    return journal
  }

  /// Adds an entry. Volume changes that are no longer audible are removed, because a slider produces many.
  package mutating func add(_ entry: Entry) {
    if case .volume(let layer, _, _) = entry.act {
      let same = entries.indices.filter { entries[$0].isVolume(of: layer) }
      if Self.maximumVolumeChanges <= same.count { entries.remove(at: same[0]) }
      // If the last change has ended, the one before it has no effect.
      if 2 <= same.count, same.count < Self.maximumVolumeChanges, let last = same.last, entries[last].end <= entry.at {
        entries.remove(at: same[same.count - 2])
      }
    }
    entries.append(entry)
  }

  /// Replaces the master volume at the start and in all entries.
  package mutating func setMaster(_ gain: Gain) {
    master = gain
    for index in entries.indices {
      if case .volume(nil, _, _) = entries[index].act { entries[index].act = .volume(nil, gain, over: 0) }
    }
  }
}

/// The result of replaying a journal.
package struct Replayed: Sendable {
  package var schedule: Schedule
  package var settings: Settings
  package var journal: Journal

  /// A session that begins with a stage at the session frame `start`, without earlier edits.
  package init(_ programme: Programme, _ stage: Int, at start: FrameTime) {
    schedule = Schedule(programme, fromStage: stage, at: start)
    schedule.advance(to: start, keeping: start)
    settings = Settings(master: programme.master)
    journal = Journal(stage: stage, start: start, master: programme.master, frame: start)
  }

  fileprivate mutating func apply(_ entry: Journal.Entry) throws(EditError) {
    try entry.reapply(to: &schedule, &settings)
    journal.add(entry)
  }
}

extension Journal {
  /// Replays every entry at its frame. A session or its music that was paused is resumed at `frame`.
  ///
  /// - Returns: nil if an entry can't be applied to this programme.
  package func replayed(in programme: Programme) -> Replayed? {
    guard programme.stages.indices.contains(stage), isValid(at: programme.rate) else { return nil }
    var replayed = Replayed(programme, stage, at: start)
    replayed.settings = Settings(master: master)
    replayed.journal.master = master
    do throws(EditError) {
      for entry in entries where entry.at <= frame { try replayed.apply(entry) }
      if isPaused { try replayed.apply(Entry(.edit(.resume(nil), resuming: nil), at: frame)) }
      if replayed.schedule.isMusicPaused { try replayed.apply(Entry(.edit(.resumeMusic, resuming: nil), at: frame)) }
    } catch { return nil }
    replayed.journal.frame = frame
    replayed.schedule.advance(to: frame, keeping: frame)
    return replayed
  }

  /// Whether the session is paused after the last entry.
  private var isPaused: Bool {
    for entry in entries.reversed() {
      if case .edit(.pause, _) = entry.act { return true }
      if case .edit(.resume, _) = entry.act { return false }
    }
    return false
  }

  /// Whether all frames are between `start` and the longest session's end, and there are at most `maximumEntries`
  /// entries. False for the journal of a damaged or manipulated file.
  private func isValid(at rate: SampleRate) -> Bool {
    let (frames, end) = (entries.flatMap { [$0.at, $0.edited] }, rate.frames(Programme.maximumSeconds))
    return 0 <= start && start <= frame && frame <= end && entries.count <= Self.maximumEntries
      && frames.allSatisfy { start <= $0 && $0 <= end }
      && entries.allSatisfy { $0.isPlausible && $0.lengths.allSatisfy { 0...end ~= $0 } }
  }
}

extension Journal.Entry {
  /// Makes the change, at playback as at replay. An edit that can't be applied changes nothing.
  package func apply(to schedule: inout Schedule, _ settings: inout Settings) throws(EditError) {
    switch act {
    case .edit(let edit, let strategy):
      schedule = try schedule.applying(edit, at: edited, keeping: at, isSilent: isSilent, resuming: strategy)
    case .volume(let layer, let gain, let length): settings[layer].move(to: gain.linear, at: at, over: length)
    }
  }

  /// Makes the change again. It may have no effect any more: the journal of another version, or a shortened pause.
  package func reapply(to schedule: inout Schedule, _ settings: inout Settings) throws(EditError) {
    do throws(EditError) { try apply(to: &schedule, &settings) } catch .noEffect, .noOverlay {} catch { throw error }
  }

  fileprivate var sources: [SoundSource] { if case .edit(let edit, _) = act { edit.sources } else { [] } }

  /// Whether its numbers are so small that calculations with them can't overflow.
  fileprivate var isPlausible: Bool {
    let edit: Edit
    switch act {
    case .edit(let some, _): edit = some
    case .volume(let layer, let gain, _): return gain.isVolume(of: layer)
    }
    return switch edit {
    case .step(let count, _), .stage(let count), .jump(let count): count.magnitude < Self.maximumCount
    case .crossfade(let seconds?, _): 0...Programme.maximumSeconds ~= seconds
    case .repetition(_, let count?): 0 <= count && count.magnitude < Self.maximumCount
    case .overlay(let request, _, let resampled, let captions):
      request.seconds.allSatisfy { 0...Programme.maximumSeconds ~= $0 } && resampled?.isPlausible ?? true
        && (captions ?? []).allSatisfy(\.isPlausible)
    case .playlist(let change): change.tracks.allSatisfy(\.isPlausible)
    case .overlayRepetition(_, let seconds), .goto(_, let seconds), .seek(.to(let seconds)):
      0...Programme.maximumSeconds ~= seconds
    case .extend(let seconds): seconds.magnitude <= Programme.maximumSeconds
    case .reload(let reload): reload.isPlausible
    default: true
    }
  }

  static let maximumCount: UInt = 1 << 30

  /// Whether it concerns overlays, gongs or the whole session, and so is still heard after a reload of the session.
  var isOfCues: Bool {
    guard case .edit(let edit, _) = act else { return false }
    return switch edit {
    case .gong, .overlay, .overlayRepetition, .stopOverlays, .pauseOverlays, .resumeOverlays, .stopEffects, .pause,
      .resume:
      true
    default: false
    }
  }

  /// The frames of the volume change, or of each added sound that ends.
  fileprivate var lengths: [FrameCount] {
    switch act {
    case .volume(_, _, let length), .edit(.gong(_, let length), _): [length]
    case .edit(.overlay(_, let length, _, _), _): length == .endless ? [] : [length]
    case .edit(.playlist(let change), _): change.tracks.map(\.length).filter { $0 != .endless }
    default: []
    }
  }

  /// The entry with its edit at `frame` at the latest, where the output is not silent yet.
  package func broughtForward(to frame: FrameTime) -> Self {
    if edited <= frame { return self }
    var entry = self
    (entry.edited, entry.isSilent) = (frame, false)
    return entry
  }

  /// The frame at which a volume change is complete.
  package var end: FrameTime { if case .volume(_, _, let length) = act { at + length } else { at } }

  fileprivate func isVolume(of layer: Layer?) -> Bool { if case .volume(layer, _, _) = act { true } else { false } }
}
