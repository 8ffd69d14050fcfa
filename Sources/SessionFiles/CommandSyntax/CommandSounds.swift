import Markup
import Player
import Schedule
import Signal
import Sounds

/// Reads the parts of commands that name sounds: gongs, overlays, lists of sounds.
struct CommandSounds {
  private let sounds: SoundReader
  /// What a gong without a sound strikes; nil for the built-in bowl.
  private let standardGong: Session.Sound?

  init(_ sounds: SoundReader, gong: Session.Sound?) { (self.sounds, standardGong) = (sounds, gong) }

  /// Reads a `gong` command. A gong plays to its end, so an endless sound is refused.
  func gong(_ fields: Fields) -> Command? {
    let volume = fields["volume"]?.volume() ?? .unity
    let standard = standardGong ?? Session.Sound(.generated(Recipe(generator: "bowl")), at: fields.location)
    guard let sound = fields["sound"].map({ sounds.sound($0.node) }) ?? standard else { return nil }
    sounds.checkGong(sound)
    return .gong(cue(sound, volume, in: .effect))
  }

  /// A cue whose gain is the sound's own volume times the command's.
  private func cue(_ sound: Session.Sound, _ volume: Gain = .unity, in layer: Layer) -> Cue {
    if case .lufs = sound.loudness, sound.levelling[layer] == nil {
      sounds.problems.report(
        .loudnessUnknown, sound.location,
        "the loudness of '\(shown(sound.title))' is not measured while a session plays",
        fix: "give it a name with its 'loudness' in the 'sounds' of the session")
    }
    return Cue(source: sound.source, title: sound.title, gain: sound.gain(in: layer) * volume)
  }

  /// One or more sounds; a single sound may be written without a list.
  func cues(_ value: Value?, in layer: Layer) -> [Cue] {
    guard let value else { return [] }
    guard case .list(let elements) = value.node.content else {
      return sounds.sounds([value.node]).map { cue($0, in: layer) }
    }
    if elements.isEmpty { return value.refused("is an empty list", fix: "name at least one sound") ?? [] }
    return sounds.sounds(elements).map { cue($0, in: layer) }
  }

  /// Reads an overlay.
  func overlay(_ fields: Fields) -> OverlayRequest? {
    if let list = fields["sounds"] {
      return list.refused("can't be part of a command", fix: "write 'sound', and give one command for each sound")
    }
    return CueReader(sounds).overlay(fields).map { overlay in
      OverlayRequest(
        cue: cue(overlay.sound, in: .overlay), fadeIn: overlay.fadeIn, fadeOut: overlay.fadeOut, curve: overlay.curve,
        times: overlay.repetition.times, delay: overlay.repetition.delay, interval: overlay.interval,
        ducking: overlay.duck, isLayer: overlay.isLayer)
    }
  }

  /// Reads a text that is spoken at once, beside what plays, over lowered music.
  func saying(_ fields: Fields) -> OverlayRequest? {
    if fields["text"] == nil { return nil }
    let words = [("say", fields["text"]), ("voice", fields["voice"]), ("breath", fields["breath"])]
    let entries = words.compactMap { key, value in
      value.map { Node.Entry(key: key, location: $0.location, value: $0.node) }
    }
    let volume = fields["volume"]?.volume() ?? .unity
    let duck = fields["duck"].flatMap(CueReader(sounds).ducking) ?? Self.duckUnderSaying
    guard let sound = sounds.sound(Node(location: fields.location, content: .map(entries))) else { return nil }
    return OverlayRequest(cue: cue(sound, volume, in: .overlay), ducking: duck, isLayer: true)
  }

  private static let duckUnderSaying = Session.Ducking(depth: VolumeSpelling.gain(-12), attack: 0.3, release: 1.5)

  /// Changes the repeats of the overlay that is playing.
  func repetition(_ fields: Fields) -> OverlayCommand {
    let repetition = CueReader(sounds).repetition(fields)
    return .repetition(repetition.times, delay: repetition.delay)
  }
}
