public import Engine
/// What remote controls, scripts and keys need of a player.
public protocol PlayerControl: Sendable {
  /// Has a command carried out; returns with its one outcome. Calls of one instant keep their order.
  func perform(_ command: Command) async -> CommandOutcome
  /// As it is now; never waits.
  var status: PlayerStatus { get }
  func queueMetrics() async -> QueueMetrics
  /// All events from now on, until the session is over; never holds up the player.
  ///
  /// - Parameter buffer: events that wait at most for this reader; then the oldest are lost.
  func events(buffer: Int) -> Multicast<StampedEvent>.Reader
}

/// What plays, and where it is; times in seconds.
public struct PlayerStatus: Sendable {
  /// Of the session.
  public var title: String
  public var moment: PlayerMoment
  /// Of the session; nil when an open stage decides.
  public var duration: Double?
  /// The position in the session's plan, and how long that is, in seconds: other than `moment.session` and `duration` when
  /// the listener has skipped or repeated something. Nil behind an open stage.
  public var planned: Double?
  public var plannedDuration: Double?
  /// Of the track that sounds; nil for a silent stage and for what never ends.
  public var trackDuration: Double?
  /// What the source of that track says of itself.
  public var tags = SoundTags()
  /// What `next` would lead to.
  public var next: UpcomingTrack?
  /// Titles of the overlays that sound, and of those that the listener has paused.
  public var overlays: (sounding: [String], paused: [String]) = ([], [])
  /// Nothing is heard, and the session waits, because the sound server or the device is away.
  public var isOutputLost = false
  /// The listener has paused the music alone.
  public var isMusicPaused = false
  /// What has not been there in time so far.
  public var shortfalls = Shortfalls()

  public init(title: String, moment: PlayerMoment, duration: Double? = nil, trackDuration: Double? = nil) {
    self.title = title
    self.moment = moment
    self.duration = duration
    self.trackDuration = trackDuration
  }
}

extension PlayerStatus {
  /// With the names that events have; what there is not is null.
  package func json(_ schema: StateSchema = .full) -> JSONLine {
    let progress = schema == .full ? moment.progress : nil
    return [
      "v": 1, "schema": IfAny(schema == .full ? nil : schema.rawValue), "run": Rounded(moment.run),
      "session": Rounded(moment.session), "duration": Rounded(duration),
      "planned": Rounded(planned), "plannedDuration": Rounded(plannedDuration), "title": title,
      "state": schema.name(of: moment.state),
      "music": IfAny(isMusicPaused ? "paused" : nil), "progress": Rounded(progress), "stage": moment.stage,
      "track": moment.track, "index": moment.trackIndex, "position": Rounded(moment.position),
      "trackDuration": Rounded(trackDuration), "tags": tags.json, "next": next?.json, "overlays": overlays.sounding,
      "pausedOverlays": overlays.paused, "volume": Rounded(moment.volume), "outputLost": isOutputLost,
    ] + shortfalls.members
  }
}

extension SoundTags {
  /// Null where the source says nothing.
  fileprivate var json: JSONLine? { title == nil && artist == nil ? nil : ["title": title, "artist": artist] }
}

extension UpcomingTrack {
  fileprivate var json: JSONLine {
    ["track": title, "index": index, "pass": pass, "duration": Rounded(duration), "tags": tags.json]
  }
}
