package import Markup
package import Schedule
package import SessionFiles
package import Signal
package import Sounds

extension Session {
  /// The gains that level a sound, in decibels.
  private static let gains = -40.0...40.0

  /// Every use of a sound with the layer in which it plays, in no particular order.
  package var uses: [(sound: Sound, layer: Layer)] {
    let overlays = overlays + stages.flatMap(\.overlays)
    let gongs = gongs + stages.flatMap(\.gongs)
    return stages.flatMap(\.tracks).map { ($0, .music) } + overlays.flatMap(\.sounds).map { ($0, .overlay) }
      + gongs.map { ($0.sound, .effect) }
  }

  /// The loudness in LUFS to which a sound is levelled in a layer; nil if it is left as it is.
  package func target(of sound: Sound, in layer: Layer) -> Double? {
    switch sound.loudness {
    case .off: nil
    case .lufs(let loudness): loudness
    case nil: loudness[layer]
    }
  }

  /// The session whose sounds get the gains that level them.
  ///
  /// - Parameter measured: the loudness of the sounds. One that is missing or silent is left as it is.
  /// - Returns: the session, and a warning for each use whose gain is limited.
  package func levelled(
    by measured: [SoundSource: SoundLoudness]
  ) -> (session: Session, warnings: [Diagnostic]) {
    var (session, warnings): (Session, [Diagnostic]) = (self, [])
    let level = { (sound: inout Sound, layers: [Layer]) in
      for layer in layers {
        guard let target = self.target(of: sound, in: layer), let loudness = measured[sound.source]?[layer],
          loudness.isFinite
        else { continue }
        let gain = target - loudness
        let limited = min(max(gain, Self.gains.lowerBound), Self.gains.upperBound)
        sound.levelling[layer] = Gain(decibels: limited)
        if gain == limited || 1 < layers.count { continue }
        warnings.append(
          Diagnostic(
            .warning, .limitedGain, sound.location,
            "'\(shown(sound.title))' has \(ReportWords.loudness(loudness)) and would need a gain of "
              + "\(ReportWords.signed(gain)) dB; it gets \(ReportWords.signed(limited)) dB, the limit",
            of: sound.source,
            fix: "choose another loudness, or \(gain < 0 ? "reduce" : "raise") the level of the file"))
      }
    }
    func levelAll(_ overlay: inout Overlay) {
      level(&overlay.sound, [.overlay])
      for next in overlay.following.indices { level(&overlay.following[next], [.overlay]) }
    }
    for index in session.stages.indices {
      for track in session.stages[index].tracks.indices { level(&session.stages[index].tracks[track], [.music]) }
      for cue in session.stages[index].overlays.indices { levelAll(&session.stages[index].overlays[cue]) }
      for cue in session.stages[index].gongs.indices { level(&session.stages[index].gongs[cue].sound, [.effect]) }
    }
    for cue in session.overlays.indices { levelAll(&session.overlays[cue]) }
    for cue in session.gongs.indices { level(&session.gongs[cue].sound, [.effect]) }
    // Commands may play these in any layer.
    for name in session.named.keys {
      if var sound = session.named[name] {
        level(&sound, Layer.allCases)
        session.named[name] = sound
      }
    }
    return (session, warnings)
  }
}

/// A sound of a session in one layer: how loud it is, and what levels it.
package struct SoundLevel: Sendable, Hashable {
  package var title: String
  package var layer: Layer
  /// The loudness in LUFS before any gain; −∞ if it is silent.
  package var loudness: Double
  /// The constant gain that levels it; unity if it is left as it is.
  package var gain: Gain
}

extension Session {
  /// The level of each sound in each layer, in the order of the file.
  package func levels(_ measured: [SoundSource: SoundLoudness]) -> [SoundLevel] {
    var known: Set<SoundLevel> = []
    return uses.sorted { $0.sound.location < $1.sound.location }.compactMap { sound, layer in
      guard let loudness = measured[sound.source]?[layer] else { return nil }
      let level = SoundLevel(
        title: sound.title, layer: layer, loudness: loudness, gain: sound.levelling[layer] ?? .unity)
      return known.insert(level).inserted ? level : nil
    }
  }
}

extension SoundLoudness {
  /// The loudness by which a sound is levelled in a layer, in LUFS: that of the whole sound, or of its loudest moment.
  package subscript(layer: Layer) -> Double { layer == .effect ? momentary : integrated }
}
