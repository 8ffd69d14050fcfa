/// Whether something was pulled out of the socket that the sound comes out of: what one device tells of its ports, time
/// after time.
struct PortWatch: Hashable {
  struct Port: Hashable {
    var name: String
    /// Nothing is plugged in, as far as the device can know; one that can't know says no.
    var isUnplugged: Bool
  }

  /// The one that the sound came out of when the device was asked last; nil for a device without ports.
  private var active: Port?

  /// Takes what the device tells now.
  ///
  /// - Parameter name: the port that the sound comes out of now. A desktop may have chosen another one already.
  /// - Returns: whether the one before has been unplugged since the device was asked last.
  mutating func see(_ ports: [Port], active name: String?) -> Bool {
    let before = active
    active = ports.first { $0.name == name }
    guard let before, !before.isUnplugged else { return false }
    return ports.contains { $0.name == before.name && $0.isUnplugged }
  }
}
