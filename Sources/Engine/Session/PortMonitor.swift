/// Watches the ports of one device, such as headphones and speakers, and detects that the active one is unplugged.
struct PortMonitor: Hashable {
  /// The active port at the last update; nil for a device without ports.
  private var active: AudioDevice.Port?

  /// Takes the current report of the device. A desktop may already have switched to another port.
  ///
  /// - Returns: whether the port that played before has been unplugged since.
  mutating func update(_ device: AudioDevice) -> Bool {
    let before = active
    active = device.ports.first { $0.name == device.activePort }
    guard let before, !before.isUnplugged else { return false }
    return device.ports.contains { $0.name == before.name && $0.isUnplugged }
  }
}

/// What a sound server reports about the device on which the sound plays.
package struct AudioDevice: Hashable, Sendable {
  package struct Port: Hashable, Sendable {
    package var name: String
    /// Whether nothing is plugged in; false if the device can't detect it.
    package var isUnplugged: Bool

    package init(name: String, isUnplugged: Bool) {
      self.name = name
      self.isUnplugged = isUnplugged
    }
  }

  /// The server's number of the device; numbers are never reused.
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
