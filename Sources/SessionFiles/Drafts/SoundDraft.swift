import Schedule
package import Signal
import Sounds

/// A sound file of which a session is made, with what was measured in it.
package struct ExaminedSound: Sendable {
  /// The absolute path.
  package var path: String
  /// The title for listeners, from the file's tags or its name.
  package var title: String
  /// The length in seconds.
  package var length: Double
  /// The level without silence and pauses, see `LevelMeter`.
  package var level: Level
  /// Whether it can be the strike of a bell, see `Envelope`.
  package var isStrike: Bool

  /// Whether it was given as a voice, whatever its length and envelope.
  package var isVoice = false

  package init(path: String, title: String, length: Double, level: Level, isStrike: Bool = true) {
    (self.path, self.title, self.length, self.level, self.isStrike) = (path, title, length, level, isStrike)
  }

  /// The use of a sound in the session, which depends on its length, and of a short one on its envelope. A voice is
  /// always an overlay.
  enum Role { case gong, overlay, track }

  var role: Role { isVoice ? .overlay : length < 30 && isStrike ? .gong : length < 120 ? .overlay : .track }

  /// The sound with the volume that it has in the session: a loud one is lowered to the level of the built-in sounds.
  /// If there are voices, the session levels them and the music.
  var sound: Session.Sound {
    var sound = Session.Sound(.file(path: path))
    if role == .overlay { return sound }
    let excess = (level.decibels - Self.referenceLevel).rounded()
    if 1 < excess, excess <= 60 { sound.volume = VolumeSpelling.gain(-excess) }
    return sound
  }

  /// The level of the built-in sounds in dBFS, approximately.
  private static let referenceLevel = -20.0
}

/// The session that `prosper new` makes of sound files: each long one becomes the track of a stage, a short one that
/// is struck a gong, and all others become overlays. All times are in seconds, except where minutes are mentioned.
package struct SoundDraft {
  let gongs: [ExaminedSound]
  let voices: [ExaminedSound]
  let tracks: [ExaminedSound]
  private let title: String

  /// The length of the crossfades between stages, and of the fades at both ends of the music.
  static let fade = 5.0
  /// The loudness of voices and of the music under them, in LUFS. Together with `duck` they are 15 LU apart.
  private static let loudness: [Layer: Double] = [.overlay: -20, .music: -26]
  /// The length of the silent stage, if no sound is long enough to be a track.
  private static let silence = 600.0

  package init(of sounds: [ExaminedSound], title: String) {
    gongs = sounds.filter { $0.role == .gong }
    voices = sounds.filter { $0.role == .overlay }
    tracks = sounds.filter { $0.role == .track }
    self.title = title
  }

  /// The draft as a session.
  ///
  /// - Parameter minutes: the total length of the stages; nil for the lengths of the tracks.
  /// - Throws: `DraftError` if the sounds do not fit into that time.
  package func session(minutes: Double?) throws(DraftError) -> Session {
    guard tracks.count < Session.Limit.stages else { throw .tooMany(tracks: tracks.count) }
    guard let minutes else {
      var cues = DraftCues(of: self, in: stages())
      return finished(cues.placedWithMoreTime())
    }
    if let session = session(ofExactly: minutes) { return session }
    var longer = minutes.rounded(.down) + 1
    while longer <= SessionTemplate.minutes.upperBound {
      if session(ofExactly: longer) != nil { throw .noRoom(minutes: minutes, shortest: longer) }
      longer += 1
    }
    throw .noRoom(minutes: minutes, shortest: nil)
  }

  /// The session with that total length; nil if the sounds do not fit.
  private func session(ofExactly minutes: Double) -> Session? {
    let seconds = (minutes * 60).rounded()
    var stages = stages()
    let shares = tracks.isEmpty ? [1] : tracks.map(\.length)
    guard 4 * Self.fade * Double(shares.count) <= seconds else { return nil }
    let lengths = SessionTemplate.divide(seconds, shares)
    guard lengths.allSatisfy({ 2 * Self.fade <= $0 }) else { return nil }
    for index in stages.indices {
      (stages[index].duration, stages[index].repetition) = (.seconds(lengths[index]), .playlist)
    }
    var cues = DraftCues(of: self, in: stages)
    return cues.placed().map(finished)
  }

  /// One stage for each track, or a silent one; without cues.
  private func stages() -> [Session.Stage] {
    if tracks.isEmpty { return [Session.Stage(name: "Sit", duration: .seconds(Self.silence))] }
    var names: Set<String> = []
    return tracks.map { track in
      Session.Stage(
        name: Self.unique(track.title, in: &names), duration: .natural,
        tracks: [voices.isEmpty ? track.sound : Session.Sound(.file(path: track.path))])
    }
  }

  /// The title, with a number if a stage already has this name.
  package static func unique(_ title: String, in names: inout Set<String>) -> String {
    var (name, number) = (title, 2)
    while !names.insert(name).inserted {
      name = "\(title) \(number)"
      number += 1
    }
    return name
  }

  /// Adds title and fades, and names the sound that is used more than once.
  private func finished(_ stages: [Session.Stage]) -> Session {
    var session = Session(path: "", title: title, stages: stages)
    if !voices.isEmpty { session.loudness = Self.loudness }
    if !tracks.isEmpty {
      for index in stages.indices { session.stages[index].crossfade.duration = Self.fade }
      session.fadeIn = Self.fade
      session.fadeOut = stages.last?.tracks.isEmpty == false ? Self.fade : 0
    }
    if let bell = gongs.first, 1 < stages.count { session.named = ["bell": bell.sound.named("bell")] }
    return session.usingNames()
  }
}

/// The reason why no session can be made of the given sounds.
package enum DraftError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `shortest` in minutes; nil if no time is long enough.
  case noRoom(minutes: Double, shortest: Double?)
  case tooMany(tracks: Int)

  package var description: String {
    switch self {
    case .noRoom(let minutes, let shortest?):
      "a session of \(Spelling.plain(minutes)) min is too short for these sounds; the shortest time that fits is "
        + "\(Spelling.plain(shortest)) \(shortest == 1 ? "minute" : "minutes")"
    case .noRoom(let minutes, nil):
      "a session of \(Spelling.plain(minutes)) min is too short for these sounds; name fewer of them"
    case .tooMany(let tracks):
      "each of the \(tracks) long sounds would become a stage, and a session has at most 1000; name fewer of them"
    }
  }
}
