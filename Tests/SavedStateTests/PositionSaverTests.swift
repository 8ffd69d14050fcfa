import Foundation
import Signal
import Sounds
import Synchronization
import Testing

@testable import Player
@testable import SavedState
@testable import Schedule

@Suite struct PlaceKeeperTests {
  private let folder = StateFolder(path: NSTemporaryDirectory() + "prosper-place-\(UUID())")

  private func keeper(
    of session: String = "/s.yaml", resumes: Bool = true, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> PositionSaver {
    try #require(PositionSaver(of: session, in: folder, resumes: resumes, report: report, print: Self.print))
  }

  @Sendable private static func print(after journal: Journal?) -> SessionFingerprint {
    let brought = (journal?.sources ?? []).map { (String(reflecting: $0.origin), String?.some("2")) }
    return SessionFingerprint(of: text, sounds: ["a.wav": "1"].merging(brought) { $1 })
  }

  private var left: Double? { SavedPosition.load(of: "/s.yaml", from: folder)?.position.seconds }

  private func leave(at seconds: Double) throws {
    let keeper = try keeper()
    keeper.record(SessionPosition(stage: 0, seconds: seconds), at: 0)
    keeper.close()
  }

  private var file: String { folder.file(SavedPosition.fileName(of: "/s.yaml")) }

  @Test func `the position of an earlier run is kept until there is a newer one`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    #expect(left == nil)
    try leave(at: 7)
    try beginAnew()
    #expect(left == 7)
    try keeper().remove()
    #expect(left == nil && FileManager.default.fileExists(atPath: folder.file("ended")))
  }

  @Test func `what was interrupted last, and whether a session has ended since, do not depend on the clock`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let (first, other) = (try keeper(of: "/first.yaml"), try keeper(of: "/other.yaml"))
    first.record(SessionPosition(stage: 0, seconds: 1), at: 0)
    first.close()
    // The other player has run beside the first one, and its session ends.
    other.record(SessionPosition(stage: 0, seconds: 1), at: 0)
    other.flush()
    other.remove()
    #expect(SavedPosition.latest(in: folder)?.isBeforeLastEnd(in: folder) == true)
    // A clock that has gone back by years: the old files are from the future.
    for name in ["ended", SavedPosition.fileName(of: "/first.yaml")] {
      let date = Date(timeIntervalSince1970: 4e9)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file(name))
    }
    try age(of: "/first.yaml", 4e9)
    try leave(at: 9)
    let last = try #require(SavedPosition.latest(in: folder))
    #expect(last.session == "/s.yaml" && !last.isBeforeLastEnd(in: folder))
    try folder.write("99999999999999999999 many", to: "ended")
    #expect(SavedPosition.latest(in: folder)?.isBeforeLastEnd(in: folder) == false)
  }

  /// Writes the position of a session again, as saved at another time.
  private func age(of session: String, _ time: Double) throws {
    var saved = try #require(SavedPosition.load(of: session, from: folder))
    (saved.savedAt, saved.number) = (time, saved.number + 2)
    var encoder = SlotEncoder()
    let content = encoder.content(of: saved)
    let path = folder.file(SavedPosition.fileName(of: session))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seek(toOffset: UInt64((saved.number % 2) * SavedPosition.slot))
    try file.write(contentsOf: Data(try #require(content)))
  }

  @Test func `a position is read with all that was written`() throws {
    let saver = try #require(
      PositionSaver(
        of: "/s.yaml", fittedTo: 90.5, settings: ["a": "1", "b": "\"x\""], seed: 18_446_744_073_709_551_615, in: folder,
        resumes: true, report: { _ in }
      ) { _ in SessionFingerprint(of: Fingerprint([]), sounds: [:]) })
    saver.record(SessionPosition(stage: 2, seconds: 7.25), at: 0)
    saver.close()
    let saved = try #require(SavedPosition.load(of: "/s.yaml", from: folder))
    #expect(saved.fittedLength == 90.5 && saved.settings == ["a": "1", "b": "\"x\""])
    #expect(saved.seed == .max && saved.position == SessionPosition(stage: 2, seconds: 7.25))
  }

  @Test func `a run that does not resume keeps an earlier position for a minute, or until it has ended`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    try leave(at: 7)
    for end in [false, true] {
      let anew = try keeper(resumes: false)
      #expect(anew.older?.position.seconds == 7)
      anew.record(SessionPosition(stage: 0, seconds: 59), at: 59.9)
      anew.close()
      #expect(left == 7)
      if end { anew.remove() }
    }
    #expect(left == nil)
    try leave(at: 7)
    let long = try keeper(resumes: false)
    long.record(SessionPosition(stage: 0, seconds: 60), at: 60)
    long.close()
    #expect(left == 60)
  }

  @Test func `a position that no run can resume is replaced from the beginning`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    try leave(at: 7)
    let saver = PositionSaver(
      of: "/s.yaml", in: folder, resumes: false, isUseful: { $0.position.seconds != 7 }, report: { _ in },
      print: Self.print)
    let anew = try #require(saver)
    anew.record(SessionPosition(stage: 0, seconds: 2), at: 2)
    #expect(anew.older == nil && anew.isSaved)
    anew.close()
    #expect(left == 2)
  }

  @Test func `a run without an earlier position saves its own from the beginning`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let first = try keeper(resumes: false)
    first.record(SessionPosition(stage: 0, seconds: 1), at: 1)
    first.close()
    #expect(first.older == nil && left == 1)
  }

  private func beginAnew() throws {
    let anew = try keeper()
    #expect(left == 7)
    anew.record(SessionPosition(stage: 0, seconds: 0), at: 0)
    anew.close()
    #expect(left == 0)
    anew.discard()
  }

  @Test func `of two players of one session, the first one saves its position`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let first = try keeper()
    #expect(PositionSaver(of: "/s.yaml", in: folder, resumes: false, report: { _ in }, print: Self.print) == nil)
    #expect(PositionSaver(of: "/other.yaml", in: folder, resumes: false, report: { _ in }, print: Self.print) != nil)
    first.record(SessionPosition(stage: 0, seconds: 3), at: 0)
    first.close()
    #expect(left == 3)
  }

  @Test func `a position that is recorded will be saved, though its thread has not written it yet`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let keeper = try keeper()
    #expect(!keeper.isSaved)
    keeper.record(SessionPosition(stage: 0, seconds: 3), at: 0)
    #expect(keeper.isSaved)
    keeper.close()
    #expect(left == 3)
  }

  /// As after a power failure during a write.
  @Test(arguments: [0, 1, 17, 40, 200, 4_095])
  func `if a position was written only in part, the one before it is used`(count: Int) throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    for seconds in [7, 8, 9.0] { try leave(at: seconds) }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let newest = SavedPosition.slot
    #expect(left == 9 && bytes[newest] != 0)
    for index in newest + count..<bytes.count { bytes[index] = 0 }
    try bytes.write(to: URL(fileURLWithPath: file))
    #expect(left == 8)
  }

  @Test func `a fingerprint ignores sounds that were unknown and detects changes of known ones`() {
    let early = SessionFingerprint(of: text, sounds: ["a": "1", "b": nil])
    #expect(early.matches(text, sounds: ["a": "1", "b": nil]))
    #expect(early.matches(text, sounds: ["a": "1", "b": "2"]))
    #expect(!early.matches(text, sounds: ["a": "2", "b": "2"]))
    #expect(!early.matches(text, sounds: ["a": nil, "b": "2"]))
    #expect(!early.matches(Fingerprint("test".utf8), sounds: ["a": "1", "b": "2"]))
    #expect(!early.matches(text, sounds: ["a": "1", "b": "2", "c": "3"]))
  }

  @Test func `a position with hundreds of unknown sounds fits and takes whole pages`() throws {
    let sounds = Dictionary(uniqueKeysWithValues: (0..<900).map { ("https://far.example/\($0).flac", String?.none) })
    let saved = SavedPosition(
      session: "/s.yaml", print: SessionFingerprint(of: text, sounds: sounds),
      position: SessionPosition(stage: 999, seconds: 604_799.999), savedAt: 1e10)
    var encoder = SlotEncoder()
    let encoded = encoder.content(of: saved)
    let content = try #require(encoded)
    #expect(content.count % SavedPosition.page == 0 && content.count <= SavedPosition.slot)
  }

  private static func gong(_ name: String, at frame: FrameTime) -> Journal.Entry {
    let cue = Cue(source: SoundSource(.file(path: name)), title: "gong", gain: .unity)
    return Journal.Entry(.edit(.gong(cue, length: 100), resuming: nil), at: frame)
  }

  @Test func `the fingerprint includes the sounds that commands have added`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let keeper = try keeper()
    keeper.record(SessionPosition(stage: 0, seconds: 1, journal: journal), at: 0)
    keeper.flush()
    #expect(SavedPosition.load(of: "/s.yaml", from: folder)?.print == Self.print(after: nil))
    var journal = journal
    journal.add(Self.gong("/gong.wav", at: 8))
    keeper.record(SessionPosition(stage: 0, seconds: 2, journal: journal), at: 0)
    keeper.flush()
    #expect(SavedPosition.load(of: "/s.yaml", from: folder)?.print == Self.print(after: journal))
    #expect(Self.print(after: journal) != Self.print(after: nil))
  }

  @Test func `only the position and the volumes are saved if there are too many changes, which is reported once`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let report = Mutex<[String]>([])
    let keeper = try keeper { line in report.withLock { $0.append(line) } }
    var journal = journal
    for frame in 0..<300 as Range<FrameTime> {
      journal.add(Self.gong("/" + String(repeating: "a", count: 400), at: frame))
    }
    let volumes = Volumes(master: Gain(linear: 0.5))
    for seconds in [3, 4.0] {
      keeper.record(SessionPosition(stage: 1, seconds: seconds, journal: journal, volumes: volumes), at: 0)
      keeper.flush()
    }
    let saved = try #require(SavedPosition.load(of: "/s.yaml", from: folder))
    #expect(
      saved.position == SessionPosition(stage: 1, seconds: 4, volumes: volumes) && report.withLock { $0.count } == 1)
    #expect(saved.print == Self.print(after: nil))
    journal.entries.removeLast(250)
    keeper.record(SessionPosition(stage: 1, seconds: 5, journal: journal), at: 0)
    keeper.flush()
    #expect(SavedPosition.load(of: "/s.yaml", from: folder)?.position.journal == journal)
  }
}

private let text = Fingerprint("text".utf8)
private let journal = Journal(stage: 0, start: 0, volumes: Volumes(master: .unity))
