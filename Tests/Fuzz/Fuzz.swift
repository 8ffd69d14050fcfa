import AudioFiles
import Foundation
import GeneratedSounds
import Markup
import Player
import Schedule
import Scripts
import SessionFiles
import Signal
import Sounds
import Timelines

/// Each function takes one input. A trap is a finding, and so is a precondition that does not hold.
enum Fuzz {
  private static let catalogue = GeneratorDescription.builtIn
  private static let scope = minuteScope()

  /// The text of a session: it has errors, or can be planned.
  static func session(_ bytes: [UInt8]) {
    guard let text = try? TextBytes.text(bytes, file: "fuzz") else { return }
    for path in ["fuzz.json", "fuzz.yaml"] {
      let reading = SessionReader(catalogue: catalogue, home: nil).read(text: text, path: path, folder: "/nowhere")
      let hasError = reading.diagnostics.contains { $0.severity == .error }
      precondition((reading.session == nil) == hasError)
      if let session = reading.session { layOut(session) }
    }
  }

  private static func layOut(_ session: Session) {
    guard let (timeline, _) = try? Timeline.compile(session, library: StandIns()) else { return }
    for stage in timeline.stages { for _ in stage.music.clips.prefix(1_000) {} }
  }

  static func script(_ bytes: [UInt8]) {
    guard let text = try? TextBytes.text(bytes, file: "fuzz") else { return }
    for path in ["fuzz.jsonl", "fuzz.yaml"] {
      let reading = ScriptReader(scope: scope, catalogue: catalogue).read(text: text, path: path, folder: "/nowhere")
      precondition((reading.script == nil) == reading.diagnostics.contains { $0.severity == .error })
    }
  }

  /// A line from the control socket.
  static func line(_ bytes: [UInt8]) {
    _ = CommandReader(scope: scope, catalogue: catalogue).request(String(decoding: bytes, as: UTF8.self))
  }

  /// A sound file: its facts, and its first seconds at another rate.
  static func audio(_ bytes: [UInt8]) {
    guard let path, (try? Data(bytes).write(to: URL(fileURLWithPath: path))) != nil else { return }
    let source = SoundSource(.file(path: path))
    let library = AudioFileLibrary()
    _ = try? library.probe(source, at: .studio)
    guard let sound = try? library.open(source, at: .studio, from: 0) else { return }
    var frames = [Frame](repeating: .silence, count: 4_096)
    for _ in 0..<32 {
      let filled = frames.withUnsafeMutableBufferPointer { sound.read(into: $0) }
      guard filled == frames.count else { return }
    }
  }

  /// In memory, if there is such a folder. The system removes the file in the end.
  private static let path: String? = {
    let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    return "\(folder)/prosper-fuzz-\(getpid())"
  }()

  private static func minuteScope() -> CommandScope {
    let text = #"{"prosper": 1, "title": "T", "stages": [{"name": "A", "tracks": ["generate:rain"], "duration": 60}]}"#
    let reading = SessionReader(catalogue: catalogue, home: nil).read(text: text, path: "a.json", folder: "/nowhere")
    guard let session = reading.session else { preconditionFailure("\(reading.diagnostics)") }
    return CommandScope(of: session)
  }
}

/// Every file is three minutes long.
private struct StandIns: SoundLibrary {
  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    if case .generated = source.origin { return try GeneratedSoundLibrary().probe(source, at: rate) }
    return SoundFacts(length: rate.frames(180), rate: nil, channels: 2)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    throw .noSuchGenerator(name: "nothing is played here")
  }
}
