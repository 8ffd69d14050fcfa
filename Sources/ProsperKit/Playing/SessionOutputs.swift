import Encoding
import Engine
import NetworkOutputs
import Player
import PulseAudio
import Signal

/// The outputs of a session: one sink for the player, and what is known of those behind it.
struct SessionOutputs {
  /// What all outputs of a session need.
  struct Context {
    /// The tags of a file; the title is also shown in the desktop's volume control and to listeners elsewhere.
    var tags: FileTags
    /// The chapters of a file; nil for none.
    var chapters: ChapterList?
    /// The length of the whole sound in frames; nil if it is unknown.
    var length: FrameCount?
    /// The maximum number of threads that encode a file at the same time.
    var jobs: Int
    /// Sets up the leading output and reconnects it.
    var manager: AudioSessionManager
    /// Called with the part of the work after the render that is done, 0 to 1, on any thread.
    var levelling: @Sendable (Double) -> Void
    /// Receives the changes of a live output, with its name if it does not lead. Called on any thread; it must neither
    /// block nor call the sink.
    var changed: @Sendable (OutputEvent, _ follower: String?) -> Void
  }

  let sink: any Sink
  let customSink: CustomSink?
  let levellingSink: LevellingSink?
  private let servers: [(name: String, sink: NetworkSink)]
  private let followers: [Follower]

  init(_ output: AudioOutput, _ context: Context) throws(SinkError) {
    let outputs = output.all
    let leader = outputs.firstIndex { $0.isDevice }
    let isLive = output.isRealTime
    var (sinks, servers, followers): ([any Sink], [(String, NetworkSink)], [Follower]) = ([], [], [])
    for (index, output) in outputs.enumerated() {
      let isLeader = !isLive || index == leader
      let sink = try output.makeSink(context, isLeader: isLeader, isAlone: leader == nil)
      let server = sink as? NetworkSink
      if let server { servers.append((output.name, server)) }
      sinks.append(sink)
      if isLeader { continue }
      let longOutage = { @Sendable [timeout = context.manager.timeout] in server?.failure(after: timeout) }
      followers.append(
        Follower(sink, named: output.name, needing: output.need, longOutage: longOutage) {
          context.changed($0, output.name)
        })
    }
    customSink = sinks.lazy.compactMap { $0 as? CustomSink }.first
    levellingSink = sinks.lazy.compactMap { $0 as? LevellingSink }.first
    if sinks.count == 1, followers.isEmpty {
      sink = sinks[0]
    } else if !isLive {
      sink = JoinedOutputs(sinks)
    } else {
      // Without a device, the clock of the computer leads.
      sink = LedOutputs(
        leader.map { sinks[$0] } ?? NullSink(pace: .listener), isClock: leader == nil, followedBy: followers)
    }
    (self.servers, self.followers) = (servers, followers)
  }

  /// Tells listeners elsewhere what they hear.
  func setTitle(_ title: String) { for (_, sink) in servers { sink.setTitle(title) } }

  /// What is known of the outputs that follow.
  var states: [OutputStatus] {
    followers.map { follower in
      let server = servers.first { $0.name == follower.name }?.sink
      let isLost = follower.failure != nil || server?.isOpen == false
      return OutputStatus(name: follower.name, isLost: isLost, listeners: server?.listeners)
    }
  }
}

extension AudioOutput {
  /// The single outputs of which this one consists; several of none are no output.
  var all: [AudioOutput] { if case .several(let outputs) = self { outputs.flatMap(\.all) } else { [self] } }

  /// Whether it plays in real time on its own, and so can lead others.
  var isDevice: Bool {
    switch self {
    case .pulse, .pipe: true
    case .null(let isRealTime): isRealTime
    case .sink(let sink): sink.isRealTime
    case .file, .standardOutput, .snapcast, .icecast, .several: false
    }
  }

  /// Whether it sends to a server on the network.
  var isServer: Bool {
    switch self {
    case .snapcast, .icecast: true
    case .pulse, .file, .standardOutput, .pipe, .null, .sink, .several: false
    }
  }

  /// What it needs of an output that leads.
  fileprivate var need: Follower.Need {
    switch self {
    case .pulse, .sink: isDevice ? .thisMoment(cushion: 0.5) : .everyFrame
    case .pipe, .null, .snapcast, .icecast: .thisMoment()
    case .file, .standardOutput, .several: .everyFrame
    }
  }

  /// Creates a single output.
  ///
  /// - Parameters:
  ///   - isLeader: whether the session reacts to its changes.
  ///   - isAlone: whether no device plays, so that the session needs the servers.
  fileprivate func makeSink(
    _ context: SessionOutputs.Context, isLeader: Bool, isAlone: Bool
  ) throws(SinkError) -> any Sink {
    let changed = { @Sendable [name] (event: OutputEvent) in context.changed(event, isLeader ? nil : name) }
    let manager = context.manager
    // Beside a device, a server may come and go as it likes.
    let patience = isAlone ? manager.startTimeout : .infinity
    switch self {
    case .pulse(let device):
      let policy = isLeader ? manager : manager.another
      return PulseSink(device: device, title: context.tags.title ?? "prosper", policy: policy, report: changed)
    case .file(let path, let encoding, let compression, let delivery):
      return try delivery.sink(at: path, progress: context.levelling) { () throws(SinkError) in
        try FileSink(
          path: path, encoding: encoding, compression: compression, tags: context.tags, chapters: context.chapters,
          expectedFrames: context.length, jobs: context.jobs, delivery: delivery)
      }
    case .standardOutput(let encoding): return StreamSink(descriptor: 1, name: "stdout", encoding: encoding)
    case .pipe(let path, let encoding): return PipeSink(path: path, encoding: encoding, report: changed)
    case .null(let isRealTime): return NullSink(pace: isRealTime ? .listener : .players, report: changed)
    case .sink(let sink): return CustomSink(sink)
    case .snapcast(let source): return SnapcastServer.sink(to: source, waiting: patience, report: changed)
    case .icecast(let mount, let password, let compression):
      let about = IcecastServer.Description(
        title: context.tags.title ?? "prosper", description: context.tags.description, genre: context.tags.genre,
        artist: context.tags.artist)
      return IcecastServer.sink(
        to: mount, password: password, compression, about: about, waiting: patience, report: changed)
    case .several: return NullSink(pace: .players)
    }
  }
}

extension Delivery {
  /// The sink of a file, which is levelled if this form asks for it.
  fileprivate func sink(
    at path: String, progress: @escaping @Sendable (Double) -> Void,
    _ make: @escaping @Sendable () throws(SinkError) -> FileSink
  ) throws(SinkError) -> any Sink {
    isLevelled ? try LevellingSink(path: path, self, progress: progress, makeFile: make) : try make()
  }
}
