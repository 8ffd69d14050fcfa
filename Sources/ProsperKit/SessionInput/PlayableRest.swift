import Markup
import Schedule
import SessionFiles
import Sounds
import Timelines

/// What is left of a session without the sounds that exist but can't be played.
struct PlayableRest {
  /// The session without these sounds. It may have no stages.
  let session: Session
  /// The sounds that were left out: each use as a track, and any other sound once.
  let skipped: [Programme.Skipped]
  /// A warning for each stage that was left out with its last track.
  let warnings: [Diagnostic]

  /// - Parameter problems: those of the sounds that can't be played.
  init(of session: Session, without problems: [TimelineFailure.Problem]) {
    let locations = Set(problems.map(\.diagnostic.location))
    let unplayable = session.sounds.filter { locations.contains($0.location) }
    let rest = session.without(Set(unplayable.map(\.source)))
    let sounds = Dictionary(session.sounds.map { ($0.location, $0) }) { first, _ in first }
    let causes = Dictionary(problems.map { (sounds[$0.diagnostic.location]?.source, $0.cause) }) { first, _ in first }
    let places = Self.places(ofTracks: session, in: rest)
    skipped = session.sounds.compactMap { sound in
      guard let cause = causes[sound.source] ?? nil else { return nil }
      // Each use as a track has its turn; another sound is reported once, at the start.
      let place = places[sound.location]
      guard place != nil || locations.contains(sound.location) else { return nil }
      return Programme.Skipped(title: sound.title, reason: cause, place: place)
    }
    let kept = Set(rest.stages.map(\.location))
    warnings = session.stages.filter { !kept.contains($0.location) }.map { stage in
      Diagnostic(
        .warning, .stageLeftOut, stage.location,
        "the stage '\(stage.name)' is left out, because none of its tracks can be played and it has no duration",
        fix: "replace its tracks, or give it a duration")
    }
    self.session = rest
  }

  /// The stage of each track in the session without the unplayable ones, and its index in the playlist as written.
  private static func places(
    ofTracks session: Session, in rest: Session
  ) -> [SourceLocation: (stage: Int, number: Int)] {
    let stages = Dictionary(rest.stages.enumerated().map { ($1.location, $0) }) { first, _ in first }
    var places: [SourceLocation: (stage: Int, number: Int)] = [:]
    for stage in session.stages {
      guard let index = stages[stage.location] else { continue }
      for (number, track) in stage.tracks.enumerated() { places[track.location] = (index, number) }
    }
    return places
  }
}
