import Engine

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
