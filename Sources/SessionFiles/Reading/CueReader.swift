import Markup
import Schedule
import Signal
import Sounds

/// Reads overlays and gongs, and the keys that they share with commands. `SpanChecks` then checks that they are within
/// their stage.
struct CueReader {
  let sounds: SoundReader
  private var problems: Problems { sounds.problems }

  init(_ sounds: SoundReader) { self.sounds = sounds }

  /// Reads a list of overlays. Those that are not valid are reported and left out.
  func overlays(_ value: Value?) -> [Session.Overlay] { (value?.elements() ?? []).compactMap(overlay) }

  /// Reads a list of gongs. Those that are not valid are reported and left out.
  func gongs(_ value: Value?) -> [Session.Gong] { (value?.elements() ?? []).compactMap(gong) }

  /// The keys of an overlay, in the order in which error messages list them.
  private static let overlayKeys = [
    "sound", "sounds", "at", "every", "gap", "count", "volume", "fadeIn", "fadeOut", "curve", "repeat", "duck", "layer",
    "loudness",
  ]

  /// Reads one overlay.
  private func overlay(_ node: Node) -> Session.Overlay? {
    guard var fields = Fields(node, "an overlay", problems) else { return nil }
    fields.check(keys: Self.overlayKeys, required: fields["sounds"] == nil ? ["sound", "at"] : ["at"])
    guard let overlay = overlay(fields) else { return nil }
    if fields["repeat"] != nil { warnOfUselessRepeat(overlay, fields) }
    return overlay
  }

  /// Reads the keys of an overlay; none of `at`, if it is that of a command. Every key is read before the sound is
  /// checked, so that every error is reported.
  func overlay(_ fields: Fields) -> Session.Overlay? {
    let (uses, at) = (overlaySounds(fields), fields["at"]?.positions ?? [])
    let (fadeIn, fadeOut) = (fields["fadeIn"]?.fade ?? 0, fields["fadeOut"]?.fade ?? 0)
    let curve = fields["curve"]?.curve ?? .linear
    let series = SeriesReader(fields, problems).series(of: uses)
    let repetition =
      fields["repeat"]?.group("'repeat'", keys: ["times", "delay"], required: ["times"], main: "times")
      .map(repetition)
    let duck = fields["duck"].flatMap(ducking)
    let isLayer = fields["layer"]?.flag ?? false
    guard let first = uses.first else { return nil }
    for sound in uses { checkFades(fadeIn + fadeOut, of: sound, fields) }
    checkEnds(of: uses, fields)
    var overlay = Session.Overlay(
      sound: first, at: at, fadeIn: fadeIn, fadeOut: fadeOut, curve: curve,
      repetition: repetition ?? series.repetition, duck: duck, isLayer: isLayer, location: fields.location)
    (overlay.following, overlay.interval) = (Array(uses.dropFirst()), series.interval)
    return overlay
  }

  /// The sounds of an overlay: one, or those of a list. None, with an error reported, if one of them is not valid.
  private func overlaySounds(_ fields: Fields) -> [Session.Sound] {
    guard let list = fields["sounds"] else { return sound(fields).map { [$0] } ?? [] }
    if fields["sound"] != nil {
      problems.report(
        .conflict, list.location,
        "an overlay has both 'sounds' and, in line \(fields.location(of: "sound").line), 'sound'",
        fix: "put all sounds into 'sounds'")
    }
    let elements = list.elements()
    if case .list = list.node.content, elements.isEmpty {
      return list.refused("is an empty list", fix: "name at least one sound") ?? []
    }
    if Session.Limit.series < elements.count {
      problems.report(
        .tooLarge, elements[Session.Limit.series].location, "\(elements.count) sounds, above the limit of 1000",
        fix: "write several overlays")
    }
    let read = elements.prefix(Session.Limit.series).map { refined(sounds.sound($0), by: fields) }
    let valid = read.compactMap(\.self)
    return valid.count == read.count ? valid : []
  }

  /// Reports a sound without an end after which another one would have to follow.
  private func checkEnds(of uses: [Session.Sound], _ fields: Fields) {
    let key = ["sounds", "every", "gap"].first { fields[$0] != nil }
    guard let key, let endless = uses.first(where: sounds.isEndless) else { return }
    problems.report(
      .endless, key == "sounds" ? endless.location : fields.location(of: key),
      "'\(shown(endless.title))' never ends, so nothing can follow it",
      fix: key == "sounds" ? "give it an \"end\"" : "give it an \"end\", or remove \"\(key)\"")
  }

  /// The sound of a cue, with the cue's volume and loudness.
  func sound(_ fields: Fields) -> Session.Sound? {
    refined(fields["sound"].flatMap { sounds.sound($0.node) }, by: fields)
  }

  /// A sound with the volume and loudness of its cue.
  private func refined(_ sound: Session.Sound?, by fields: Fields) -> Session.Sound? {
    var sound = sound
    if let volume = fields["volume"]?.volume(), let own = sound?.volume { sound?.volume = own * volume }
    if let loudness = fields["loudness"]?.loudnessTarget { sound?.loudness = loudness }
    return sound
  }

  /// Warns of a repeat that has no effect, because a sound without an end is never repeated.
  private func warnOfUselessRepeat(_ overlay: Session.Overlay, _ fields: Fields) {
    guard sounds.isEndless(overlay.sound), overlay.repetition.times != .times(1),
      overlay.repetition != .init(times: .forever, delay: 0)
    else { return }
    problems.warn(
      .noEffect, fields.location(of: "repeat"), "'\(shown(overlay.sound.title))' never ends, so it is never repeated",
      fix: "give it an \"end\", or remove \"repeat\"")
  }

  /// Reports fades that are together longer than the part of the sound that is played.
  ///
  /// Only sounds with an explicit `end` can be checked here: the length of a file is not known before it is probed.
  private func checkFades(_ fades: Double, of sound: Session.Sound, _ fields: Fields) {
    guard let end = sound.source.end, end - sound.source.start < fades else { return }
    problems.report(
      .fadeTooLong, fields.location(of: fields["fadeIn"] == nil ? "fadeOut" : "fadeIn"),
      "the fades of this overlay take \(TimeSpelling.text(fades)), but its sound lasts only "
        + TimeSpelling.text(end - sound.source.start), fix: "shorten the fades")
  }

  /// The repetition that `times` and `delay` of a group describe.
  func repetition(_ fields: Fields) -> Session.Repetition {
    let delay = fields["delay"]?.interval ?? 0
    guard let times = fields["times"] else { return .init(times: .times(1), delay: delay) }
    return .init(times: times.times ?? .times(1), delay: delay)
  }

  /// A `duck` group: how far the music is lowered. By default it is lowered in 0.3 s and raised again in 1.5 s.
  func ducking(_ value: Value) -> Session.Ducking? {
    guard let fields = value.group("'duck'", keys: ["by", "attack", "release"], required: ["by"], main: "by")
    else { return nil }
    let depth = fields["by"]?.volume()
    let (attack, release) = (fields["attack"]?.fade ?? 0.3, fields["release"]?.fade ?? 1.5)
    guard let depth else { return nil }
    if Gain.unity.linear <= depth.linear {
      problems.report(
        .invalidValue, fields.location(of: "by"), "'by' does not lower the music",
        fix: "write a volume below 0 dB, such as \"-9dB\"")
    }
    return Session.Ducking(depth: depth, attack: attack, release: release)
  }

  /// One gong. By default the spacing of several strikes is 4 s.
  private func gong(_ node: Node) -> Session.Gong? {
    let keys = [
      "sound", "at", "every", "count", "jitter", "random", "minimum", "seed", "strikes", "spacing", "volume",
      "loudness",
    ]
    guard let fields = Fields(node, "a gong", keys: keys, required: ["sound"], problems) else { return nil }
    let moments = GongMoments(fields, problems)
    let sound = sound(fields)
    let strikes = fields["strikes"]?.wholeNumber(in: 1...1_000) ?? 1
    let spacing = fields["spacing"]?.interval ?? 4
    if fields["spacing"] != nil, fields["strikes"] == nil {
      problems.report(
        .missingKey, fields.location(of: "spacing"), "'spacing' needs 'strikes'",
        fix: "add 'strikes', or remove 'spacing'")
    }
    guard let sound else { return nil }
    sounds.checkGong(sound)
    var gong = Session.Gong(
      sound: sound, times: moments.times, strikes: strikes, spacing: spacing, location: node.location)
    (gong.extra, gong.jitter, gong.seed) = (moments.extra, moments.jitter, moments.seed)
    return gong
  }
}
