import Engine
import Files
import Markup
import Schedule
import Signal
import Sounds

/// Converts a session to markup, from which the same session can be read. Default values are omitted.
struct SessionMarkup {
  /// The absolute path of the folder in which the file will be, from which paths of sounds are written; nil if all of
  /// them are absolute.
  let folder: String?
  private let session: Session
  /// The crossfade that all stages share; nil if they differ.
  private let crossfade: Session.Crossfade?

  private static let noCrossfade = Session.Crossfade(duration: 0, curve: .equalPower)

  init(of session: Session, in folder: String?) {
    (self.session, self.folder) = (session, folder)
    let first = session.stages.first?.crossfade
    crossfade = session.stages.allSatisfy { $0.crossfade == first } ? first : nil
  }

  var root: Node {
    .map([
      ("prosper", .number(1)),
      ("title", .text(session.title)),
      ("description", session.description.map { .text($0) }),
      ("date", session.date.map { .text($0) }),
      ("artist", session.artist.map { .text($0) }),
      ("album", session.album.map { .text($0) }),
      ("genre", session.genre.map { .text($0) }),
      ("comment", session.comment.map { .text($0) }),
      ("language", session.language.map { .text($0) }),
      ("cover", session.cover.map { .text(path($0)) }),
      ("sampleRate", session.sampleRate.map { .number(Double($0.hertz)) }),
      ("volume", volume(session.volume)),
      ("fadeIn", time(session.fadeIn)),
      ("fadeOut", time(session.fadeOut)),
      ("crossfade", crossfade.flatMap { $0 == Self.noCrossfade ? nil : group($0) }),
      ("loudness", layerLoudness),
      ("sounds", named),
      ("stages", .list(session.stages.map(stage))),
      ("overlays", list(session.overlays.map(overlay))),
      ("gongs", list(session.gongs.map(gong))),
    ])
  }

  private var layerLoudness: Node? {
    let number = { (layer: Layer) in session.loudness[layer].map { Node.number($0) } }
    return session.loudness.isEmpty
      ? nil : .map([("music", number(.music)), ("overlays", number(.overlay)), ("gongs", number(.effect))])
  }

  private var named: Node? {
    if session.named.isEmpty { return nil }
    return .map(
      session.named.sorted { $0.key < $1.key }.map { name, sound in
        (name, group(sound, volume: sound.volume, title: sound.title == name ? nil : sound.title))
      })
  }

  private func stage(_ stage: Session.Stage) -> Node {
    var (duration, standard): (Node?, RepeatMode) = (nil, .off)
    switch stage.duration {
    case .seconds(let seconds): (duration, standard) = (Spelling.time(seconds), .playlist)
    case .open: (duration, standard) = (.text("open"), .playlist)
    case .natural: break
    }
    return .map([
      ("name", .text(stage.name)),
      ("duration", duration),
      ("tracks", list(stage.tracks.map(use))),
      ("repeat", stage.repetition == standard ? nil : .text(stage.repetition.rawValue)),
      ("repeatCount", stage.repeatCount.map { .number(Double($0)) }),
      ("volume", volume(stage.volume)),
      ("crossfade", crossfade == nil ? group(stage.crossfade) : nil),
      ("stretch", stage.stretches ? nil : .word("false")),
      ("overlays", list(stage.overlays.map(overlay))),
      ("gongs", list(stage.gongs.map(gong))),
    ])
  }

  private func overlay(_ overlay: Session.Overlay) -> Node {
    let isList = !overlay.following.isEmpty
    let isSeries = isList || overlay.interval != nil
    let (sound, volume): (Node?, Node?) = isList ? (nil, nil) : cue(overlay.sound)
    let gap = overlay.interval == nil ? time(overlay.repetition.delay) : nil
    return .map([
      ("sound", sound),
      ("sounds", isList ? .list(overlay.sounds.map(use)) : nil),
      ("at", positions(overlay.at)),
      ("every", overlay.interval.map { Spelling.time($0) }),
      ("gap", isSeries ? gap : nil),
      ("count", isSeries ? count(of: overlay) : nil),
      ("volume", volume),
      ("fadeIn", time(overlay.fadeIn)),
      ("fadeOut", time(overlay.fadeOut)),
      ("curve", overlay.curve == .linear ? nil : .text(overlay.curve.rawValue)),
      ("repeat", isSeries ? nil : repetition(overlay.repetition)),
      ("duck", overlay.duck.map(ducking)),
      ("layer", overlay.isLayer ? .word("true") : nil),
    ])
  }

  /// How many sounds play in all; nil if a list plays once, or a single sound until the stage ends.
  private func count(of overlay: Session.Overlay) -> Node? {
    let standard: OverlayRequest.Times = overlay.following.isEmpty ? .forever : .times(overlay.sounds.count)
    return overlay.repetition.times == standard ? nil : times(overlay.repetition.times)
  }

  private func repetition(_ repetition: Session.Repetition) -> Node? {
    if repetition == .once { return nil }
    return .map([("times", times(repetition.times)), ("delay", time(repetition.delay))])
  }

  private func times(_ times: OverlayRequest.Times) -> Node {
    switch times {
    case .times(let count): .number(Double(count))
    case .forever: .text("forever")
    }
  }

  private func ducking(_ duck: Session.Ducking) -> Node {
    .map([
      ("by", Spelling.volume(duck.depth)),
      ("attack", duck.attack == 0.3 ? nil : Spelling.time(duck.attack)),
      ("release", duck.release == 1.5 ? nil : Spelling.time(duck.release)),
    ])
  }

  private func gong(_ gong: Session.Gong) -> Node {
    let (sound, volume) = cue(gong.sound)
    let isRepeated = gong.strikes != 1 || gong.spacing != 4
    return .map(
      [("sound", sound)] + moments(of: gong) + [
        ("strikes", isRepeated ? .number(Double(gong.strikes)) : nil),
        ("spacing", gong.spacing == 4 ? nil : Spelling.time(gong.spacing)),
        ("volume", volume),
      ])
  }

  private func moments(of gong: Session.Gong) -> [(String, Node?)] {
    let seed = gong.seed.map { Node.word("\($0)") }
    let isMoved = 0 < gong.jitter
    let at = gong.positions.isEmpty ? nil : positions(gong.positions)
    return switch gong.times {
    case .at: [("at", positions(gong.positions))]
    case .every(let interval, let count):
      [
        ("at", at), ("every", Spelling.time(interval)), ("count", count.map { .number(Double($0)) }),
        ("jitter", isMoved ? .number(gong.jitter) : nil), ("seed", isMoved ? seed : nil),
      ]
    case .random(let count, let minimum):
      [
        ("at", at), ("random", .number(Double(count))), ("minimum", minimum.map { Spelling.time($0) }), ("seed", seed),
      ]
    }
  }

  private func positions(_ positions: [Session.Position]) -> Node {
    let spelled = positions.map { Spelling.position($0.anchor) }
    return spelled.count == 1 ? spelled[0] : .list(spelled)
  }

  private func group(_ crossfade: Session.Crossfade) -> Node {
    .map([("duration", Spelling.time(crossfade.duration)), ("curve", .text(crossfade.curve.rawValue))])
  }

  private func list(_ elements: [Node]) -> Node? { elements.isEmpty ? nil : .list(elements) }
  private func time(_ seconds: Double) -> Node? { seconds == 0 ? nil : Spelling.time(seconds) }
  private func volume(_ gain: Gain) -> Node? { gain == .unity ? nil : Spelling.volume(gain) }

  private func loudness(_ target: Session.LoudnessTarget?) -> Node? {
    switch target {
    case nil: nil
    case .off: .text("off")
    case .lufs(let loudness): .number(loudness)
    }
  }
}

/// Sounds, which are written as names if the session names them in `sounds`.
extension SessionMarkup {
  /// A sound as a track, with its volume.
  private func use(_ sound: Session.Sound) -> Node {
    guard let (name, rest) = reference(to: sound) else { return written(sound, volume: sound.volume) }
    return byName(name, sound, volume: rest)
  }

  /// A use of the sound with this name: the name alone if it plays as a whole and at its own volume.
  private func byName(_ name: String, _ sound: Session.Sound, volume: Gain) -> Node {
    let isWhole = session.named[name]?.source == sound.source
    if isWhole, volume == .unity { return .text(name) }
    return .map([
      ("sound", .text(name)), ("start", isWhole ? nil : time(sound.source.start)),
      ("end", isWhole ? nil : sound.source.end.map { Spelling.time($0) }), ("volume", self.volume(volume)),
    ])
  }

  /// The sound and the volume of a cue. The format limits the volume of a cue to 0 dB; a larger one is written with the
  /// sound, and the cue's volume is then nil.
  private func cue(_ sound: Session.Sound) -> (sound: Node, volume: Node?) {
    if let (name, rest) = reference(to: sound), rest.linear <= 1 {
      return (byName(name, sound, volume: .unity), volume(rest))
    }
    if sound.volume.linear <= 1 { return (written(sound, volume: .unity), volume(sound.volume)) }
    return (use(sound), nil)
  }

  /// The name of a sound and the volume of this use; nil if it has no name, or if the product of the named sound's
  /// volume and the volume of the use would not be exactly that of `sound`.
  private func reference(to sound: Session.Sound) -> (name: String, volume: Gain)? {
    for (name, named) in session.named.sorted(by: { $0.key < $1.key })
    where Self.isPart(sound.source, of: named.source) && named.title == sound.title && named.loudness == sound.loudness
    {
      if named.volume == sound.volume { return (name, .unity) }
      let rest = Gain(linear: sound.volume.linear / named.volume.linear)
      if rest.linear.isFinite, named.volume * rest == sound.volume { return (name, rest) }
    }
    return nil
  }

  /// Whether a source is the same as another one, or a part of it.
  private static func isPart(_ part: SoundSource, of whole: SoundSource) -> Bool {
    part == whole || whole.start == 0 && whole.end == nil && part.origin == whole.origin
  }

  /// A sound without a name: a single text if it has no other settings.
  private func written(_ sound: Session.Sound, volume: Gain) -> Node {
    let title = sound.title == shown(sound.source.label) ? nil : sound.title
    let isPlain =
      sound.source.start == 0 && sound.source.end == nil && volume == .unity && title == nil && sound.loudness == nil
    if isPlain, let text = text(of: sound.source.origin) { return .text(text) }
    return group(sound, volume: volume, title: title)
  }

  private func group(_ sound: Session.Sound, volume: Gain, title: String?) -> Node {
    let end = sound.source.end.map { Spelling.time($0) }
    let part = [
      ("start", time(sound.source.start)), ("end", end), ("volume", self.volume(volume)),
      ("title", title.map { Node.text($0) }), ("loudness", loudness(sound.loudness)),
    ]
    switch sound.source.origin {
    case .file(let path): return .map([("file", .text(self.path(path)))] + part)
    case .remote(let address): return .map([("url", .text(address))] + part)
    case .spoken(let spoken): return .map(words(of: spoken) + part)
    case .generated(let recipe):
      let settings = recipe.settings.sorted { $0.key < $1.key }.map { ($0.key, Node?.some(.number($0.value))) }
      let seed = recipe.seed == 0 ? nil : Node.word("\(recipe.seed)")
      return .map(
        [("generate", .text(recipe.generator)), ("seed", seed)] + settings + [("points", points(of: recipe))] + part)
    }
  }

  private func words(of spoken: Spoken) -> [(String, Node?)] {
    let breath = spoken.breath == Spoken.standardBreath ? nil : Spelling.time(spoken.breath)
    return [("say", .text(spoken.text)), ("voice", spoken.voice.map { .text($0) }), ("breath", breath)]
  }

  private func points(of recipe: Recipe) -> Node? {
    list(
      recipe.points.map { point in
        let settings = point.settings.sorted { $0.key < $1.key }.map { ($0.key, Node?.some(.number($0.value))) }
        return .map([("at", Spelling.time(point.at))] + settings)
      })
  }

  /// An origin as a single text; nil if it needs a group.
  private func text(of origin: SoundSource.Origin) -> String? {
    switch origin {
    case .file(let path): return self.path(path)
    case .remote(let address): return address
    case .spoken: return nil
    case .generated(let recipe):
      return recipe.seed == 0 && recipe.settings.isEmpty && recipe.points.isEmpty ? "generate:" + recipe.generator : nil
    }
  }

  /// A path, relative to the folder if that is possible. It is never ambiguous with the name of a sound or an address.
  private func path(_ path: String) -> String {
    let path = path.withBytes(for: \.isControl)
    guard let folder, let relative = FilePath.relative(path, to: folder) else { return path }
    let isClear = OriginReader.looksLikePath(relative) && !relative.contains(":") && !relative.hasPrefix("~")
    return isClear ? relative : "./" + relative
  }
}
