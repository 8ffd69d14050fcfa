/// Detects that the active port of a device, such as its headphones, is unplugged.
struct PortMonitor: Hashable {
  /// The active port at the last update; nil for a device without ports.
  private var active: AudioDevice.Port?

  /// Compares the device's current state with the previous one. The desktop may already have switched to another port.
  ///
  /// - Returns: whether the port that was active before has been unplugged since.
  mutating func update(_ device: AudioDevice) -> Bool {
    let before = active
    active = device.ports.first { $0.name == device.activePort }
    guard let before, !before.isUnplugged else { return false }
    return device.ports.contains { $0.name == before.name && $0.isUnplugged }
  }
}

/// What a sound server states about a device.
package struct AudioDevice: Hashable, Sendable {
  package struct Port: Hashable, Sendable {
    package var name: String
    /// Whether nothing is plugged in; false if the device can't detect that.
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
