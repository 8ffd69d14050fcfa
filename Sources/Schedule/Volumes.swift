package import Signal

/// The volumes that the listener has set. While a volume fades, this is its target. The names of the stored properties
/// are keys of the saved position.
package struct Volumes: Sendable, Hashable, Codable {
  package var master: Gain
  package var (music, overlays, effects) = (Gain.unity, Gain.unity, Gain.unity)

  package init(master: Gain) { self.master = master }

  /// Whether every volume is within 0…1, the range that commands accept. False for a damaged saved position.
  package var isValid: Bool { [master, music, overlays, effects].allSatisfy { 0...1 ~= $0.linear } }
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
