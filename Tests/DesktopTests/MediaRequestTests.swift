@testable import Desktop
import MessageBus
import Player
import Schedule
import Signal
import Testing

/// Calls of other programs, converted to commands, property reads or errors.
@Suite struct MediaRequestTests {
  private func request(
    _ method: String, _ arguments: [BusValue]? = [], of interface: String = MediaRequest.player,
    status: PlayerStatus = MediaPropertiesTests.status()
  ) -> MediaRequest? {
    MediaRequest(method, of: interface, arguments, status: status)
  }

  private func set(_ name: String, _ value: BusValue, of interface: String = MediaRequest.player) -> MediaRequest? {
    let arguments = [BusValue.string(interface), .string(name), .variant(value)]
    return request("Set", arguments, of: "org.freedesktop.DBus.Properties")
  }

  @Test(arguments: [
    ("Play", Command.play), ("Pause", .pause), ("PlayPause", .toggle), ("Stop", .stop), ("Next", .next),
  ])
  func `a method becomes the command of the same name`(method: String, command: Command) {
    #expect(request(method) == .perform(command))
  }

  @Test(arguments: ["Play", "Pause", "PlayPause", "Next", "Previous", "Seek", "SetPosition"])
  func `a method that is not possible now has no effect`(method: String) {
    var status = MediaPropertiesTests.status()
    status.abilities = PlayerAbilities()
    let arguments: [BusValue] =
      switch method {
      case "Seek": [.int64(1)]
      case "SetPosition": [.path("/prosper/track/0_0_7_0"), .int64(1)]
      default: []
      }
    #expect(request(method, arguments, status: status) == .ignore)
  }

  @Test func `a seek is relative, in microseconds, and limited to the maximum length of a session`() {
    #expect(request("Seek", [.int64(-2_500_000)]) == .perform(.seek(.by(-2.5))))
    #expect(request("Seek", [.int64(.max)]) == .perform(.seek(.by(604_800))))
    #expect(request("Seek", [.int64(.min)]) == .perform(.seek(.by(-604_800))))
  }

  @Test func `a position outside the track or of another track has no effect`() {
    let go = { (track: String, position: Int64) in request("SetPosition", [.path(track), .int64(position)]) }
    #expect(go("/prosper/track/0_0_7_0", 60_500_000) == .perform(.seek(.to(60.5))))
    #expect(go("/prosper/track/0_0_7_0", 60_500_001) == .ignore)
    #expect(go("/prosper/track/0_0_7_0", -1) == .ignore)
    #expect(go("/prosper/track/0_0_6_0", 1) == .ignore)
    #expect(go("/prosper/silence", 1) == .ignore)
  }

  @Test func `the volume is limited to 0 to 1, and a rate of 0 pauses`() {
    #expect(set("Volume", .double(0.25)) == .perform(.volume(Gain(linear: 0.25), over: 0)))
    #expect(set("Volume", .double(.infinity)) == .perform(.volume(Gain(linear: 1), over: 0)))
    #expect(set("Volume", .double(-3)) == .perform(.volume(Gain(linear: 0), over: 0)))
    #expect(set("Rate", .double(0)) == .perform(.pause))
    #expect(set("Rate", .double(1.5)) == .ignore)
  }

  @Test func `wrong types, unknown properties and read-only properties are refused with a reason`() {
    #expect(set("Volume", .double(.nan)) == .refuse(.arguments("Set")))
    #expect(set("Volume", .string("loud")) == .refuse(.arguments("Set")))
    #expect(set("Metadata", .double(1)) == .refuse(.readOnly("Metadata")))
    #expect(set("Identity", .string("x"), of: MediaRequest.root) == .refuse(.readOnly("Identity")))
    #expect(request("Seek", [.double(1)]) == .refuse(.arguments("Seek")))
    #expect(request("Seek", nil) == .refuse(.arguments("Seek")))
    #expect(request("SetPosition", [.path("/")]) == .refuse(.arguments("SetPosition")))
    #expect(request("OpenUri", [.string("file:///a.flac")]) == .refuse(.noUris))
    #expect(request("Get", [.string("x")], of: "org.freedesktop.DBus.Properties") == .refuse(.arguments("Get")))
    #expect(MediaError.readOnly("Metadata").text == "the property Metadata can't be set; Volume can")
  }

  @Test func `an unknown method is not handled`() {
    #expect(request("Rewind") == nil)
    #expect(request("Play", of: "org.example.Other") == nil)
    #expect(request("Other", of: "org.freedesktop.DBus.Properties") == nil)
    #expect(request("Fullscreen", of: MediaRequest.root) == nil)
  }

  @Test func `quit fades out, and raise has no effect`() {
    #expect(request("Quit", of: MediaRequest.root) == .perform(.finish(fade: 3)))
    #expect(request("Raise", of: MediaRequest.root) == .ignore)
  }
}
