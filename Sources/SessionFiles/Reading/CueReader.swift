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

  /// Reads one overlay.
  private func overlay(_ node: Node) -> Session.Overlay? {
    let keys = ["sound", "at", "volume", "fadeIn", "fadeOut", "curve", "repeat", "duck", "layer", "loudness"]
    guard let fields = Fields(node, "an overlay", keys: keys, required: ["sound", "at"], problems),
      let overlay = overlay(fields)
    else { return nil }
    warnOfUselessRepeat(overlay, fields)
    return overlay
  }

  /// Reads the keys of an overlay; none of `at`, if it is that of a command. Every key is read before the sound is
  /// checked, so that every error is reported.
  func overlay(_ fields: Fields) -> Session.Overlay? {
    let (sound, at) = (sound(fields), fields["at"]?.positions ?? [])
    let (fadeIn, fadeOut) = (fields["fadeIn"]?.fade ?? 0, fields["fadeOut"]?.fade ?? 0)
    let curve = fields["curve"]?.curve ?? .linear
    let repetition =
      fields["repeat"]?.group("'repeat'", keys: ["times", "delay"], required: ["times"], main: "times")
      .map(repetition) ?? .once
    let duck = fields["duck"].flatMap(ducking)
    let isLayer = fields["layer"]?.flag ?? false
    guard let sound else { return nil }
    checkFades(fadeIn + fadeOut, of: sound, fields)
    return Session.Overlay(
      sound: sound, at: at, fadeIn: fadeIn, fadeOut: fadeOut, curve: curve, repetition: repetition, duck: duck,
      isLayer: isLayer, location: fields.location)
  }

  /// The sound of a cue, with the cue's volume and loudness.
  func sound(_ fields: Fields) -> Session.Sound? {
    var sound = fields["sound"].flatMap { sounds.sound($0.node) }
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
    if times.node.string == "forever" { return .init(times: .forever, delay: delay) }
    if times.node.string != nil { return times.refused(fix: "write a whole number or \"forever\"") ?? .once }
    return .init(times: .times(times.wholeNumber(in: 1...Session.Limit.cues) ?? 1), delay: delay)
  }

  /// A `duck` group: how far the music is lowered. By default it is lowered in 0.3 s and raised again in 1.5 s.
  private func ducking(_ value: Value) -> Session.Ducking? {
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
    let keys = ["sound", "at", "every", "count", "strikes", "spacing", "volume", "loudness"]
    guard let fields = Fields(node, "a gong", keys: keys, required: ["sound"], problems) else { return nil }
    let (sound, times) = (sound(fields), gongTimes(fields))
    let strikes = fields["strikes"]?.wholeNumber(in: 1...1_000) ?? 1
    let spacing = fields["spacing"]?.interval ?? 4
    if fields["spacing"] != nil, fields["strikes"] == nil {
      problems.report(
        .missingKey, fields.location(of: "spacing"), "'spacing' needs 'strikes'",
        fix: "add 'strikes', or remove 'spacing'")
    }
    guard let sound else { return nil }
    sounds.checkGong(sound)
    return Session.Gong(sound: sound, times: times, strikes: strikes, spacing: spacing, location: node.location)
  }

  /// When a gong strikes: at given positions or at an interval, but not both.
  private func gongTimes(_ fields: Fields) -> Session.Gong.Times {
    let at = fields["at"]?.positions ?? []
    let every = fields["every"]?.interval
    let count = fields["count"]?.wholeNumber(in: 1...Session.Limit.cues)
    if fields["at"] != nil, fields["every"] != nil {
      let line = fields.location(of: "at").line
      problems.report(
        .conflict, fields.location(of: "every"), "a gong has both 'every' and, in line \(line), 'at'",
        fix: "write two gongs")
    } else if fields["at"] == nil, fields["every"] == nil {
      problems.report(
        .missingKey, fields.location, "a gong has neither 'at' nor 'every'", fix: "add one, such as \"at\": \"start\"")
    }
    if fields["count"] != nil, fields["every"] == nil {
      problems.report(
        .missingKey, fields.location(of: "count"), "'count' needs 'every'", fix: "add 'every', or remove 'count'")
    }
    return every.map { .every($0, count: count) } ?? .at(at)
  }
}
