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
  package var json: JSONLine {
    var line = JSONLine()
    line.add("v", 1)
    line.add("run", seconds: moment.run)
    line.add("session", seconds: moment.session)
    line.add("duration", seconds: duration)
    line.add("planned", seconds: planned)
    line.add("plannedDuration", seconds: plannedDuration)
    line.add("title", title)
    line.add("state", moment.state)
    if isMusicPaused { line.add("music", "paused") }
    line.add("progress", seconds: moment.progress)
    line.add("stage", moment.stage)
    line.add("track", moment.track)
    line.add("index", moment.trackIndex)
    line.add("position", seconds: moment.position)
    line.add("trackDuration", seconds: trackDuration)
    line.add("tags", tags.json)
    line.add("next", next?.json)
    line.add("overlays", overlays.sounding)
    line.add("pausedOverlays", overlays.paused)
    line.add("volume", seconds: moment.volume)
    line.add("outputLost", isOutputLost)
    shortfalls.add(to: &line)
    return line
  }
}

extension JSONLine {
  fileprivate mutating func add(_ key: String, _ value: String?) {
    if let value { add(key, value) } else { addNull(key) }
  }

  fileprivate mutating func add(_ key: String, _ value: Int?) {
    if let value { add(key, value) } else { addNull(key) }
  }
}

extension SoundTags {
  /// Null where the source says nothing.
  fileprivate var json: JSONLine? {
    if title == nil && artist == nil { return nil }
    var line = JSONLine()
    line.add("title", title)
    line.add("artist", artist)
    return line
  }
}

extension UpcomingTrack {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    line.add("track", title)
    line.add("index", index)
    line.add("pass", pass)
    line.add("duration", seconds: duration)
    line.add("tags", tags.json)
    return line
  }
}
