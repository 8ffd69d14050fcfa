import Dispatch
public import Encoding
package import Engine
public import NetworkOutputs
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
  /// A source of a Snapcast server, which plays it in step in several rooms. In real time.
  case snapcast(SnapcastSource)
  /// A mount of an Icecast server, for listeners elsewhere. In real time.
  ///
  /// - `compression`: nil for 96 kbit/s in Opus, 128 kbit/s in MP3, and quality 4 in Ogg Vorbis.
  case icecast(IcecastMount, password: String, compression: Compression? = nil)
  /// Several outputs at once. The first live device leads: it sets the pace, and the session reacts to what happens to
  /// it. The others get the same sound, and their troubles stay their own. Without a device, the computer's clock leads.
  /// If no output is live, the session is rendered into all of them.
  indirect case several([AudioOutput])

  /// Whether the session plays in real time. Otherwise it is rendered as fast as possible: pauses take no time, and the
  /// run time counts the rendered frames.
  public var isRealTime: Bool {
    switch self {
    case .pulse, .pipe, .snapcast, .icecast: true
    case .null(let isRealTime): isRealTime
    case .file, .standardOutput: false
    case .sink(let sink): sink.isRealTime
    case .several(let outputs): outputs.contains(where: \.isRealTime)
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
    case .snapcast(let source): "\(source)"
    case .icecast(let mount, _, _): "\(mount)"
    case .several(let outputs): (outputs.first(where: \.isDevice) ?? outputs.first)?.kind ?? "null"
    }
  }

  /// What it is called in events: its kind, but a file's and a FIFO's path.
  var name: String {
    switch self {
    case .file(let path, _, _, _): path
    case .pipe(let path, _): "pipe:\(path)"
    case .pulse, .standardOutput, .null, .sink, .snapcast, .icecast, .several: kind
    }
  }

  /// Whether a file gets a loudness or a largest peak after the render.
  package var isLevelled: Bool {
    all.contains { if case .file(_, _, _, let delivery) = $0 { delivery.isLevelled } else { false } }
  }

  /// The paths of the files.
  var paths: [String] { all.compactMap { if case .file(let path, _, _, _) = $0 { path } else { nil } } }

  /// Checks the extensions and settings of files, without creating them.
  package func check() throws(SinkError) {
    for case .file(let path, let encoding, let compression, let delivery) in all {
      _ = try FileSink(path: path, encoding: encoding, compression: compression, delivery: delivery)
    }
  }
}
