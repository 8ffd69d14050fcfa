public import ArgumentParser
import AudioFiles
import Engine
import PulseAudio
import Sessions
public import Signal

extension SampleEncoding: ExpressibleByArgument {}
extension AudioSessionManager.Mode: ExpressibleByArgument {}

/// The options for the output and its events, which `play` and `sounds --play` share.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the sound goes: pulse, pulse:SINK, a file (.wav .flac .ogg .opus .mp3 .aiff .caf), - (raw PCM on stdout), "
        + "pipe:PATH (raw PCM into a FIFO, live), null (real time, no sound) or null:fast. (default: pulse)",
      valueName: "out"),
    transform: { text in
      guard let choice = OutputChoice(argument: text) else {
        throw ValidationError("it is not an output; write pulse, pulse:SINK, a file, -, pipe:PATH, null or null:fast")
      }
      return choice
    })
  var output = OutputChoice.pulse(sink: nil)

  @Option(help: "Sample encoding of files and PCM: s16, s24 or f32 (default: s24 if the file format has it).")
  var encoding: SampleEncoding?

  @Option(
    help: ArgumentHelp(
      "What is printed on stdout: auto (text on a terminal, JSON Lines otherwise), text, jsonl, jsonl:1 (states "
        + "without crossfades, for older readers) or off."))
  var events = EventChoice.auto

  @Option(
    help: ArgumentHelp(
      "How long to wait for a lost sound server; prosper exits with 75 if it does not come back in time. (default: 5m)",
      valueName: "duration"),
    transform: { text in
      guard let limit = TimeLimit(argument: text) else {
        throw ValidationError("it is not a duration; write it like 90s, 5m or 1:30")
      }
      return limit
    })
  var giveUpAfter = TimeLimit(seconds: 300)

  @Option(
    help: ArgumentHelp(
      "managed: sets up the output, reconnects after a loss of the sound server, keeps the computer awake. external: "
        + "does none of that, reports problems, and exits with 75 if the output is lost."))
  var sessionMode = AudioSessionManager.Mode.managed

  @Option(help: .hidden)
  var blockFrames = 4_096

  func validate() throws {
    guard 1...1_000_000 ~= blockFrames else {
      throw ValidationError("--block-frames must be a number from 1 to 1000000")
    }
  }

  /// The object that sets up and guards the output, in the mode that these options select.
  func makeSession() -> AudioSessionManager {
    AudioSessionManager(mode: sessionMode, giveUpAfter: giveUpAfter.seconds)
  }

  /// Whether all options have their default values.
  var areStandard: Bool {
    output == .pulse(sink: nil) && encoding == nil && events == .auto && giveUpAfter == TimeLimit(seconds: 300)
      && sessionMode == .managed
  }

  /// Creates the output.
  ///
  /// - Parameters:
  ///   - length: the length of the whole sound in frames; nil if an open stage makes it unknown.
  ///   - session: sets up a live output and reconnects it.
  ///   - told: receives the changes of a live output. Called on any thread; it must neither block nor call the sink.
  func makeSink(
    title: String, length: FrameCount?, session: AudioSessionManager = AudioSessionManager(),
    told: @escaping @Sendable (OutputEvent) -> Void = { _ in }
  ) throws(SinkError) -> any Sink {
    switch output {
    case .pulse(let sink): PulseSink(device: sink, title: title, session: session, told: told)
    case .file(let path): try FileSink(path: path, encoding: encoding, title: title, expectedFrames: length)
    case .standardOutput: StreamSink(descriptor: 1, name: "stdout", encoding: encoding ?? .s24)
    case .pipe(let path): PipeSink(path: path, encoding: encoding ?? .s24, told: told)
    case .null(let pace): NullSink(pace: pace, told: told)
    }
  }
}

/// A duration as sessions write it, such as `90s` or `10m`, or as a number of seconds.
struct TimeLimit: Hashable, CustomStringConvertible {
  var seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  init?(argument: String) {
    guard let seconds = TimeSpelling.seconds(argument) ?? Double(argument), seconds.isFinite, 0 <= seconds else {
      return nil
    }
    self.seconds = seconds
  }

  var description: String { TimeSpelling.text(seconds) }
}

/// The argument of `--events`.
enum EventChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, text, jsonl
  case simpleJSONL = "jsonl:1"
  case off
}
