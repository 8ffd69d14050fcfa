package import Signal

/// The volumes that the listener has set. While a volume fades, this is its target. The names of the stored properties
/// are keys of the saved position.
package struct Volumes: Sendable, Hashable, Codable {
  package var master: Gain
  package var (music, overlays, effects) = (Gain.unity, Gain.unity, Gain.unity)

  package init(master: Gain) { self.master = master }

  /// Whether every volume is one that commands accept. False for a damaged saved position.
  package var isValid: Bool {
    [(nil, master), (.music, music), (.overlay, overlays), (.effect, effects)].allSatisfy { $1.isVolume(of: $0) }
  }
}

extension Gain {
  /// The greatest volume of a layer, or the greatest master volume if `layer` is nil. The limiter holds full scale if
  /// music and overlays become too loud.
  package static func maximumVolume(of layer: Layer?) -> Gain {
    switch layer {
    case .music, .overlay: Gain(decibels: 12)
    case .effect, nil: .unity
    }
  }

  func isVolume(of layer: Layer?) -> Bool { 0...Self.maximumVolume(of: layer).linear ~= linear }
}

extension Settings {
  /// The targets of all volume fades.
  package var volumes: Volumes {
    var volumes = Volumes(master: Gain(linear: self[nil].to))
    volumes.music.linear = self[.music].to
    volumes.overlays.linear = self[.overlay].to
    volumes.effects.linear = self[.effect].to
    return volumes
  }
}
