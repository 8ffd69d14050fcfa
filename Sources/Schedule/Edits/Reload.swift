import Signal
import Sounds

/// A session whose file is read again while it plays: what the player applies, or what a journal restores of it.
package struct Reload: Sendable, Hashable, Codable {
  /// The file before and now; nil in a journal, whose session is the file as it is now.
  package private(set) var update: SessionUpdate?
  /// The name of the current stage.
  var stage = ""
  /// The session frame at which the stage has begun, with its fraction.
  var begin = 0.0
  /// What commands have changed in stages, as far as the file has not changed it since.
  var changes: [StageChange] = []
  var music = MusicPosition.planned

  package init(_ update: SessionUpdate) { self.update = update }

  init(stage: String, begin: Double, changes: [StageChange] = [], music: MusicPosition = .planned) {
    (self.stage, self.begin, self.changes, self.music) = (stage, begin, changes, music)
  }

  /// The sources that commands have added.
  var sources: [SoundSource] { changes.flatMap(\.tracks).map(\.source) }

  private enum CodingKeys: String, CodingKey { case stage, begin, changes, music }

  /// The music at the frame of the reload.
  enum MusicPosition: Sendable, Hashable, Codable {
    /// As the stage begins.
    case planned
    case silent
    case playing(Play)
  }

  /// A track play that goes on.
  struct Play: Sendable, Hashable, Codable {
    var (index, pass, ordinal): (Int, Int, Int)
    var overlap: FrameCount
    /// The session frame of the track's first frame, and its fraction.
    var at: FrameTime
    var fraction: Double
    var entryFrame: FrameTime?
    var fadeIn: FadeShape?
  }

  /// What commands have changed in one stage.
  struct StageChange: Sendable, Hashable, Codable {
    /// Index of the stage.
    var stage: Int
    /// Frames of its duration, if that is fixed.
    var duration: Double?
    var crossfade: FadeShape
    var tracks: [Track]
    var repetition: RepeatMode
    var repeatCount: Int?
  }
}

extension Reload {
  /// Whether its numbers are so small that calculations with them can't overflow.
  var isPlausible: Bool {
    let limit = 1e12
    let isPlausible = { (number: Double) in number.magnitude < limit }
    guard isPlausible(begin), changes.allSatisfy({ isPlausible($0.duration ?? 0) && 0...1_000 ~= $0.stage }) else {
      return false
    }
    guard changes.flatMap(\.tracks).allSatisfy({ 0 <= $0.length && $0.isPlausible }),
      changes.allSatisfy({ 0...Int64(limit) ~= $0.crossfade.length && $0.repeatCount ?? 0 >= 0 })
    else { return false }
    guard case .playing(let play) = music else { return true }
    let frames = [play.at, play.overlap, play.entryFrame ?? 0, play.fadeIn?.length ?? 0]
    return [play.index, play.pass, play.ordinal].allSatisfy { 0 <= $0 && $0.magnitude < Journal.Entry.maximumCount }
      && play.fraction.magnitude <= 1 && frames.allSatisfy { isPlausible(Double($0)) }
  }
}

/// The programme of a session file as it was, and as it is now. Two updates are equal if they are the same one.
package final class SessionUpdate: Sendable, Hashable {
  /// Neither contains what commands have changed.
  package let (old, new): (Programme, Programme)

  package init(from old: Programme, to new: Programme) { (self.old, self.new) = (old, new) }

  package static func == (one: SessionUpdate, other: SessionUpdate) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Programme {
  /// Whether both sessions sound the same.
  package func isLike(_ other: Programme) -> Bool {
    title == other.title && rate == other.rate && master == other.master && fadeIn == other.fadeIn
      && fadeOut == other.fadeOut && overlays == other.overlays && gongs == other.gongs
      && stages.count == other.stages.count && zip(stages, other.stages).allSatisfy { $0.isLike($1) }
  }

  /// The stage of that name, and its index.
  func stage(named name: String) -> Stage? { stages.first { $0.name == name } }

  /// Gives the cues of `old` that this session still has their old numbers, and new numbers to all others.
  ///
  /// - Parameter next: the first unused number.
  mutating func keepIDs(of old: Programme, next: inout Int) {
    Self.keepIDs(&overlays, of: old.overlays, next: &next)
    Self.keepIDs(&gongs, of: old.gongs, next: &next)
    for index in stages.indices {
      let before = old.stage(named: stages[index].name)
      Self.keepIDs(&stages[index].overlays, of: before?.overlays ?? [], next: &next)
      Self.keepIDs(&stages[index].gongs, of: before?.gongs ?? [], next: &next)
    }
  }

  /// Cues are the same if they play the same sound at the same positions; of several, those that are equal otherwise.
  private static func keepIDs<Cue: RepeatedCue>(_ cues: inout [Cue], of old: [Cue], next: inout Int) {
    var (rest, kept) = (old, Set<Int>())
    for isExact in [true, false] {
      for index in cues.indices where !kept.contains(index) {
        let found = rest.firstIndex { isExact ? $0.numbered(0) == cues[index].numbered(0) : $0.isAlike(cues[index]) }
        guard let found else { continue }
        cues[index].id = rest.remove(at: found).id
        kept.insert(index)
      }
    }
    for index in cues.indices where !kept.contains(index) { (cues[index].id, next) = (next, next + 1) }
  }

  /// Keeps what commands have changed in the stages of `edited`, where the file has not changed it: this session has it
  /// as `written` has it.
  mutating func keepChanges(of edited: Programme, to written: Programme) {
    for index in stages.indices {
      guard let live = edited.stage(named: stages[index].name), let before = written.stage(named: live.name) else {
        stages[index].playlist.assignIDs()
        continue
      }
      if stages[index].duration == before.duration { stages[index].duration = live.duration }
      if stages[index].crossfade == before.crossfade { stages[index].crossfade = live.crossfade }
      if stages[index].playlist.isLike(before.playlist) {
        stages[index].playlist = live.playlist
      } else {
        stages[index].playlist.keepIDs(of: live.playlist)
      }
    }
  }

  /// What commands have changed in the stages of `edited`, compared with this session.
  func changes(in edited: Programme) -> [Reload.StageChange] {
    zip(stages, edited.stages).enumerated().compactMap { index, pair in
      let (written, live) = pair
      if written.duration == live.duration, written.crossfade == live.crossfade, written.playlist.isLike(live.playlist)
      {
        return nil
      }
      let playlist = live.playlist
      let duration: Double? = if case .frames(let frames) = live.duration { frames } else { nil }
      return Reload.StageChange(
        stage: index, duration: duration, crossfade: live.crossfade, tracks: playlist.tracks,
        repetition: playlist.repetition, repeatCount: playlist.repeatCount)
    }
  }

  mutating func make(_ change: Reload.StageChange) {
    if let duration = change.duration { stages[change.stage].duration = .frames(duration) }
    stages[change.stage].crossfade = change.crossfade
    stages[change.stage].playlist = PlaylistManager(
      change.tracks, repetition: change.repetition, repeatCount: change.repeatCount)
    stages[change.stage].playlist.assignIDs()
  }
}

extension Programme.Stage {
  fileprivate func isLike(_ other: Programme.Stage) -> Bool {
    name == other.name && duration == other.duration && gain == other.gain && crossfade == other.crossfade
      && overlays == other.overlays && gongs == other.gongs && playlist.isLike(other.playlist)
  }
}

/// What overlays and gongs have in common.
private protocol RepeatedCue: Hashable {
  var id: Int { get set }
  /// Whether it plays the same sound at the same positions.
  func isAlike(_ other: Self) -> Bool
}

extension RepeatedCue {
  fileprivate func numbered(_ id: Int) -> Self {
    var cue = self
    cue.id = id
    return cue
  }
}

extension Programme.Overlay: RepeatedCue {
  fileprivate func isAlike(_ other: Self) -> Bool {
    sounds.map(\.source) == other.sounds.map(\.source) && at == other.at
  }
}

extension Programme.Gong: RepeatedCue {
  fileprivate func isAlike(_ other: Self) -> Bool {
    sound.source == other.sound.source && pattern == other.pattern && positions == other.positions
  }
}
