import Testing

@testable import NetworkOutputs

/// The addresses of sources and mounts.
@Suite struct AddressTests {
  @Test func `an address has a host, a port and a name`() throws {
    let source = try SnapcastSource("snapcast://hall.local/The%20hall")
    #expect((source.host, source.port, source.source) == ("hall.local", 1_705, "The hall"))
    #expect(try SnapcastSource("snapcast://[fd00::1]:1706/a").description == "snapcast://[fd00::1]:1706/a")
    let mount = try IcecastMount("icecasts://ann@radio.example:8443/evening/sit.opus")
    #expect((mount.host, mount.port, mount.user) == ("radio.example", 8_443, "ann"))
    #expect(mount.mount == "evening/sit.opus" && mount.isEncrypted && mount.format == .opus)
    #expect("\(mount)" == "icecasts://radio.example:8443/evening/sit.opus")
    #expect(try IcecastMount("icecast://h/a.OGA").format == .vorbis)
    #expect(try IcecastMount("icecast://h/a.mp3").user == "source")
  }

  @Test(arguments: [
    "snapcast:", "snapcast://", "snapcast://host", "snapcast://host/", "snapcast://:1705/a", "snapcast://h:0/a",
    "snapcast://h:70000/a", "snapcast://ann@h/a", "snapcast://[::1]x/a", "snapcast://h/a%0Ab", "http://h/a",
  ])
  func `a mistake in the address of a source is told`(text: String) {
    #expect(throws: SnapcastSource.Mistake.self) { try SnapcastSource(text) }
  }

  @Test(arguments: ["icecast://h/a", "icecast://h/a.wav", "icecast://h/opus", "icecast://h", "ftp://h/a.ogg"])
  func `a mistake in the address of a mount is told`(text: String) {
    #expect(throws: IcecastMount.Mistake.self) { try IcecastMount(text) }
  }

  @Test func `a password in an address is refused and not repeated`() {
    #expect {
      try IcecastMount("icecast://ann:secret@h/a.ogg")
    } throws: { error in
      let reason = (error as? IcecastMount.Mistake)?.reason ?? ""
      return reason.contains("password") && !reason.contains("secret")
    }
  }
}
