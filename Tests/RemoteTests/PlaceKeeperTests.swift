import Engine
import Foundation
import Signal
import Synchronization
import Testing

@testable import Player
@testable import Remote

@Suite struct PlaceKeeperTests {
  private let folder = StateFolder(path: NSTemporaryDirectory() + "prosper-place-\(UUID())")
  private let print = SessionPrint(of: "text".utf8, sounds: ["a.wav": "1"])

  private func keeper() throws -> PlaceKeeper {
    try #require(PlaceKeeper(of: "/s.yaml", print, in: folder) { _ in })
  }

  private var left: Double? { SavedPlace.load(of: "/s.yaml", from: folder)?.place.seconds }

  private func leave(at seconds: Double) throws {
    let keeper = try keeper()
    keeper.keep(SessionPlace(stage: 0, seconds: seconds))
    keeper.close()
  }

  private var file: String { folder.file(SavedPlace.fileName(of: "/s.yaml")) }

  @Test func `an older place stays until there is a newer one`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    #expect(left == nil)
    try leave(at: 7)
    try beginAnew()
    #expect(left == 7)
    try keeper().forget()
    #expect(left == nil && SavedPlace.lastEnd(in: folder) != nil)
  }

  private func beginAnew() throws {
    let anew = try keeper()
    #expect(left == 7)
    anew.identify { [print] in print }
    anew.close()
    #expect(left == 7)
    anew.keep(SessionPlace(stage: 0, seconds: 0))
    anew.close()
    #expect(left == 0)
    anew.withdraw()
  }

  @Test func `of two players of one session the first keeps its place`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let first = try keeper()
    #expect(PlaceKeeper(of: "/s.yaml", print, in: folder, told: { _ in }) == nil)
    #expect(PlaceKeeper(of: "/other.yaml", print, in: folder, told: { _ in }) != nil)
    first.keep(SessionPlace(stage: 0, seconds: 3))
    first.close()
    #expect(left == 3)
  }

  /// As when the power goes in the middle of a write.
  @Test(arguments: [0, 1, 17, 40, 200, 4_095])
  func `of a place that was half written the one before it holds`(count: Int) throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    for seconds in [7, 8, 9.0] { try leave(at: seconds) }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let newest = SavedPlace.slot
    #expect(left == 9 && bytes[newest] != 0)
    for index in newest + count..<bytes.count { bytes[index] = 0 }
    try bytes.write(to: URL(fileURLWithPath: file))
    #expect(left == 8)
  }

  @Test func `sounds that were unknown change nothing, those that were known do`() {
    let early = SessionPrint(of: "text".utf8, sounds: ["a": "1", "b": nil])
    #expect(early.holds(for: "text".utf8, sounds: ["a": "1", "b": nil]))
    #expect(early.holds(for: "text".utf8, sounds: ["a": "1", "b": "2"]))
    #expect(!early.holds(for: "text".utf8, sounds: ["a": "2", "b": "2"]))
    #expect(!early.holds(for: "text".utf8, sounds: ["a": nil, "b": "2"]))
    #expect(!early.holds(for: "test".utf8, sounds: ["a": "1", "b": "2"]))
    #expect(!early.holds(for: "text".utf8, sounds: ["a": "1", "b": "2", "c": "3"]))
  }

  @Test func `a place with hundreds of unknown sounds fits, and takes whole pages`() throws {
    let sounds = Dictionary(uniqueKeysWithValues: (0..<900).map { ("https://far.example/\($0).flac", String?.none) })
    let place = SavedPlace(
      session: "/s.yaml", print: SessionPrint(of: "text".utf8, sounds: sounds),
      place: SessionPlace(stage: 999, seconds: 604_799.999), savedAt: 1e10)
    let content = try #require(place.content())
    #expect(content.count % SavedPlace.page == 0 && content.count <= SavedPlace.slot)
  }

  @Test func `where more was done than fits, the place alone is kept, and that is told once`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let told = Mutex<[String]>([])
    let keeper = PlaceKeeper(of: "/s.yaml", print, in: folder) { line in told.withLock { $0.append(line) } }
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 0)
    let source = SoundSource(.file(path: "/" + String(repeating: "a", count: 400)))
    for index in 0..<300 as Range<Int64> {
      let gong = ScoreChange.gong(Cue(source: source, title: "gong", gain: .unity), length: 100)
      past.add(Deed(at: index, edited: index, isSilent: false, act: .change(gong, resuming: nil)))
    }
    for seconds in [3, 4.0] {
      keeper?.keep(SessionPlace(stage: 1, seconds: seconds, past: past))
      keeper?.close()
    }
    let saved = try #require(SavedPlace.load(of: "/s.yaml", from: folder))
    #expect(saved.place == SessionPlace(stage: 1, seconds: 4) && told.withLock { $0.count } == 1)
    past.deeds.removeLast(250)
    keeper?.keep(SessionPlace(stage: 1, seconds: 5, past: past))
    keeper?.close()
    #expect(SavedPlace.load(of: "/s.yaml", from: folder)?.place.past == past)
  }
}
