import Testing

@testable import Engine

/// The sockets of a device, as it tells of them.
@Suite struct PortWatchTests {
  private func device(_ ports: [AudioDevice.Port], active: String?) -> AudioDevice {
    AudioDevice(index: 0, name: "card", ports: ports, activePort: active)
  }

  /// What a device tells: the port that is active, and which are unplugged.
  struct Told: Sendable {
    var active: String?
    var unplugged: Set<String>

    init(_ active: String?, without unplugged: Set<String> = []) { (self.active, self.unplugged) = (active, unplugged) }
  }

  /// What is told, and whether it means that what sounded was unplugged.
  @Test(
    arguments: [
      // Pulled out, and the desktop goes over to the speakers at once, or later.
      [(Told("headphones"), false), (Told("speakers", without: ["headphones"]), true)],
      [
        (Told("headphones"), false), (Told("headphones", without: ["headphones"]), true),
        (Told("speakers", without: ["headphones"]), false),
      ],
      // Again and again it counts.
      [
        (Told("headphones"), false), (Told("speakers", without: ["headphones"]), true),
        (Told("headphones"), false), (Told("speakers", without: ["headphones"]), true),
      ],
      // Plugged in.
      [(Told("speakers", without: ["headphones"]), false), (Told("headphones"), false)],
      // Chosen by hand, and pulled out behind that.
      [(Told("headphones"), false), (Told("speakers"), false), (Told("speakers", without: ["headphones"]), false)],
      // Another socket.
      [(Told("speakers"), false), (Told("speakers", without: ["headphones"]), false)],
      // One that says so from the beginning sounds all the same, perhaps.
      [
        (Told("headphones", without: ["headphones"]), false), (Told("headphones", without: ["headphones"]), false),
        (Told("speakers", without: ["headphones"]), false),
      ],
      // A device without sockets.
      [(Told(nil), false), (Told(nil), false)],
    ] as [[(Told, Bool)]])
  func `who pulls the plug of what sounds is noticed once`(_ story: [(Told, Bool)]) {
    var watch = PortWatch()
    for (index, (told, isUnplugged)) in story.enumerated() {
      let ports = ["speakers", "headphones"].map {
        AudioDevice.Port(name: $0, isUnplugged: told.unplugged.contains($0))
      }
      let isSeen = watch.update(device(told.active == nil ? [] : ports, active: told.active))
      #expect(isSeen == isUnplugged, "step \(index)")
    }
  }

  @Test func `a socket that is gone altogether was not unplugged`() {
    var watch = PortWatch()
    let seen = ["a", "b"].map {
      watch.update(device([AudioDevice.Port(name: $0, isUnplugged: false)], active: $0))
    }
    #expect(seen == [false, false])
  }
}
