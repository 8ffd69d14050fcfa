@testable import Desktop
import MessageBus
import Player
import Schedule
import Sounds
import Testing

/// The properties of a media player, derived from a status of the player.
@Suite struct MediaPropertiesTests {
  static func status(_ state: String = "playing", track: Int? = 7) -> PlayerStatus {
    let moment = PlayerMoment(
      run: 5, session: 5, state: state, stage: "Sit", track: track.map { _ in "rain.flac" },
      trackIndex: track.map { _ in 1 }, position: track.map { _ in 4.25 }, volume: 0.3)
    var status = PlayerStatus(title: "Evening", moment: moment, duration: 600, trackDuration: track.map { _ in 60.5 })
    status.trackID = track.map { TrackID(trackPlay: $0) }
    status.abilities.takesCommands = true
    (status.abilities.hasNext, status.abilities.canSeek) = (true, true)
    status.volumeTarget = 0.80000001
    return status
  }

  @Test func `a track is described by its tags, its number and its length in microseconds`() {
    var status = Self.status()
    status.tags = SoundTags(title: "Rain", artist: "Sky")
    #expect(
      MediaProperties(status).metadata == [
        "mpris:trackid": .path("/prosper/track/0_0_7_0"), "mpris:length": .int64(60_500_000),
        "xesam:title": .string("Rain"), "xesam:artist": .strings(["Sky"]), "xesam:album": .string("Evening"),
        "xesam:trackNumber": .int32(2),
      ])
    #expect(MediaProperties.position(of: status) == .int64(4_250_000))
  }

  @Test func `a track without tags has the title that events have, and an endless one no length`() {
    var status = Self.status()
    status.trackDuration = nil
    let metadata = MediaProperties(status).metadata
    #expect(metadata["xesam:title"] == .string("rain.flac"))
    #expect(metadata["mpris:length"] == nil && metadata["xesam:artist"] == nil)
  }

  @Test func `in a stage without music, the name of the stage is the title`() {
    let status = Self.status(track: nil)
    #expect(
      MediaProperties(status).metadata == [
        "mpris:trackid": .path("/prosper/silence"), "xesam:title": .string("Sit"), "xesam:album": .string("Evening"),
      ])
    #expect(MediaProperties.position(of: status) == .int64(0))
  }

  @Test(arguments: [
    ("idle", "Stopped"), ("preparing", "Playing"), ("preparingCrossfade", "Playing"), ("playing", "Playing"),
    ("crossfading", "Playing"), ("paused", "Paused"), ("crossfadePaused", "Paused"), ("fadingOut", "Playing"),
    ("finished", "Stopped"), ("failed", "Stopped"),
  ])
  func `each state of the player is one of the three states of MPRIS`(state: String, shown: String) {
    let properties = MediaProperties(Self.status(state))
    #expect(properties.values["PlaybackStatus"] == .string(shown))
    let isOver = shown == "Stopped"
    #expect(properties.metadata.isEmpty == isOver)
    for ability in ["CanPlay", "CanPause", "CanSeek", "CanGoNext"] {
      #expect(properties.values[ability] == .bool(!isOver))
    }
    #expect(properties.values["CanGoPrevious"] == .bool(false) && properties.values["CanControl"] == .bool(true))
  }

  @Test func `paused music is reported as a paused player`() {
    var status = Self.status()
    status.isMusicPaused = true
    #expect(MediaProperties(status).status == .paused)
  }

  @Test func `only changed properties are announced, and the volume has three decimals`() {
    let old = MediaProperties(Self.status())
    #expect(old.volume == 0.8)
    #expect(MediaProperties(Self.status()).changes(since: old).isEmpty)
    var status = Self.status("paused")
    status.moment.position = 9
    #expect(MediaProperties(status).changes(since: old) == ["PlaybackStatus": .string("Paused")])
  }

  @Test(arguments: [Double.infinity, .nan, -1e300])
  func `a length that is not a finite number of microseconds becomes 0`(seconds: Double) {
    #expect(MediaProperties.microseconds(seconds) == 0)
  }
}
