import Markup
import Signal
import Sounds

/// Reads overlays and gongs one at a time. `SessionParser+Positions` then checks that they are within their stage.
extension SessionParser {
  /// Reads a list of overlays. Those that are not valid are reported and left out.
  mutating func overlays(_ node: Node?) -> [Session.Overlay] {
    list(node, "overlays").compactMap { overlay($0) }
  }

  /// Reads a list of gongs. Those that are not valid are reported and left out.
  mutating func gongs(_ node: Node?) -> [Session.Gong] {
    list(node, "gongs").compactMap { gong($0) }
  }

  /// Reads one overlay. All keys are read before the sound is checked, so that every error is reported.
  private mutating func overlay(_ node: Node) -> Session.Overlay? {
    let keys = ["sound", "at", "volume", "fadeIn", "fadeOut", "curve", "repeat", "duck", "layer"]
    guard let fields = fields(node, "an overlay", keys: keys, required: ["sound", "at"]) else { return nil }
    var sound = sound(fields["sound"])
    if let volume = volume(fields["volume"]), let own = sound?.volume { sound?.volume = own * volume }
    let at = positions(fields["at"])
    let fadeIn = fade(fields["fadeIn"], "fadeIn") ?? 0
    let fadeOut = fade(fields["fadeOut"], "fadeOut") ?? 0
    let curve = curve(fields["curve"]) ?? .linear
    let repetition = repetition(fields["repeat"])
    let duck = ducking(fields["duck"])
    let isLayer = flag(fields["layer"], "layer") ?? false
    guard let sound else { return nil }
    checkFades(fadeIn + fadeOut, of: sound, fields)
    warnOfUselessRepeat(repetition, of: sound, fields)
    return Session.Overlay(
      sound: sound, at: at, fadeIn: fadeIn, fadeOut: fadeOut, curve: curve, repetition: repetition, duck: duck,
      isLayer: isLayer, location: node.location)
  }

  /// Warns of a repeat that has no effect, because a sound without an end is never repeated.
  private mutating func warnOfUselessRepeat(_ repetition: Session.Repetition, of sound: Session.Sound, _ fields: Fields)
  {
    guard isEndless(sound), repetition.times != .times(1), repetition != .init(times: .forever, delay: 0) else {
      return
    }
    problems.warn(
      fields.location(of: "repeat"), "'\(shown(sound.title))' never ends, so it is never repeated",
      fix: "give it an \"end\", or remove \"repeat\"")
  }

  /// Reports fades that are together longer than the part of the sound that is played.
  ///
  /// Only sounds with an explicit `end` can be checked here: the length of a file is not known before it is probed.
  mutating func checkFades(_ fades: Double, of sound: Session.Sound, _ fields: Fields) {
    guard let end = sound.source.end, end - sound.source.start < fades else { return }
    report(
      fields.location(of: fields["fadeIn"] == nil ? "fadeOut" : "fadeIn"),
      "the fades of this overlay take \(TimeSpelling.text(fades)), but its sound lasts only \(TimeSpelling.text(end - sound.source.start))",
      fix: "shorten the fades")
  }

  /// A `repeat` group; without one the sound plays once.
  mutating func repetition(_ node: Node?) -> Session.Repetition {
    guard let node, let fields = fields(node, "'repeat'", keys: ["times", "delay"], required: ["times"], main: "times")
    else {
      return .once
    }
    return repetition(fields)
  }

  /// The repetition that `times` and `delay` of a group describe.
  mutating func repetition(_ fields: Fields) -> Session.Repetition {
    let delay = interval(fields["delay"], "delay") ?? 0
    if fields["times"]?.string == "forever" { return .init(times: .forever, delay: delay) }
    if let times = fields["times"], let text = times.string {
      report(times.location, "'times' is '\(shown(text))'", fix: "write a whole number or \"forever\"")
      return .once
    }
    return .init(times: .times(wholeNumber(fields["times"], "times", in: 1...Limit.cues) ?? 1), delay: delay)
  }

  /// A `duck` group: how far the music is lowered. By default it is lowered in 0.3 s and raised again in 1.5 s.
  mutating func ducking(_ node: Node?) -> Session.Ducking? {
    guard let node,
      let fields = fields(node, "'duck'", keys: ["by", "attack", "release"], required: ["by"], main: "by")
    else {
      return nil
    }
    let depth = volume(fields["by"], "by")
    let attack = fade(fields["attack"], "attack") ?? 0.3
    let release = fade(fields["release"], "release") ?? 1.5
    guard let depth else { return nil }
    if Gain.unity.linear <= depth.linear {
      report(
        fields.location(of: "by"), "'by' does not lower the music",
        fix: "write a volume below 0 dB, such as \"-9dB\"")
    }
    return Session.Ducking(by: depth, attack: attack, release: release)
  }

  /// One gong. By default the spacing of several strikes is 4 s.
  private mutating func gong(_ node: Node) -> Session.Gong? {
    let keys = ["sound", "at", "every", "count", "strikes", "spacing", "volume"]
    guard let fields = fields(node, "a gong", keys: keys, required: ["sound"]) else { return nil }
    var sound = sound(fields["sound"])
    if let volume = volume(fields["volume"]), let own = sound?.volume { sound?.volume = own * volume }
    let times = gongTimes(fields)
    let strikes = wholeNumber(fields["strikes"], "strikes", in: 1...1_000) ?? 1
    let spacing = interval(fields["spacing"], "spacing") ?? 4
    if fields["spacing"] != nil, fields["strikes"] == nil {
      report(fields.location(of: "spacing"), "'spacing' needs 'strikes'", fix: "add 'strikes', or remove 'spacing'")
    }
    guard let sound else { return nil }
    // A gong sounds until it has decayed, even after its stage has ended.
    if isEndless(sound) {
      report(
        sound.location, "'\(shown(sound.title))' never ends, so it can't be a gong",
        fix: "use an overlay, or give the sound an 'end'")
    }
    return Session.Gong(sound: sound, times: times, strikes: strikes, spacing: spacing, location: node.location)
  }

  /// When a gong strikes: at given positions or at an interval, but not both.
  private mutating func gongTimes(_ fields: Fields) -> Session.Gong.Times {
    let at = positions(fields["at"])
    let every = interval(fields["every"], "every")
    let count = wholeNumber(fields["count"], "count", in: 1...Limit.cues)
    if fields["at"] != nil, fields["every"] != nil {
      let line = fields.location(of: "at").line
      report(fields.location(of: "every"), "a gong has both 'every' and, in line \(line), 'at'", fix: "write two gongs")
    } else if fields["at"] == nil, fields["every"] == nil {
      report(fields.location, "a gong has neither 'at' nor 'every'", fix: "add one, such as \"at\": \"start\"")
    }
    if fields["count"] != nil, fields["every"] == nil {
      report(fields.location(of: "count"), "'count' needs 'every'", fix: "add 'every', or remove 'count'")
    }
    return every.map { .every($0, count: count) } ?? .at(at)
  }
}
