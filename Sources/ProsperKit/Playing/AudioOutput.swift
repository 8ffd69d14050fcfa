import Dispatch
public import Encoding
package import Engine
import Player
public import PulseAudio
public import Schedule
public import Signal

/// The output of a session.
public enum AudioOutput: Sendable {
  /// The sound server: PulseAudio, or PipeWire through its PulseAudio interface. Plays in real time.
  ///
  /// - `device`: the name of a sink of the server, as `prosper outputs` lists them; nil for the default sink.
  case pulse(device: String? = nil)
  /// A sound file. The session is rendered as fast as possible.
  ///
  /// The file is written with a temporary name in the same folder, and renamed when it is complete.
  ///
  /// - `path`: ends with the extension of the format: `.wav`, `.flac`, `.ogg`, `.opus`, `.mp3`, `.aiff` or `.caf`.
  /// - `encoding`: nil for 24 bits if the format supports them, otherwise for the format's own encoding.
  /// - `compression`: nil for the format's default.
  /// - `delivery`: channels, rate, loudness and largest peak; by default those of the session.
  case file(
    _ path: String, encoding: SampleEncoding? = nil, compression: Compression? = nil, delivery: Delivery = Delivery())
  /// Raw interleaved stereo samples on the standard output, as fast as they are read.
  case standardOutput(encoding: SampleEncoding = .s24)
  /// Raw interleaved stereo samples into the FIFO at `path`, in real time. Frames that nobody reads are dropped.
  case pipe(_ path: String, encoding: SampleEncoding = .s24)
  /// No sound.
  ///
  /// - `isRealTime`: whether the session plays in real time; otherwise it is rendered as fast as possible.
  case null(isRealTime: Bool = true)
  /// An output of your own.
  case sink(any AudioSink)

  /// Whether the session plays in real time. Otherwise it is rendered as fast as possible: pauses take no time, and the
  /// run time counts the rendered frames.
  public var isRealTime: Bool {
    switch self {
    case .pulse, .pipe: true
    case .null(let isRealTime): isRealTime
    case .file, .standardOutput: false
    case .sink(let sink): sink.isRealTime
    }
  }
}

extension AudioOutput {
  /// The outputs of the sound server, in its order. Their names are those of ``pulse(device:)``.
  ///
  /// - Throws: ``PlayerError`` with the code `engineStartFailed` if no server answers.
  public static func devices() async throws(PlayerError) -> [PulseOutput] {
    // The answer may take seconds.
    let answer: Result<PulseSurvey, SinkError> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(SinkError) in try PulseSurvey.ofServer() })
      }
    }
    do throws(SinkError) { return try answer.get().outputs } catch { throw .outputFailed(error) }
  }

  /// What it is: the argument of `--output`, but for a file its extension, for a FIFO `pipe`, and for an output of your
  /// own `sink`. Two renders of a session into files with other names are of one kind.
  var kind: String {
    switch self {
    case .pulse(let device): device.map { "pulse:\($0)" } ?? "pulse"
    case .file(let path, _, _, _): path.split(separator: ".").last.map { $0.lowercased() } ?? "file"
    case .standardOutput: "-"
    case .pipe: "pipe"
    case .null(let isRealTime): isRealTime ? "null" : "null:fast"
    case .sink: "sink"
    }
  }

  /// Whether a file gets a loudness or a largest peak after the render.
  package var isLevelled: Bool { if case .file(_, _, _, let delivery) = self { delivery.isLevelled } else { false } }

  var isFile: Bool { if case .file = self { true } else { false } }

  /// Checks a file's extension and settings, without creating it.
  package func check() throws(SinkError) {
    guard case .file(let path, let encoding, let compression, let delivery) = self else { return }
    _ = try FileSink(path: path, encoding: encoding, compression: compression, delivery: delivery)
  }

  /// Creates the output.
  ///
  /// - Parameters:
  ///   - tags: the tags of a file; the title is also shown in the desktop's volume control.
  ///   - chapters: those of a file; nil for none.
  ///   - length: the length of the whole sound in frames; nil if it is unknown.
  ///   - jobs: the maximum number of threads that encode a file at the same time.
  ///   - manager: sets up a live output and reconnects it.
  ///   - levelling: called with the part of the work after the render that is done, 0 to 1, on any thread.
  ///   - changed: receives the changes of a live output. Called on any thread; it must neither block nor call the sink.
  func makeSink(
    tags: FileTags, chapters: ChapterList?, length: FrameCount?, jobs: Int, manager: AudioSessionManager,
    levelling: @escaping @Sendable (Double) -> Void,
    changed: @escaping @Sendable (OutputEvent) -> Void
  ) throws(SinkError) -> any Sink {
    switch self {
    case .pulse(let device):
      PulseSink(device: device, title: tags.title ?? "prosper", policy: manager, report: changed)
    case .file(let path, let encoding, let compression, let delivery):
      try file(path, delivery, levelling) { () throws(SinkError) in
        try FileSink(
          path: path, encoding: encoding, compression: compression, tags: tags, chapters: chapters,
          expectedFrames: length, jobs: jobs, delivery: delivery)
      }
    case .standardOutput(let encoding): StreamSink(descriptor: 1, name: "stdout", encoding: encoding)
    case .pipe(let path, let encoding): PipeSink(path: path, encoding: encoding, report: changed)
    case .null(let isRealTime): NullSink(pace: isRealTime ? .listener : .players, report: changed)
    case .sink(let sink): CustomSink(sink)
    }
  }

  private func file(
    _ path: String, _ delivery: Delivery, _ levelling: @escaping @Sendable (Double) -> Void,
    _ make: @escaping @Sendable () throws(SinkError) -> FileSink
  ) throws(SinkError) -> any Sink {
    delivery.isLevelled ? try LevellingSink(path: path, delivery, progress: levelling, makeFile: make) : try make()
  }
}
