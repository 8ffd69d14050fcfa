import Markup
import Schedule
import Signal
import Sounds

/// The templates of `prosper new`: small sessions that use only built-in sounds. Each shows other features of the
/// format.
package enum SessionTemplate: String, Sendable, CaseIterable {
  case sit, zazen
  case bodyScan = "body-scan"
  case sleep, breath, choices

  /// The lengths that a template can have, in minutes.
  package static let minutes = 1.0...1_440.0

  /// The default length, in minutes.
  package var minutes: Double {
    switch self {
    case .sit: 10
    case .zazen: 60
    case .bodyScan: 12
    case .sleep: 60
    case .breath: 10
    case .choices: 25
    }
  }

  /// The template as a session of that length.
  package func session(minutes: Double) -> Session {
    let seconds = (minutes * 60).rounded()
    switch self {
    case .sit: return Self.makeSit(seconds)
    case .zazen: return Self.makeZazen(seconds)
    case .bodyScan: return Self.makeBodyScan(seconds)
    case .sleep: return Self.makeSleep(seconds)
    case .breath: return Self.makeBreath(seconds)
    case .choices: return Self.makeChoices(seconds)
    }
  }

  /// The parameters of the template as a session of that length; none for most of them.
  package func parameters(of session: Session) -> [DraftParameter] {
    guard self == .choices, case .seconds(let sit) = session.stages[1].duration else { return [] }
    return [
      DraftParameter(
        name: "sit", summary: "how long the silence is", standard: Spelling.time(sit),
        places: ["stages[1].duration"]),
      DraftParameter(
        name: "bell", summary: "what begins and ends the silence", standard: .text("bowl"),
        choices: ["bowl", "gong", "bell"],
        places: ["sounds.bell.generate"]),
      DraftParameter(
        name: "music", summary: "what is heard before the silence and after it", standard: .text("rain"),
        choices: ["rain", "ocean", "drone", "pink"], places: ["sounds.music.generate"]),
    ]
  }

  /// Divides a length in proportion to `shares`, into multiples of five seconds. The largest part gets the remainder.
  static func divide(_ seconds: Double, _ shares: [Double]) -> [Double] {
    let whole = shares.reduce(0, +)
    var parts = shares.map { max(5, (seconds * $0 / whole / 5).rounded(.down) * 5) }
    guard let largest = shares.indices.max(by: { shares[$0] < shares[$1] }) else { return [] }
    parts[largest] += seconds - parts.reduce(0, +)
    return parts
  }
}

extension SessionTemplate {
  private static let bowl = Session.Sound(generated: "bowl")

  /// Rain to arrive in, a drone to sit with, and silence to come back.
  private static func makeSit(_ seconds: Double) -> Session {
    let parts = divide(seconds, [2, 12, 1])
    let bowl = bowl.named("bowl")
    let arrive = Session.Stage(
      name: "Arrive", duration: .seconds(parts[0]), tracks: [Session.Sound(generated: "rain", seed: 7, decibels: -3)])
    var sit = Session.Stage(
      name: "Sit", duration: .seconds(parts[1]), tracks: [Session.Sound(generated: "drone", decibels: -6)])
    sit.gongs = [Session.Gong(bowl, at: .start, .end)]
    sit.gongs[0].strikes = 3
    var back = Session.Stage(name: "Come back", duration: .seconds(parts[2]))
    back.gongs = [Session.Gong(bowl, at: .end)]
    var session = Session(path: "", title: "A sit of \(TimeSpelling.words(seconds))", stages: [arrive, sit, back])
    session.description = "Rain to arrive, a drone and a bowl for the sit, and silence to come back."
    session.setCrossfades(5)
    session.fadeIn = 3
    session.named = ["bowl": bowl]
    return session
  }

  /// Sitting, walking and sitting, in silence, with bells.
  private static func makeZazen(_ seconds: Double) -> Session {
    let parts = divide(seconds, [25, 10, 25])
    let (bell, clapper) = (Session.Sound(generated: "bell").named("bell"), Session.Sound(generated: "wood"))
    func begin(_ name: String, _ length: Double) -> Session.Stage {
      var stage = Session.Stage(name: name, duration: .seconds(length))
      stage.gongs = [Session.Gong(bell, at: .start)]
      (stage.gongs[0].strikes, stage.gongs[0].spacing) = (3, 6)
      return stage
    }
    let first = begin("Sitting", parts[0])
    var walking = Session.Stage(name: "Walking", duration: .seconds(parts[1]))
    walking.gongs = [
      Session.Gong(bell, at: .start), Session.Gong(clapper.named("clapper"), at: .init(.beforeEnd(3))),
    ]
    walking.gongs[0].strikes = 2
    (walking.gongs[1].strikes, walking.gongs[1].spacing) = (2, 1)
    var second = begin("Sitting again", parts[2])
    second.gongs.append(Session.Gong(bell, at: .end))
    var session = Session(path: "", title: "Zazen", stages: [first, walking, second])
    session.description = "Three bells begin a sitting, two the walking, and one ends it all."
    session.named = ["bell": bell, "clapper": clapper.named("clapper")]
    return session
  }

  /// The sea, and a bowl for each part of the body, higher from part to part.
  private static func makeBodyScan(_ seconds: Double) -> Session {
    let parts = divide(seconds, [1, 4, 1])
    let pitches = [("feet", 131.0), ("belly", 165), ("chest", 196), ("head", 262)]
    let bowls = pitches.map { Session.Sound(generated: "bowl", ["pitch": $1]).named($0) }
    let sea = Session.Sound(generated: "ocean", seed: 11, decibels: -6).named("sea")
    let settle = Session.Stage(name: "Settle", duration: .seconds(parts[0]), tracks: [sea])
    var scan = Session.Stage(name: "Scan", duration: .seconds(parts[1]), tracks: [sea])
    let step = (parts[1] / Double(bowls.count)).rounded(.down)
    scan.overlays = bowls.enumerated().map { index, bowl in
      // In a short scan, a bowl ends before the next one begins.
      let length = min(20, step - 1)
      var sound = bowl
      sound.source.end = length
      var overlay = Session.Overlay(sound, at: .init(.afterStart(Double(index) * step)))
      overlay.fadeOut = min(5, length / 2)
      overlay.duck = Session.Ducking(depth: VolumeSpelling.gain(-9), attack: 0.5, release: 3)
      return overlay
    }
    let end = Session.Stage(name: "Whole body", duration: .seconds(parts[2]), tracks: [sea])
    var session = Session(
      path: "", title: "A body scan of \(TimeSpelling.words(seconds))", stages: [settle, scan, end])
    session.description = "A bowl begins each part: feet, belly, chest, head. Replace the bowls by your voice."
    session.setCrossfades(5)
    (session.fadeIn, session.fadeOut) = (3, 5)
    session.named = ["sea": sea]
    return session
  }

  /// Rain that becomes softer and darker, and then fades out.
  private static func makeSleep(_ seconds: Double) -> Session {
    let parts = divide(seconds, [1, 1, 2])
    let rain = { (decibels: Double) in Session.Sound(generated: "rain", seed: 21, decibels: decibels) }
    var session = Session(
      path: "", title: "Sleep",
      stages: [
        Session.Stage(name: "Rain", duration: .seconds(parts[0]), tracks: [rain(0)]),
        Session.Stage(name: "Softer rain", duration: .seconds(parts[1]), tracks: [rain(-6)]),
        Session.Stage(
          name: "Dark", duration: .seconds(parts[2]), tracks: [Session.Sound(generated: "brown", decibels: -9)]),
      ])
    session.description = "Rain becomes softer and darker, and fades out until there is silence."
    session.volume = VolumeSpelling.gain(-6)
    session.setCrossfades(min(30, parts[0]))
    (session.fadeIn, session.fadeOut) = (min(30, parts[0]), parts[2])
    return session
  }

  /// Six breaths a minute: a high tone to breathe in, a low one to breathe out.
  private static func makeBreath(_ seconds: Double) -> Session {
    let parts = divide(seconds, [1, 10, 1])
    let inhale = Session.Sound(generated: "bell", ["pitch": 440], decibels: -9).named("in")
    var exhale = Session.Sound(generated: "bell", ["pitch": 294], decibels: -9).named("out")
    exhale.source.end = 4
    let sea = Session.Sound(generated: "ocean", seed: 5, decibels: -12).named("sea")
    let arrive = Session.Stage(name: "Arrive", duration: .seconds(parts[0]), tracks: [sea])
    var breathe = Session.Stage(name: "Breathe", duration: .seconds(parts[1]), tracks: [sea])
    breathe.gongs = [Session.Gong(sound: inhale, times: .every(10, count: nil))]
    breathe.overlays = [Session.Overlay(exhale, at: .init(.afterStart(15)))]
    breathe.overlays[0].repetition = Session.Repetition(times: .forever, delay: 6)
    breathe.overlays[0].fadeOut = 2
    var rest = Session.Stage(name: "Rest", duration: .seconds(parts[2]))
    rest.gongs = [Session.Gong(bowl, at: .start)]
    var session = Session(path: "", title: "Six breaths a minute", stages: [arrive, breathe, rest])
    session.description = "Breathe in with the high tone, and out with the low one."
    session.setCrossfades(5)
    session.fadeIn = 3
    session.named = ["in": inhale, "out": exhale, "sea": sea]
    return session
  }

  /// A sit whose length, bell and music are parameters.
  private static func makeChoices(_ seconds: Double) -> Session {
    let parts = divide(seconds, [1, 8, 1])
    let (bell, music) = (bowl.named("bell"), Session.Sound(generated: "rain").named("music"))
    let arrive = Session.Stage(name: "Arrive", duration: .seconds(parts[0]), tracks: [music])
    var sit = Session.Stage(name: "Sit", duration: .seconds(parts[1]))
    sit.gongs = [Session.Gong(bell, at: .start, .end)]
    sit.gongs[0].strikes = 3
    let back = Session.Stage(name: "Come back", duration: .seconds(parts[2]), tracks: [music])
    var session = Session(path: "", title: "A sit with choices", stages: [arrive, sit, back])
    session.description = "Choose its length, its bell and its music."
    session.volume = VolumeSpelling.gain(-6)
    session.setCrossfades(5)
    (session.fadeIn, session.fadeOut) = (3, 5)
    session.named = ["bell": bell, "music": music]
    return session
  }
}

extension Session {
  /// Gives all stages the same crossfade, in seconds.
  fileprivate mutating func setCrossfades(_ seconds: Double) {
    for index in stages.indices { stages[index].crossfade.duration = seconds }
  }
}
