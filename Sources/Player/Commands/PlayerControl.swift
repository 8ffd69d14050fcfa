public import Schedule
public import Sounds

/// The interface through which remote controls, scripts and keys control a player. May be used from any thread.
package protocol PlayerControl: Sendable {
  /// Executes a command and returns its outcome. Commands run one at a time; the queue decides their order.
  func perform(_ command: Command) async -> CommandOutcome
  /// The track that a command would lead to now; nil if it does not navigate, or leads to none.
  func destination(of command: Command) async -> UpcomingTrack?
  /// The status now; the progress of a crossfade is at most a second old. Does not wait.
  var status: PlayerStatus { get }
  /// The status now. It includes the effect of all events that have been reported.
  func currentStatus() async -> PlayerStatus
  /// The command queue's metrics; nil if they are not recorded. Reading them is not counted as an operation.
  func queueMetrics() async -> QueueMetrics?
  /// The metrics as the last `metrics` command has reported them, before it reset them; the current ones if there was
  /// no such command.
  func reportedMetrics() async -> QueueMetrics?
  /// All events from now on, until the session is over. A slow reader never delays the player.
  func events(_ policy: Multicast<StampedEvent>.Policy) -> Multicast<StampedEvent>.Reader
}

/// The state and position of a player at one moment. All times are seconds.
public struct PlayerStatus: Sendable {
  /// The title of the session.
  public var title: String
  /// The state, the stage, the track and their positions.
  public var moment: PlayerMoment
  /// The names of all stages, in order.
  public var stages: [String] = []
  /// The length of the session; nil while an open stage makes it unknown.
  public var duration: Double?
  /// The position in the session as its file plans it. It differs from `moment.session` once the listener has skipped or
  /// repeated something. Nil after an open stage.
  public var planned: Double?
  /// The length of the session as its file plans it; nil with an open stage.
  public var plannedDuration: Double?
  /// The length of the track; nil in silence, and for a sound without an end.
  public var trackDuration: Double?
  /// Identifies the current playback of a track: it is the same after a seek or a pause, but not when the track is
  /// played again. Nil without a track.
  public var trackID: TrackID?
  /// Where the current track comes from; nil without a track.
  package var origin: SoundSource.Origin?
  /// The title and artist that the file of the track states.
  public var tags = SoundTags()
  /// The track that ``Command/next`` would lead to; nil if there is none.
  public var next: UpcomingTrack?
  /// The titles of the overlays that play, and of those that the listener has paused.
  public var overlays: (playing: [String], paused: [String]) = ([], [])
  /// The master volume at the end of its current fade, 0 to 1; `moment.volume` if there is no fade.
  public var volumeTarget: Double
  /// The factors by which commands have changed the volumes of the music and of the overlays, at the end of their
  /// current fades; 1 if none has.
  public var layerVolumes: (music: Double, overlays: Double) = (1, 1)
  /// The number of commands that are accepted and have no outcome yet: they wait or are being executed.
  public var queued = 0
  /// The last commands that have changed the session.
  var changes: [ListenerChanges.Change] = []
  /// How much longer the planned session is than it was at the start of the player, negative if shorter; nil with an
  /// open stage.
  var added: Double?
  /// The parts of the stages that have been heard.
  var heard: [HeardParts.Part] = []
  /// Which commands would have an effect now.
  package var abilities = PlayerAbilities()
  /// Whether the sound server or the device is lost, so that the session is silent and waits.
  public var isOutputLost = false
  /// The outputs beside the leading one.
  public var followers: [OutputStatus] = []
  /// The title of a sound that has been loading for a second or more; nil if there is none.
  public var loading: String?
  /// Whether the listener has paused the music alone.
  public var isMusicPaused = false
  /// How often sound or commands have been late so far.
  public var shortfalls = Shortfalls()

  package init(title: String, moment: PlayerMoment, duration: Double? = nil, trackDuration: Double? = nil) {
    self.title = title
    self.moment = moment
    self.duration = duration
    self.trackDuration = trackDuration
    volumeTarget = moment.volume
  }
}

extension PlayerStatus {
  /// The status at a later moment, before anything else changes. Both times are in seconds.
  func advanced(to session: Double, at run: Double) -> PlayerStatus {
    var status = self
    status.moment.run = max(moment.run, run)
    let passed = session - moment.session
    guard 0 < passed else { return status }
    status.moment.session = session
    status.planned = planned.map { $0 + passed }
    if state.isAudible, !isMusicPaused {
      status.moment.position = moment.position.map { min($0 + passed, max($0, trackDuration ?? .infinity)) }
    }
    return status
  }
}

/// The commands that would have an effect now. All are false before the session plays and after its end.
package struct PlayerAbilities: Sendable, Hashable {
  /// Whether the session can be paused or changed: not while a command ends it.
  package var takesCommands = false
  /// Whether `next` leads to another track or stage; otherwise it ends the session.
  package var hasNext = false
  /// Whether `previous` leads to another track or stage.
  package var hasPrevious = false
  /// Whether the current stage has an end, which `extend` can move.
  package var canExtend = false
  /// Whether the session was read from a file, which `reload` reads again.
  package var canReload = false
  /// Whether there is a current track, in which `seek` can move.
  package var canSeek = false

  package init() {}
}

extension PlayerStatus: CustomStringConvertible {
  /// The state without its values.
  public var state: PlayerState.Kind { PlayerState.Kind(rawValue: moment.state) ?? .idle }

  /// The status as a JSON object on one line, as `prosper ctl status --json` prints it.
  public var description: String { json().description }

  /// The position of the music.
  package var trackPosition: TrackPosition {
    TrackPosition(
      track: moment.track, position: moment.position, duration: trackDuration, session: moment.session)
  }

  /// The names of the commands that would have an effect on what plays now.
  public var actions: [String] {
    if !abilities.takesCommands { return state == .fadingOut ? ["stop"] : [] }
    let stage = moment.stage.flatMap(stages.firstIndex)
    return state.actions.filter { action in
      switch action {
      case .next: abilities.hasNext
      case .previous: abilities.hasPrevious
      case .seek: abilities.canSeek
      case .extend: abilities.canExtend
      case .reload: abilities.canReload
      case .nextStage: stage.map { $0 + 1 < stages.count } ?? false
      case .previousStage: stage.map { 0 < $0 } ?? false
      case .cancel: loading != nil
      case .pause, .resume, .toggle, .gong, .volume, .finish, .stop: true
      }
    }.map(\.rawValue)
  }

  /// The status as JSON, with the key names of the events. Missing values are null.
  package func json(_ schema: StateSchema = .full) -> JSONLine {
    let progress = schema == .full ? moment.progress : nil
    return [
      "v": 1, "schema": IfAny(schema == .full ? nil : schema.rawValue), "run": Rounded(moment.run),
      "session": Rounded(moment.session), "duration": Rounded(duration),
      "planned": Rounded(planned), "plannedDuration": Rounded(plannedDuration), "title": title,
      "state": schema.name(of: moment.state),
      "music": IfAny(isMusicPaused ? "paused" : nil), "progress": Rounded(progress), "stage": moment.stage,
      "stages": stages,
      "track": moment.track, "index": moment.trackIndex, "position": Rounded(moment.position),
      "trackDuration": Rounded(trackDuration), "tags": tags.json, "next": next?.json, "overlays": overlays.playing,
      "pausedOverlays": overlays.paused, "volume": Rounded(moment.volume),
      "volumeTarget": Rounded(volumeTarget), "musicVolume": Rounded(layerVolumes.music),
      "overlayVolume": Rounded(layerVolumes.overlays), "outputLost": isOutputLost, "queued": queued,
      "loading": loading, "changes": changes.map(\.json), "added": Rounded(added), "heard": heard.map(\.json),
      "hasNext": abilities.hasNext, "actions": actions,
      "followers": followers.map(\.json), "listeners": listeners,
    ] + shortfalls.members
  }
}

/// An output beside the leading one.
public struct OutputStatus: Sendable, Hashable {
  /// The output as the user named it, without a password.
  public var name: String
  /// Whether it gets no sound now.
  public var isLost: Bool
  /// The number of those who listen to it; nil if it is unknown.
  public var listeners: Int?

  package init(name: String, isLost: Bool, listeners: Int? = nil) {
    (self.name, self.isLost, self.listeners) = (name, isLost, listeners)
  }

  fileprivate var json: JSONLine {
    ["output": name, "state": isLost ? "lost" : "playing", "listeners": IfAny(listeners)]
  }
}

extension PlayerStatus {
  /// The number of those who listen on other computers; nil if it is unknown.
  public var listeners: Int? {
    let counts = followers.compactMap(\.listeners)
    return counts.isEmpty ? nil : counts.reduce(0, +)
  }
}

extension SoundTags {
  /// Nil, which becomes null, if the source has no tags.
  fileprivate var json: JSONLine? { title == nil && artist == nil ? nil : ["title": title, "artist": artist] }
}

extension UpcomingTrack {
  package var json: JSONLine {
    ["track": title, "index": index, "pass": pass, "duration": Rounded(duration), "tags": tags.json]
  }
}
