public import ArgumentParser
import AudioFiles
import Engine
import PulseAudio
import Sessions
public import Signal

extension SampleEncoding: ExpressibleByArgument {}
extension AudioSessionManager.Mode: ExpressibleByArgument {}

/// Where the sound goes and what is told of it: the options that `play` and `sounds --play` share.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the sound goes: pulse, pulse:SINK, a file (.wav .flac .ogg .opus .mp3 .aiff .caf), - (raw PCM on stdout), "
        + "pipe:PATH (raw PCM into a FIFO, live), null (real time, no sound) or null:fast. (default: pulse)",
      valueName: "out"),
    transform: { text in
      guard let choice = OutputChoice(argument: text) else {
        throw ValidationError("it is no output; write pulse, pulse:SINK, a file, -, pipe:PATH, null or null:fast")
      }
      return choice
    })
  var output = OutputChoice.pulse(sink: nil)

  @Option(help: "Sample encoding of files and PCM: s16, s24 or f32; by default s24 where the container has it.")
  var encoding: SampleEncoding?

  @Option(
    help: ArgumentHelp(
      "What is told on stdout: auto (text on a terminal, JSON Lines otherwise), text, jsonl, jsonl:1 (states without "
        + "crossfades, for older readers) or off."))
  var events = EventChoice.auto

  @Option(
    help: ArgumentHelp(
      "How long a sound server that went away is waited for; when it does not come back, prosper ends with 75. "
        + "(default: 5m)",
      valueName: "duration"),
    transform: { text in
      guard let limit = TimeLimit(argument: text) else {
        throw ValidationError("it is no length of time; write it like 90s, 5m or 1:30")
      }
      return limit
    })
  var giveUpAfter = TimeLimit(seconds: 300)

  @Option(
    help: ArgumentHelp(
      "managed: set up the output, reconnect when the sound server is lost, keep the computer awake. external: leave all "
        + "of that to others, report what is wrong, and end with 75 when the output is lost."))
  var sessionMode = AudioSessionManager.Mode.managed

  @Option(help: .hidden)
  var blockFrames = 4_096

  func validate() throws {
    guard 1...1_000_000 ~= blockFrames else { throw ValidationError("--block-frames is from 1 to 1000000") }
  }

  /// Guards the output as these options say.
  func makeSession() -> AudioSessionManager {
    AudioSessionManager(mode: sessionMode, giveUpAfter: giveUpAfter.seconds)
  }

  /// Nobody has asked for anything else.
  var areStandard: Bool {
    output == .pulse(sink: nil) && encoding == nil && events == .auto && giveUpAfter == TimeLimit(seconds: 300)
      && sessionMode == .managed
  }

  /// - Parameters:
  ///   - length: of the whole sound, nil when the listener decides.
  ///   - session: guards a live output.
  ///   - told: what becomes of a live output; called on any thread, and must neither wait nor call the sink.
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

/// A length of time as sessions write it, such as `90s` or `10m`.
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
