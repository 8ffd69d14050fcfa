import Engine
import Testing

@testable import Player

/// Sequences of states of a device, and whether they mean that the active port was unplugged.
@Suite struct PortMonitorTests {
  private func device(_ ports: [AudioDevice.Port], active: String?) -> AudioDevice {
    AudioDevice(index: 0, name: "card", ports: ports, activePort: active)
  }

  /// The report of a device: the active port, and the unplugged ports.
  struct DeviceReport: Sendable {
    var active: String?
    var unplugged: Set<String>

    init(_ active: String?, without unplugged: Set<String> = []) { (self.active, self.unplugged) = (active, unplugged) }
  }

  /// The report, and whether it means that the port that plays was unplugged.
  @Test(
    arguments: [
      // Unplugged. The desktop switches to the speakers at once, or later.
      [(DeviceReport("headphones"), false), (DeviceReport("speakers", without: ["headphones"]), true)],
      [
        (DeviceReport("headphones"), false), (DeviceReport("headphones", without: ["headphones"]), true),
        (DeviceReport("speakers", without: ["headphones"]), false),
      ],
      // It is detected each time.
      [
        (DeviceReport("headphones"), false), (DeviceReport("speakers", without: ["headphones"]), true),
        (DeviceReport("headphones"), false), (DeviceReport("speakers", without: ["headphones"]), true),
      ],
      // Plugged in.
      [(DeviceReport("speakers", without: ["headphones"]), false), (DeviceReport("headphones"), false)],
      // Unplugged after the speakers have been selected by hand.
      [
        (DeviceReport("headphones"), false), (DeviceReport("speakers"), false),
        (DeviceReport("speakers", without: ["headphones"]), false),
      ],
      // Another port is unplugged.
      [(DeviceReport("speakers"), false), (DeviceReport("speakers", without: ["headphones"]), false)],
      // A port that is reported as unplugged from the beginning may play all the same.
      [
        (DeviceReport("headphones", without: ["headphones"]), false),
        (DeviceReport("headphones", without: ["headphones"]), false),
        (DeviceReport("speakers", without: ["headphones"]), false),
      ],
      // A device without ports.
      [(DeviceReport(nil), false), (DeviceReport(nil), false)],
    ] as [[(DeviceReport, Bool)]])
  func `unplugging the active port is detected once`(_ scenario: [(DeviceReport, Bool)]) {
    var monitor = PortMonitor()
    for (index, (reported, isUnplugged)) in scenario.enumerated() {
      let ports = ["speakers", "headphones"].map {
        AudioDevice.Port(name: $0, isUnplugged: reported.unplugged.contains($0))
      }
      let isDetected = monitor.update(device(reported.active == nil ? [] : ports, active: reported.active))
      #expect(isDetected == isUnplugged, "step \(index)")
    }
  }

  @Test func `a port that disappears does not count as unplugged`() {
    var monitor = PortMonitor()
    let seen = ["a", "b"].map {
      monitor.update(device([AudioDevice.Port(name: $0, isUnplugged: false)], active: $0))
    }
    #expect(seen == [false, false])
  }
}
