import Foundation
import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

@testable import SavedState

/// Positions whose JSON has changed although the checksum is right: a file of another version, or one that was edited.
@Suite struct DamagedPositionTests {
  private static let shards = [
    "{", "}", "[", "]", "\"", ":", ",", "-", "0", "9999999999", "9223372036854775807", "1e308", "null", "true",
  ]

  private static let session = programme([
    Programme.Stage(
      "A", [track("0", 30_000), track("1", 20_000), track("2", 16_000)], for: .frames(90_000), repetition: .playlist,
      crossfade: FadeShape(length: 4_000, curve: .equalPower),
      overlays: [Programme.Overlay("voice", 20_000, at: 8_000)],
      gongs: [Programme.Gong("bell", 8_000, at: 0, 40_000)]),
    Programme.Stage("B", [track("3", 40_000)]), Programme.Stage("C", [], for: .open),
  ])

  /// Every kind of edit that a journal can contain.
  private static let edits: [Edit] = [
    .gong(Cue("bell"), length: 8_000), .stopEffects, .step(by: 1), .seek(.by(0.5)), .seek(.to(1)), .step(by: -1),
    .jump(2), .crossfade(seconds: 0.5, .linear), .repetition(.track, count: 3), .repetition(.playlist, count: nil),
    .playlist(.append([track("4", 9_000)])), .playlist(.insert([resampled], at: 1)), .playlist(.remove(at: 0)),
    .playlist(.move(from: 0, to: 1)), .playlist(.replace([track("5", 30_000), track("6", 7_000)])),
    .overlay(overlay, length: 3_000), .overlayRepetition(.forever, delay: 0.25), .pauseOverlays, .resumeOverlays,
    .stopOverlays, .passOver(stage: 0, entry: 1), .pauseMusic, .resumeMusic, .stage(by: 1), .stage(by: -1),
    .goto(stage: "B", at: 1), .pause, .resume(nil),
  ]

  private static var resampled: Track {
    var track = track("4", 9_000)
    track.resampled = ResampledLength(frames: 18_000, source: 16_000, session: 8_000)
    return track
  }

  private static var overlay: OverlayRequest {
    OverlayRequest(
      cue: Cue("voice"), fadeIn: 0.1, fadeOut: 0.2, curve: .sCurve, times: .times(3), delay: 0.5,
      ducking: OverlayRequest.Ducking(depth: Gain(linear: 0.5), attack: 0.1, release: 0.2), isLayer: true)
  }

  private static let saved: SavedPosition = {
    var journal = Journal(stage: 0, start: 0, volumes: Volumes(master: .unity))
    for (index, edit) in edits.enumerated() {
      journal.add(
        Journal.Entry(
          .edit(edit, resuming: index % 7 == 0 ? .continueFromProgress : nil), at: FrameTime(2_000 * index + 2_000)))
    }
    journal.add(Journal.Entry(.volume(.music, Gain(linear: 0.5), over: 800), at: 60_000))
    let position = SessionPosition(
      stage: 1, seconds: 4, journal: journal.restoring(64_000), volumes: Volumes(master: Gain(linear: 0.5)))
    return SavedPosition(
      session: "/s.json", print: SessionFingerprint(of: Fingerprint([]), sounds: [:]), position: position, savedAt: 0)
  }()

  private let folder = StateFolder(path: NSTemporaryDirectory() + "prosper-damaged-\(UUID())")

  /// The JSON of the position, as the player writes it.
  private static func json() throws -> [UInt8] {
    var encoder = SlotEncoder()
    let content = encoder.content(of: saved)
    let slot = try #require(content)
    return Array(slot.dropFirst(17).prefix { $0 != UInt8(ascii: "\n") })
  }

  /// Reads a position from a file with the checksum of its JSON.
  private func read(_ json: [UInt8]) throws -> SavedPosition? {
    let slot = "\(Fingerprint(json).text) ".utf8 + json + [UInt8(ascii: "\n")]
    try Data(slot).write(to: URL(fileURLWithPath: folder.file(SavedPosition.fileName(of: "/s.json"))))
    return SavedPosition.latest(in: folder)
  }

  /// The JSON with other numbers at one to three places.
  private static func renumbered(_ json: [UInt8], by random: inout Random) -> [UInt8] {
    var text = String(decoding: json, as: UTF8.self)
    for _ in 0..<random.next(1...3) {
      let numbers = text.ranges(of: /-?\d+(\.\d+)?/)
      let extremes = ["0", "1", "-1", "2", "0.5", "40000", "-9223372036854775808", "9223372036854775807", "1e308"]
      text.replaceSubrange(
        numbers[random.next(0...numbers.count - 1)], with: extremes[random.next(0...extremes.count - 1)])
    }
    return Array(text.utf8)
  }

  @Test(arguments: 0..<5) func `a saved position with random changes is resumed or refused`(fifties: UInt64) throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let original = try Self.json()
    #expect(try #require(try read(original)).position.journal?.fits(Self.session) == true)
    var (read, replayed) = (0, 0)
    for seed in 50 * fifties..<50 * fifties + 50 {
      var random = Random(seed: seed)
      let damaged = try self.read(
        seed % 2 == 0
          ? random.mutated(original, with: Self.shards) : Self.renumbered(original, by: &random))
      if damaged != nil { read += 1 }
      guard let journal = damaged?.position.journal, let resumed = journal.replayed(in: Self.session) else { continue }
      replayed += 1
      #expect(resumed.journal.frame == journal.frame, "seed \(seed)")
      #expect(resumed.journal.fits(Self.session), "seed \(seed)")
      _ = resumed.schedule.events(in: journal.frame..<journal.frame + 8_000)
    }
    #expect(10 < read && 2 < replayed, "\(read) were read, \(replayed) replayed")
  }
}
