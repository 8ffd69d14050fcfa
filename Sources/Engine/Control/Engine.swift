package import Signal
import Rings

/// Creates both halves of the engine together: `MixerControl` for the control thread, and the render.
package enum Engine {
  /// How many voices each bus can play at once.
  package struct Voices: Sendable, Hashable {
    package var music: Int
    package var overlays: Int
    package var effects: Int

    package init(music: Int, overlays: Int, effects: Int) {
      self.music = music
      self.overlays = overlays
      self.effects = effects
    }

    var total: Int { music + overlays + effects }
  }

  /// Starts a render into `sink` from session frame `frame` on. Nothing is rendered until control has advanced
  /// `MixerControl.renderSync`. A render for a listener has a thread of its own; otherwise control renders, by calling
  /// `MixerControl.advance`.
  ///
  /// - Parameters:
  ///   - makeObserver: creates what receives the frames.
  ///   - start: runs a closure on a new thread; returns false if the system can't create one.
  ///   - ended: called once, on the thread that renders, after the sink has been finished (nil) or has failed. If a
  ///     thread can't be created, it is called before this function returns.
  /// - Returns: the control half.
  package static func start(
    into sink: any Sink, at rate: SampleRate, from frame: FrameTime, voices counts: Voices, _ options: RenderOptions,
    observing makeObserver: ObserverFactory = { nil },
    on start: (sending @escaping () -> Void) -> Bool = OSThread.start,
    ended: @escaping @Sendable (SinkError?) -> Void
  ) -> MixerControl {
    let hasListener = sink.pace == .listener
    // The maximum number of commands that wait for their frames.
    let agenda = 4 * counts.total + 64
    let commands = Ring<RenderCommand>(capacity: agenda)
    let reports = Ring<RenderReport>(capacity: 8 * counts.total + 256)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: counts.total)
    let feeds = initialize(voices, counts, for: hasListener ? rate : nil, options)
    let renderSync = RenderSync(from: frame)
    let decoders = DecodingThreads(
      feeds: feeds, threads: hasListener ? 2 : options.jobs, wakingAtOnce: hasListener,
      dataReady: hasListener ? renderSync.wake : renderSync.progress)
    let observer = makeObserver()
    let mixer = Mixer(
      from: frame, commands: commands.reader, reports: reports.writer, agendaCapacity: agenda,
      voices: voices, voiceCount: counts.total, stallLimit: rate.frames(0.5),
      summingBuses: observer?.observesBuses == true ? RenderLoop.piece : nil)
    let end = { @Sendable (failure: SinkError?) in
      if failure != nil { sink.abandon() }
      decoders.close()
      renderSync.close()
      ended(failure)
    }
    let loop = RenderLoop(
      mixer, decoders, renderSync, sink, rate, options, observer: observer, ended: end)
    var isRunning = decoders.start(on: start)
    if hasListener {
      if isRunning { isRunning = start { loop.run() } }
      if !isRunning { end(.noThread) }
      return MixerControl(
        commands.writer, reports.reader, counts, decoders, renderSync, offline: nil, releaseTimeout: 0
      ) { sink.interrupt() }
    }
    if !isRunning { end(.noThread) }
    // A released slot affects which voices can start. A render waits for its decoder, so that the result doesn't depend
    // on the decoder's speed.
    return MixerControl(
      commands.writer, reports.reader, counts, decoders, renderSync, offline: loop, releaseTimeout: 5
    ) {}
  }

  /// Initialises the voices, and returns their feeds: the other ends of their rings.
  ///
  /// - Parameter rate: of a live output; nil for a render. A live output can be rewound, so its rings also keep as many
  ///   frames as a sink may have buffered.
  private static func initialize(
    _ voices: UnsafeMutablePointer<Voice>, _ counts: Voices, for rate: SampleRate?, _ options: RenderOptions
  ) -> sending [VoiceFeed] {
    let held = rate.map { Int($0.frames(maximumBufferedSeconds)) } ?? 0
    var feeds: [VoiceFeed] = []
    for index in 0..<counts.total {
      let isMusic = index < counts.music
      let size = rate.map(ringSize) ?? options.ringSize(isMusic: isMusic)
      let ring = Ring<Frame>(capacity: size, holding: held)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      // The ring of an overlay is too small for long pieces, and opening a branch costs more than a short piece. Live
      // playback needs the first frames of a piece soon, and no more of it than one decoder delivers.
      feeds.append(
        VoiceFeed(
          ring: ring.writer, holding: held, pieceLength: rate == nil ? options.pieceLength : livePiece,
          canBranch: rate == nil && isMusic && 1 < options.jobs))
    }
    return feeds
  }

  /// The size in frames of a voice's ring in live playback. In a render it is smaller.
  package static func ringSize(at rate: SampleRate) -> Int { Int(rate.frames(maximumBufferedSeconds + decodedSeconds)) }

  /// Frames that are decoded at a time in live playback.
  private static let livePiece = 4_096

  /// More seconds than any live sink holds without having been heard, including what it has staged.
  private static let maximumBufferedSeconds = 7.0

  /// Seconds of a sound that are decoded before the mixer needs them. A live sink takes up to two seconds at a time.
  private static let decodedSeconds = 3.0
}
