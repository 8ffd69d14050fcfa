import Markup
import Schedule
package import Signal
import Sounds

/// The session of `prosper sit`, which needs no file: silence to prepare, a bell, the sit with optional bells, music and
/// a talk, and the bell again. All times are in seconds.
package struct Sit: Sendable {
  /// The bells during the sit.
  package enum Bells: Sendable, Hashable {
    case none
    /// At an interval.
    case every(Double)
    /// So many bells at random moments. The same seed gives the same moments.
    case random(Int, seed: UInt64)
  }

  /// The time from the first strike at the start to the first strike at the end; nil until the listener ends it.
  package var duration: Double?
  /// Silence before the first bell.
  package var prepare = 0.0
  /// Nil for no bell at all.
  package var bell: Session.Sound? = Session.Sound(generated: "bowl")
  /// The number of strikes at the beginning and at the end, and the seconds from one strike to the next.
  package var strikes = standardStrikes
  package var spacing = standardSpacing
  package var bells = Bells.none
  /// The volume of the bells during the sit.
  package var bellsVolume = Gain.unity
  /// A talk that begins with the sit, under which the music is lowered, and its length.
  package var guide: (sound: Session.Sound, length: Double)?
  /// The music, which repeats until the end; nil for silence.
  package var music: Session.Sound?
  /// The length of the music, which limits its fade-in.
  package var musicLength = Double.infinity
  /// The length of the music's fade-out before the last bell; nil for 30 s, or half of a sit of less than a minute.
  package var fadeOut: Double?

  package init(duration: Double?) { self.duration = duration }

  private static let (standardStrikes, standardSpacing) = (3, 4.0)

  /// The default length of the music's fade-out; the length of its fade-in, and of the crossfade between its repeats.
  private static let (longFade, shortFade) = (30.0, 3.0)

  /// The sit as a session.
  ///
  /// - Throws: `SitError` if the bells or the fade-out do not fit into the sit.
  package func session() throws(SitError) -> Session {
    try check()
    var sit = Session.Stage(
      name: "Sit", duration: duration.map { .seconds($0) } ?? .open, tracks: music.map { [$0] } ?? [])
    sit.gongs = try gongs()
    if let guide {
      var talk = Session.Overlay(guide.sound.named("guide"), at: .start)
      talk.duck = Session.Ducking(depth: VolumeSpelling.gain(-9), attack: 0.3, release: 1.5)
      sit.overlays = [talk]
    }
    let fade = musicFadeIn
    var stages = [sit]
    if 0 < prepare { stages.insert(Session.Stage(name: "Prepare", duration: .seconds(prepare)), at: 0) }
    if duration == nil { stages += lastStage }
    var session = Session(path: "sit", title: title, stages: stages)
    session.description = description
    if music != nil {
      for index in stages.indices { session.stages[index].crossfade.duration = fade }
      session.fadeIn = prepare == 0 ? fade : 0
      session.fadeOut = musicFadeOut
    }
    if let bell { session.named["bell"] = bell.named("bell") }
    if let guide { session.named["guide"] = guide.sound.named("guide") }
    // The same sound needs only one name.
    if let music, ![bell?.source, guide?.sound.source].contains(music.source) {
      session.named["music"] = music.named("music")
    }
    return session.usingNames()
  }

  /// The last bells of an open sit, which have no time of their own: the listener goes to them.
  private var lastStage: [Session.Stage] {
    guard let bell else { return [] }
    var stage = Session.Stage(name: "End", duration: .seconds(Double(strikes) * spacing))
    var gong = Session.Gong(bell, at: .start)
    (gong.strikes, gong.spacing) = (strikes, spacing)
    stage.gongs = [gong]
    return [stage]
  }

  private var musicFadeOut: Double { fadeOut ?? min(Self.longFade, (duration ?? .infinity) / 2) }

  /// Shorter if the fade-out takes almost the whole sit, or if the music is so short that its repeats could not
  /// crossfade for so long.
  private var musicFadeIn: Double {
    let half = (musicLength * 500).rounded(.down) / 1_000
    return max(0, min(Self.shortFade, (duration ?? .infinity) - musicFadeOut, half))
  }

  private func check() throws(SitError) {
    if spacing <= 0 { throw .notAboveZero("the spacing of the strikes") }
    if let fadeOut, music == nil { throw .nothingToFade(fadeOut) }
    if case .every(let interval) = bells, interval <= 0 { throw .notAboveZero("the interval of the bells") }
    if case .random(let count, _) = bells, count <= 0 { throw .notAboveZero("the number of bells") }
    guard let duration else {
      if case .random = bells { throw .randomBellsWithoutEnd }
      return
    }
    guard 0 < duration, prepare + duration <= Session.Limit.session else { throw .outOfRange(duration) }
    // The default strikes ring into the last ones of a sit of seconds, as for a try.
    if (strikes, spacing) != (Self.standardStrikes, Self.standardSpacing), duration <= Double(strikes - 1) * spacing {
      throw .longStrikes(strikes, spacing, duration)
    }
    if let fadeOut, duration < fadeOut { throw .longFade(fadeOut, duration) }
    if let guide, duration < guide.length { throw .longGuide(guide.length, duration) }
    if case .every(let interval) = bells, duration <= interval { throw .rareBells(interval, duration) }
    if case .every(let interval) = bells, Double(Session.Limit.cues) / 2 < duration / interval {
      throw .tooManyBells(Int(min(1e9, duration / interval)))
    }
  }

  private func gongs() throws(SitError) -> [Session.Gong] {
    guard let bell else { return [] }
    var around = Session.Gong(sound: bell, times: .at(duration == nil ? [.start] : [.start, .end]))
    (around.strikes, around.spacing) = (strikes, spacing)
    var between = bell
    between.volume = bell.volume * bellsVolume
    switch bells {
    case .none: return [around]
    case .every(let interval): return [around, Session.Gong(sound: between, times: .every(interval, count: nil))]
    case .random(let count, let seed):
      let length = duration ?? 0
      let moments: [Double]
      do throws(RandomMoments.NoRoom) {
        moments = try RandomMoments(count: count, within: length, seed: seed).seconds
      } catch { throw .noRoom(bells: count, length) }
      return [around, Session.Gong(sound: between, times: .at(moments.map { .init(.afterStart($0)) }))]
    }
  }

  private var title: String { duration.map { "A sit of \(TimeSpelling.words($0))" } ?? "An open sit" }

  private var description: String? {
    guard case .random(let count, let seed) = bells else { return nil }
    return "\(count == 1 ? "One bell" : "\(count) bells") at random moments, from the seed \(seed)."
  }
}

/// The reason why a sit can't be made. All times are in seconds.
package enum SitError: Error, Hashable, Sendable, CustomStringConvertible {
  case outOfRange(Double)
  case notAboveZero(String)
  case longStrikes(Int, Double, Double)
  case nothingToFade(Double)
  case longFade(Double, Double)
  case rareBells(Double, Double)
  case tooManyBells(Int)
  case noRoom(bells: Int, Double)
  case longGuide(Double, Double)
  case randomBellsWithoutEnd

  /// One sentence with what is wrong, and how to fix it.
  package var description: String {
    switch self {
    case .outOfRange(let duration):
      "a sit can't last \(TimeSpelling.text(duration)); choose a time above zero and, together with the preparation, up to 168h"
    case .notAboveZero(let option): "\(option) must be above zero"
    case .longStrikes(let count, let spacing, let duration):
      "\(count) strikes every \(TimeSpelling.text(spacing)) do not fit into the sit of \(TimeSpelling.text(duration)); "
        + "reduce their number or spacing"
    case .nothingToFade: "a fade-out needs music; leave out the fade-out, or add music"
    case .longFade(let fade, let duration):
      "the fade-out of \(TimeSpelling.text(fade)) is longer than the sit of \(TimeSpelling.text(duration)); shorten the fade"
    case .rareBells(let interval, let duration):
      "the interval of the bells, \(TimeSpelling.text(interval)), must be shorter than the sit of \(TimeSpelling.text(duration)); "
        + "choose a shorter interval"
    case .tooManyBells(let count): "the interval would strike \(count) bells; choose a longer interval"
    case .noRoom(let bells, let duration):
      "\(bells) bells are too many for a sit of \(TimeSpelling.text(duration)): they would be less than a "
        + "second apart; choose fewer"
    case .longGuide(let length, let duration):
      "the talk lasts \(TimeSpelling.text(length)), longer than the sit of \(TimeSpelling.text(duration)); "
        + "choose a longer sit, or leave out its duration"
    case .randomBellsWithoutEnd:
      "random bells need a sit with an end; choose a duration, or bells at an interval"
    }
  }
}
