import Testing

@testable import Engine

/// The ports of a device, as the device reports them.
@Suite struct PortWatchTests {
  private func device(_ ports: [AudioDevice.Port], active: String?) -> AudioDevice {
    AudioDevice(index: 0, name: "card", ports: ports, activePort: active)
  }

  /// The report of a device: the active port, and the unplugged ports.
  struct ReportedEvents: Sendable {
    var active: String?
    var unplugged: Set<String>

    init(_ active: String?, without unplugged: Set<String> = []) { (self.active, self.unplugged) = (active, unplugged) }
  }

  /// The report, and whether it means that the port that plays was unplugged.
  @Test(
    arguments: [
      // Unplugged. The desktop switches to the speakers at once, or later.
      [(ReportedEvents("headphones"), false), (ReportedEvents("speakers", without: ["headphones"]), true)],
      [
        (ReportedEvents("headphones"), false), (ReportedEvents("headphones", without: ["headphones"]), true),
        (ReportedEvents("speakers", without: ["headphones"]), false),
      ],
      // Every time counts.
      [
        (ReportedEvents("headphones"), false), (ReportedEvents("speakers", without: ["headphones"]), true),
        (ReportedEvents("headphones"), false), (ReportedEvents("speakers", without: ["headphones"]), true),
      ],
      // Plugged in.
      [(ReportedEvents("speakers", without: ["headphones"]), false), (ReportedEvents("headphones"), false)],
      // Unplugged after the speakers have been selected by hand.
      [
        (ReportedEvents("headphones"), false), (ReportedEvents("speakers"), false),
        (ReportedEvents("speakers", without: ["headphones"]), false),
      ],
      // Another port is unplugged.
      [(ReportedEvents("speakers"), false), (ReportedEvents("speakers", without: ["headphones"]), false)],
      // A port that is reported as unplugged from the beginning may play all the same.
      [
        (ReportedEvents("headphones", without: ["headphones"]), false),
        (ReportedEvents("headphones", without: ["headphones"]), false),
        (ReportedEvents("speakers", without: ["headphones"]), false),
      ],
      // A device without ports.
      [(ReportedEvents(nil), false), (ReportedEvents(nil), false)],
    ] as [[(ReportedEvents, Bool)]])
  func `unplugging the port that plays is noticed once`(_ story: [(ReportedEvents, Bool)]) {
    var watch = PortMonitor()
    for (index, (reported, isUnplugged)) in story.enumerated() {
      let ports = ["speakers", "headphones"].map {
        AudioDevice.Port(name: $0, isUnplugged: reported.unplugged.contains($0))
      }
      let isSeen = watch.update(device(reported.active == nil ? [] : ports, active: reported.active))
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
