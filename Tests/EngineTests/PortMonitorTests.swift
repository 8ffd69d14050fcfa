import Testing

@testable import Engine

/// The ports of a device, as the device reports them.
@Suite struct PortWatchTests {
  private func device(_ ports: [AudioDevice.Port], active: String?) -> AudioDevice {
    AudioDevice(index: 0, name: "card", ports: ports, activePort: active)
  }

  /// The report of a device: the active port, and the unplugged ports.
  struct Told: Sendable {
    var active: String?
    var unplugged: Set<String>

    init(_ active: String?, without unplugged: Set<String> = []) { (self.active, self.unplugged) = (active, unplugged) }
  }

  /// The report, and whether it means that the port that plays was unplugged.
  @Test(
    arguments: [
      // Unplugged. The desktop switches to the speakers at once, or later.
      [(Told("headphones"), false), (Told("speakers", without: ["headphones"]), true)],
      [
        (Told("headphones"), false), (Told("headphones", without: ["headphones"]), true),
        (Told("speakers", without: ["headphones"]), false),
      ],
      // Every time counts.
      [
        (Told("headphones"), false), (Told("speakers", without: ["headphones"]), true),
        (Told("headphones"), false), (Told("speakers", without: ["headphones"]), true),
      ],
      // Plugged in.
      [(Told("speakers", without: ["headphones"]), false), (Told("headphones"), false)],
      // Unplugged after the speakers have been selected by hand.
      [(Told("headphones"), false), (Told("speakers"), false), (Told("speakers", without: ["headphones"]), false)],
      // Another port is unplugged.
      [(Told("speakers"), false), (Told("speakers", without: ["headphones"]), false)],
      // A port that is reported as unplugged from the beginning may play all the same.
      [
        (Told("headphones", without: ["headphones"]), false), (Told("headphones", without: ["headphones"]), false),
        (Told("speakers", without: ["headphones"]), false),
      ],
      // A device without ports.
      [(Told(nil), false), (Told(nil), false)],
    ] as [[(Told, Bool)]])
  func `unplugging the port that plays is noticed once`(_ story: [(Told, Bool)]) {
    var watch = PortMonitor()
    for (index, (told, isUnplugged)) in story.enumerated() {
      let ports = ["speakers", "headphones"].map {
        AudioDevice.Port(name: $0, isUnplugged: told.unplugged.contains($0))
      }
      let isSeen = watch.update(device(told.active == nil ? [] : ports, active: told.active))
      #expect(isSeen == isUnplugged, "step \(index)")
    }
  }

  @Test func `a port that disappears does not count as unplugged`() {
    var watch = PortMonitor()
    let seen = ["a", "b"].map {
      watch.update(device([AudioDevice.Port(name: $0, isUnplugged: false)], active: $0))
    }
    #expect(seen == [false, false])
  }
}
