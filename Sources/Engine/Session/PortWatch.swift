/// Watches the ports of one device, such as its headphone jack and its speakers, for one that is unplugged while it plays.
struct PortWatch: Hashable {
  /// The port that played when the device was asked last; nil for a device without ports.
  private var active: AudioDevice.Port?

  /// Takes what the device reports now. A desktop may have switched to another port already.
  ///
  /// - Returns: whether the port that played before has been unplugged since.
  mutating func update(_ device: AudioDevice) -> Bool {
    let before = active
    active = device.ports.first { $0.name == device.activePort }
    guard let before, !before.isUnplugged else { return false }
    return device.ports.contains { $0.name == before.name && $0.isUnplugged }
  }
}

/// What a sound server reports about the device that the sound comes out of.
package struct AudioDevice: Hashable, Sendable {
  package struct Port: Hashable, Sendable {
    package var name: String
    /// Nothing is plugged in, as far as the device can know; a device that can't know reports false.
    package var isUnplugged: Bool

    package init(name: String, isUnplugged: Bool) {
      self.name = name
      self.isUnplugged = isUnplugged
    }
  }

  /// The server's number for it; numbers are not used again.
  package var index: UInt32
  package var name: String
  package var ports: [Port]
  package var activePort: String?

  package init(index: UInt32, name: String, ports: [Port] = [], activePort: String? = nil) {
    self.index = index
    self.name = name
    self.ports = ports
    self.activePort = activePort
  }
}
