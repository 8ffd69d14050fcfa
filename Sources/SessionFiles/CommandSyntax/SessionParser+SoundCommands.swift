import Markup
import Player
import Schedule
import Signal
import Sounds

/// Reads commands that name sounds: gongs, overlays, effects, playlists.
extension SessionParser {
  /// Reads a `gong` command. A gong plays to its end, so an endless sound is refused.
  mutating func gongCommand(_ fields: Fields) -> Command? {
    let volume = volume(fields["volume"])
    let chosen = fields["sound"] == nil ? standardGong(at: fields.location) : sound(fields["sound"])
    guard let chosen else { return nil }
    if isEndless(chosen) {
      report(
        chosen.location, "'\(shown(chosen.title))' never ends, so it can't be a gong",
        fix: "use an overlay, or give the sound an 'end'")
    }
    return .gong(cue(chosen, volume))
  }

  /// The session's first gong, or else the built-in bowl.
  private func standardGong(at location: SourceLocation) -> Session.Sound {
    scope?.gong
      ?? Session.Sound(
        source: SoundSource(.generated(Recipe(generator: "bowl"))), volume: .unity, title: "bowl", location: location)
  }

  /// A cue whose gain is the sound's own volume times the command's.
  private func cue(_ sound: Session.Sound, _ volume: Gain? = nil) -> Cue {
    Cue(source: sound.source, title: sound.title, gain: sound.volume * (volume ?? .unity))
  }

  /// Reads an `overlay` command. The caller has checked that there is such an `op`.
  mutating func overlayCommand(_ fields: Fields) -> Command? {
    switch fields["op"]?.string {
    case "play": overlayRequest(fields).map { .overlay(.play($0)) }
    case "stop": .overlay(.stop)
    case "pause": .overlay(.pause)
    case "resume": .overlay(.resume)
    case "volume": volumeCommand("overlay volume", fields, of: .overlay) { .overlay(.volume($0, over: $1)) }
    default: overlayRepetition(fields)
    }
  }

  /// Changes the repeats of the overlay that is playing.
  private mutating func overlayRepetition(_ fields: Fields) -> Command {
    let repetition = repetition(fields)
    return .overlay(.repetition(OverlayRequest.Times(repetition.times), delay: repetition.delay))
  }

  /// Reads the keys of an overlay. Every key is read before the sound is checked, so that all errors are reported.
  private mutating func overlayRequest(_ fields: Fields) -> OverlayRequest? {
    let volume = volume(fields["volume"])
    let repetition = repetition(fields["repeat"])
    let ducking = ducking(fields["duck"]).map {
      OverlayRequest.Ducking(depth: $0.by, attack: $0.attack, release: $0.release)
    }
    let (fadeIn, fadeOut) = (fade(fields["fadeIn"], "fadeIn") ?? 0, fade(fields["fadeOut"], "fadeOut") ?? 0)
    let curve = curve(fields["curve"]) ?? .linear
    let isLayer = flag(fields["layer"], "layer") ?? false
    guard let sound = sound(fields["sound"]) else { return nil }
    checkFades(fadeIn + fadeOut, of: sound, fields)
    return OverlayRequest(
      cue: cue(sound, volume), fadeIn: fadeIn, fadeOut: fadeOut, curve: curve,
      times: OverlayRequest.Times(repetition.times), delay: repetition.delay, ducking: ducking, isLayer: isLayer)
  }

  /// Reads the commands that have an `op`, except those of overlays.
  mutating func listCommand(_ verb: String, _ fields: Fields) -> Command? {
    switch (verb, fields["op"]?.string) {
    case ("music", "pause"): .music(.pause)
    case ("music", "volume"): volumeCommand("music volume", fields, of: .music) { .music(.volume($0, over: $1)) }
    case ("music", _): .music(.resume)
    case ("cache", _): .cache(.clear)
    case ("effects", "volume"): volumeCommand("effects volume", fields, of: .effect) { .effects(.volume($0, over: $1)) }
    case ("effects", "stop"): .effects(.stop)
    case ("effects", "preload"): .effects(.preload(cues(fields["sounds"], "sounds")))
    case ("effects", _): .effects(.unload(cues(fields["sounds"], "sounds")))
    default: playlistEdit(fields).map { .playlist($0) }
    }
  }

  /// Reads a change of the current stage's playlist; nil, with an error reported, if an index is missing or invalid.
  private mutating func playlistEdit(_ fields: Fields) -> PlaylistEdit? {
    switch fields["op"]?.string {
    case "replace": .replace(cues(fields["tracks"], "tracks"))
    case "append": .append(cues(fields["tracks"], "tracks"))
    case "insert": index(fields, "at").map { .insert(cues(fields["tracks"], "tracks"), at: $0) }
    case "remove": index(fields, "at").map { .remove(at: $0) }
    default: index(fields, "from").flatMap { from in index(fields, "to").map { .move(from: from, to: $0) } }
    }
  }

  /// A position in the playlist, counted from 0.
  private mutating func index(_ fields: Fields, _ key: String) -> Int? {
    wholeNumber(fields[key], key, in: 0...Limit.cues)
  }

  /// One or more sounds; a single sound may be written without a list.
  private mutating func cues(_ node: Node?, _ key: String) -> [Cue] {
    guard let node else { return [] }
    guard case .list(let elements) = node.content else { return sound(node).map { [cue($0)] } ?? [] }
    if elements.isEmpty { report(node.location, "'\(key)' is an empty list", fix: "name at least one sound") }
    return elements.compactMap { sound($0).map { cue($0) } }
  }
}

extension OverlayRequest.Times {
  /// Converts the repetition of a session file into that of a command.
  init(_ times: Session.Repetition.Times) {
    switch times {
    case .times(let count): self = .times(count)
    case .forever: self = .forever
    }
  }
}
