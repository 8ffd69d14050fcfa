import Foundation
import GeneratedSounds
import Imports
import Markup
import Player
import ProsperKit
import Schedule
import Scripts
import SessionFiles
import Signal
import Sounds
import Timelines

@testable import AudioFiles
@testable import SavedState

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

  /// A list of another program, of the kind that its first byte states: it has errors, or becomes a session that can be
  /// written and read.
  static func list(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let format = ImportFormat.allCases[Int(first) % ImportFormat.allCases.count]
    let importer = Importer(library: StandIns(), title: "T", sound: "/nowhere/a.wav")
    let path = first < 128 ? "fuzz" : "fuzz.m3u8"
    let result = importer.read(Array(bytes.dropFirst()), as: format, path: path, folder: "/nowhere")
    precondition((result.session == nil) == result.diagnostics.contains { $0.severity == .error })
    guard let session = result.session else { return }
    var writer = SessionWriter(.yaml, in: "/nowhere")
    writer.notes = result.comments
    let text = writer.text(of: session)
    let reading = SessionReader(catalogue: catalogue, home: nil).read(text: text, path: "s.yaml", folder: "/nowhere")
    guard let again = reading.session else { preconditionFailure("\(reading.diagnostics)\n\(text)") }
    layOut(again)
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

  /// The file of a saved position, or the JSON in it: what it resumes, and the first second of that.
  static func place(_ bytes: [UInt8]) {
    guard let path else { return }
    let folder = StateFolder(path: path + "-state")
    let content = bytes.first == UInt8(ascii: "{") ? Array("\(Fingerprint(bytes).text) ".utf8) + bytes + [0x0A] : bytes
    guard (try? write(content, to: SavedPosition.fileName(of: sessionPath), in: folder)) != nil else { return }
    guard let saved = SavedPosition.latest(in: folder) else { return }
    // Whoever resumes downloads what is missing.
    if saved.position.journal?.sources.contains(where: \.isRemote) ?? false { return }
    let point: ResumePoint?
    do throws(ResumePoint.Failure) {
      point = try ResumePoint(
        in: programme, SessionIdentity(path: sessionPath), fittedTo: saved.fittedLength, isStrict: false,
        folder: folder,
        announcing: { _ in })
    } catch {
      precondition(!error.description.isEmpty)
      return
    }
    guard let journal = point?.position.journal else { return }
    guard let replayed = journal.replayed(in: programme) else { preconditionFailure("\(journal)") }
    precondition(replayed.journal.frame == journal.frame)
    precondition(replayed.journal.replayed(in: programme) != nil, "a resumed session can't be resumed again")
    let frames = journal.frame..<journal.frame + programme.rate.frames(1)
    _ = replayed.schedule.events(in: frames)
    _ = replayed.schedule.state(at: frames.upperBound)
    for _ in replayed.schedule.clips(from: journal.frame).prefix(1_000) {}
  }

  /// The lines of several responses, each of which ends with an empty line: what they say of a download, and how a
  /// later run continues it.
  static func head(_ bytes: [UInt8]) {
    guard let path else { return }
    let cache = RemoteCache(folder: path + "-sounds")
    guard (try? cache.prepare()) != nil, let fields = download(bytes, into: cache), !fields.isEmpty else { return }
    let later = try? cache.part(of: address, limit: 1 << 20)
    precondition(later?.resumeFields == fields)
  }

  /// - Returns: the header lines with which the download continues.
  private static func download(_ bytes: [UInt8], into cache: RemoteCache) -> [String]? {
    guard let part = try? cache.part(of: address, limit: 1 << 20) else { return nil }
    part.download = Download()
    var head = ResponseHead()
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      head.take(String(decoding: line + [0x0A], as: UTF8.self))
      guard line.isEmpty || line.elementsEqual([0x0D]) else { continue }
      respond(head, to: part)
      head = ResponseHead()
    }
    part.keepForLater()
    return part.resumeFields
  }

  private static func respond(_ head: ResponseHead, to part: PartFile) {
    precondition(0...999 ~= head.status && 0 <= head.bodyLength ?? 0)
    if let (start, whole) = head.part { precondition(0 <= start && start < whole ?? .max) }
    for line in head.validators.ifChanged + part.resumeFields {
      precondition(line.utf8.allSatisfy { 0x20...0x7E ~= $0 })
    }
    _ = head.fields["location"].flatMap(RemoteAddress.init)?.isPlainlyLocal
    guard head.status == 200 || head.status == 206, (try? part.begin(head)) != nil else { return }
    precondition(0 <= part.expectedLength ?? 0)
    try? [1, 2, 3].withUnsafeBytes { try part.receive($0) }
  }

  private static let address = "http://localhost/fuzz"

  /// In memory, if there is such a folder. The system removes the file in the end.
  private static let path: String? = {
    let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    return "\(folder)/prosper-fuzz-\(getpid())"
  }()

  private static func write(_ bytes: [UInt8], to name: String, in folder: StateFolder) throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  private static let sessionPath = "/nowhere/fuzz.json"

  /// A session with what a journal can change.
  private static let programme: Programme = {
    let text = """
      {"prosper": 1, "title": "T", "crossfade": 2, "fadeOut": 3, "stages": [
        {"name": "A", "tracks": ["generate:rain", "a.wav"], "duration": 600,
          "overlays": [{"sound": "b.wav", "at": 10, "repeat": {"times": "forever", "delay": 5}}],
          "gongs": [{"sound": "generate:bowl", "every": 60}]},
        {"name": "B", "tracks": ["a.wav", "b.wav", "c.wav"], "repeat": "playlist", "repeatCount": 1},
        {"name": "C", "duration": "open"}]}
      """
    guard let (timeline, _) = try? Timeline.compile(session(text), library: StandIns()) else {
      preconditionFailure("the session can't be planned")
    }
    return timeline.programme
  }()

  private static func minuteScope() -> CommandScope {
    CommandScope(
      of: session(
        #"{"prosper": 1, "title": "T", "stages": [{"name": "A", "tracks": ["generate:rain"], "duration": 60}]}"#))
  }

  private static func session(_ text: String) -> Session {
    let reading = SessionReader(catalogue: catalogue, home: nil).read(text: text, path: "a.json", folder: "/nowhere")
    guard let session = reading.session else { preconditionFailure("\(reading.diagnostics)") }
    return session
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

extension SoundSource {
  fileprivate var isRemote: Bool { if case .remote = origin { true } else { false } }
}
