package import Markup
public import Schedule
public import Signal
public import Sounds

// Initializers for sessions that are not read from a file, with the defaults of the file format.

extension Session {
  /// A session with the defaults of the format.
  ///
  /// - Parameter path: with which diagnostics begin.
  public init(path: String = "session", title: String, stages: [Stage]) {
    self.init(
      path: path, title: title, description: nil, sampleRate: nil, volume: .unity, fadeIn: 0, fadeOut: 0,
      stages: stages, overlays: [], gongs: [])
  }

  /// The session as if it were read from a file: a sound in `named` has the same title wherever it is used, and its
  /// stages, sounds and gongs are at the start of `path`.
  package func usingNames() -> Session {
    var session = self
    let (titles, start) = (named.map { ($1.source, $1.title) }, SourceLocation(file: path))
    func name(_ sound: inout Sound) {
      (sound.title, sound.location) = (titles.first { $0.0 == sound.source }?.1 ?? sound.title, start)
    }
    for stage in stages.indices {
      session.stages[stage].location = start
      for index in stages[stage].tracks.indices { name(&session.stages[stage].tracks[index]) }
      for index in stages[stage].overlays.indices {
        name(&session.stages[stage].overlays[index].sound)
        for next in stages[stage].overlays[index].following.indices {
          name(&session.stages[stage].overlays[index].following[next])
        }
      }
      for index in stages[stage].gongs.indices {
        name(&session.stages[stage].gongs[index].sound)
        session.stages[stage].gongs[index].location = start
      }
    }
    return session
  }
}

extension Session.Stage {
  /// A stage with the defaults of the format: with a duration, its tracks are repeated until it ends.
  public init(name: String, duration: Session.StageDuration, tracks: [Session.Sound] = []) {
    self.init(
      name: name, duration: duration, tracks: tracks, trackNumbers: nil,
      repetition: duration == .natural ? .off : .playlist, repeatCount: nil, volume: .unity,
      crossfade: Session.Crossfade(duration: 0, curve: .equalPower), overlays: [], gongs: [], location: .none)
  }
}

extension Session.Sound {
  /// A sound, or a part of one, titled after its source.
  public init(_ source: SoundSource, volume: Gain = .unity) {
    self.init(source: source, volume: volume, title: shown(source.label), location: .none)
  }

  package init(_ origin: SoundSource.Origin) { self.init(origin, at: .none) }

  /// A whole sound at its own level, titled after its source.
  package init(_ origin: SoundSource.Origin, at location: SourceLocation) {
    let source = SoundSource(origin)
    self.init(source: source, volume: .unity, title: shown(source.label), location: location)
  }

  /// A built-in sound.
  package init(generated name: String, seed: UInt64 = 0, _ settings: [String: Double] = [:], decibels: Double = 0) {
    self.init(.generated(Recipe(generator: name, seed: seed, settings: settings)))
    volume = VolumeSpelling.gain(decibels)
  }

  /// The sound with the title that it has under this name in `sounds`.
  func named(_ name: String) -> Session.Sound {
    var sound = self
    sound.title = name
    return sound
  }
}

extension Session.Gong {
  /// A sound that is struck once each time.
  public init(sound: Session.Sound, times: Times) {
    self.init(sound: sound, times: times, strikes: 1, spacing: 4, location: .none)
  }

  /// A sound that is struck once at each position.
  public init(_ sound: Session.Sound, at positions: Session.Position...) {
    self.init(sound: sound, times: .at(positions))
  }
}

extension Session.Overlay {
  /// A sound that plays once from each position, without fades.
  public init(_ sound: Session.Sound, at positions: Session.Position...) {
    self.init(
      sound: sound, at: positions, fadeIn: 0, fadeOut: 0, curve: .linear, repetition: .once, duck: nil, isLayer: false,
      location: .none)
  }
}

extension Session.Overlay {
  /// Sounds that play one after the other from each position, each once and without fades. An empty list is no overlay.
  ///
  /// - Parameters:
  ///   - interval: seconds from the beginning of one to that of the next; nil: each begins where the one before ends.
  ///   - positions: where the first one begins.
  public init?(_ sounds: [Session.Sound], every interval: Double? = nil, at positions: Session.Position...) {
    guard let first = sounds.first else { return nil }
    self.init(first)
    at = positions
    following = Array(sounds.dropFirst())
    repetition = Session.Repetition(.times(sounds.count))
    self.interval = interval
  }
}

extension Session.Position {
  /// The start of the stage, or of the session.
  public static let start = Session.Position(.afterStart(0))
  /// The end of the stage, or of the session.
  public static let end = Session.Position(.beforeEnd(0))

  /// A position.
  public init(_ anchor: Anchor) { self.init(anchor: anchor, location: .none) }
}

extension Session.Crossfade {
  /// A crossfade of that many seconds, 0 to 60.
  public init(seconds: Double, _ curve: FadeCurve = .equalPower) { self.init(duration: seconds, curve: curve) }
}

extension Session.Repetition {
  /// That many times, with seconds of silence in between.
  public init(_ times: OverlayRequest.Times, delay: Double = 0) { self.init(times: times, delay: delay) }
}
