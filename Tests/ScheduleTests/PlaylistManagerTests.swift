import Signal
import TestSupport
import Testing

@testable import Schedule

@Suite struct PlaylistManagerTests {
  /// Three entries, some of which can't be played.
  static func list(
    _ repetition: RepeatMode = .off, _ count: Int? = nil, unplayable: [Int] = [], lengths: [FrameCount] = [10, 20, 30]
  ) -> PlaylistManager {
    let tracks = lengths.enumerated().map { track("\($0)", $1) }
    var list = PlaylistManager(tracks, repetition: repetition, repeatCount: count)
    list.assignIDs()
    for id in unplayable { list.passOver(id, inPass: nil) }
    return list
  }

  private static func entry(_ index: Int, _ pass: Int) -> PlaylistEntry {
    PlaylistEntry(index: index, pass: pass, overlap: 0)
  }

  private static func text(_ place: (index: Int, pass: Int)?) -> String {
    place.map { "\($0.index), pass \($0.pass)" } ?? "none"
  }

  @Test(
    arguments: [
      (list(), (0, 0), "1, pass 0"), (list(), (2, 0), "none"),
      (list(.track), (1, 0), "1, pass 1"), (list(.track), (1, 7), "1, pass 8"),
      (list(.track, 2), (1, 1), "1, pass 2"), (list(.track, 2), (1, 2), "2, pass 0"), (list(.track, 2), (2, 2), "none"),
      (list(.track, 0), (0, 0), "1, pass 0"),
      (list(.playlist), (1, 3), "2, pass 3"), (list(.playlist), (2, 3), "0, pass 4"),
      (list(.playlist, 1), (2, 0), "0, pass 1"), (list(.playlist, 1), (2, 1), "none"),
      (list(.playlist, 0), (2, 0), "none"),
    ] as [(PlaylistManager, (Int, Int), String)])
  func `the next entry follows from the repeat mode and its count`(
    list: PlaylistManager, from: (Int, Int), expected: String
  ) {
    #expect(Self.text(list.entry(after: Self.entry(from.0, from.1))) == expected)
  }

  @Test(
    arguments: [
      (list(unplayable: [1]), (0, 0), "2, pass 0"), (list(unplayable: [1, 2]), (0, 0), "none"),
      (list(.playlist, unplayable: [0, 2]), (1, 0), "1, pass 1"),
      (list(.playlist, 1, unplayable: [2]), (1, 1), "none"), (list(.playlist, unplayable: [0, 1, 2]), (0, 0), "none"),
      (list(.track, unplayable: [1]), (1, 0), "2, pass 0"),
      (list(.track, lengths: [10, 0, 30]), (1, 0), "2, pass 0"),
    ] as [(PlaylistManager, (Int, Int), String)])
  func `unplayable entries are skipped, and an entry without a length never repeats`(
    list: PlaylistManager, from: (Int, Int), expected: String
  ) {
    #expect(Self.text(list.entry(after: Self.entry(from.0, from.1))) == expected)
  }

  @Test(
    arguments: [
      (list(), (1, 0), 1, "2, pass 0"), (list(), (1, 0), -1, "0, pass 0"), (list(), (0, 0), 2, "2, pass 0"),
      (list(), (2, 0), 1, "none"), (list(), (0, 0), -1, "none"),
      (list(.playlist), (2, 0), 1, "0, pass 1"), (list(.playlist), (0, 0), 7, "1, pass 2"),
      (list(.playlist), (0, 2), -1, "2, pass 1"), (list(.playlist), (0, 0), -1, "2, pass 0"),
      (list(.playlist), (0, 5), -4, "2, pass 3"), (list(.playlist), (0, 5), -3, "0, pass 4"),
      (list(.playlist, 1), (2, 0), 1, "0, pass 1"), (list(.playlist, 1), (2, 1), 1, "none"),
      (list(.playlist, 1), (0, 1), -1, "2, pass 0"), (list(.playlist, 1), (0, 0), -1, "none"),
      (list(.playlist, lengths: [10]), (0, 0), 1, "none"),
      (list(.playlist, lengths: [10]), (0, 2), -1, "0, pass 1"), (list(.track), (0, 2), -1, "none"),
      (list(.track, 2), (0, 2), 1, "1, pass 0"), (list(.track, 2), (1, 1), -1, "0, pass 0"),
      (list(.track, 2), (1, 1), 0, "1, pass 1"),
      (list(unplayable: [1]), (0, 0), 1, "2, pass 0"), (list(unplayable: [1]), (2, 0), -1, "0, pass 0"),
      (list(unplayable: [1]), (1, 0), 1, "2, pass 0"), (list(unplayable: [1]), (1, 0), -1, "0, pass 0"),
      (list(unplayable: [1, 2]), (0, 0), 1, "none"), (list(.playlist, unplayable: [2]), (1, 0), 1, "0, pass 1"),
      (list(.playlist, unplayable: [2]), (1, 0), 4, "1, pass 2"),
      (list(.playlist, unplayable: [0]), (1, 1), -1, "2, pass 0"),
      (list(.playlist, unplayable: [0, 1, 2]), (0, 0), 1, "none"),
    ] as [(PlaylistManager, (Int, Int), Int, String)])
  func `steps move through the entries, and wrap around if the playlist repeats`(
    list: PlaylistManager, from: (Int, Int), steps: Int, expected: String
  ) {
    #expect(Self.text(list.entry(steps: steps, from: Self.entry(from.0, from.1))) == expected)
  }

  @Test func `playback starts with the first playable entry`() {
    #expect(Self.list().opening == 0 && Self.list(unplayable: [0, 1]).opening == 2)
    #expect(Self.list(unplayable: [0, 1, 2]).opening == nil && PlaylistManager([]).opening == nil)
  }

  @Test func `music ends without a command unless it repeats without a bound or never ends`() {
    #expect(Self.list().isBounded && Self.list(.track, 3).isBounded && Self.list(.playlist, 0).isBounded)
    #expect(!Self.list(.track).isBounded && !Self.list(.playlist).isBounded)
    #expect(!Self.list(lengths: [10, .endless]).isBounded)
  }

  @Test func `an entry keeps its identity in every edit`() throws {
    var list = Self.list()
    let names = { (list: PlaylistManager) in list.tracks.map { "\($0.id)\($0.title)" } }
    try list.insert([track("x", 1), track("1", 1)], at: 1)
    #expect(names(list) == ["00", "3x", "41", "11", "22"])
    try list.move(from: 0, to: 4)
    #expect(names(list) == ["3x", "41", "11", "22", "00"])
    try list.move(from: 3, to: 1)
    #expect(names(list) == ["3x", "22", "41", "11", "00"])
    try list.remove(at: 2)
    #expect(names(list) == ["3x", "22", "11", "00"] && list.index(of: 1) == 2 && list.index(of: 4) == nil)
    list.replace(with: [track("0", 1)])
    #expect(names(list) == ["50"])
    try list.insert([track("0", 1)], at: 1)
    #expect(names(list) == ["50", "60"])
  }

  @Test func `an unplayable entry stays unplayable when it moves`() throws {
    var list = Self.list(unplayable: [0])
    try list.move(from: 0, to: 2)
    #expect(list.tracks.map(\.isUnplayable) == [false, false, true])
    list.passOver(99, inPass: nil)
    #expect(list.tracks.count { $0.isUnplayable } == 1)
  }

  @Test func `the numbers of the session file are kept until the first edit`() throws {
    var list = Self.list()
    var numbered = list.tracks
    for index in numbered.indices { numbered[index].number = 2 * index }
    list.replace(with: numbered)
    #expect(list.tracks.map(\.number) == [0, 2, 4])
    let names = list.tracks.map(\.title)
    // Entry 1 was removed as unplayable when the session was read.
    #expect(throws: EditError.invalidPlaylistIndex(index: 1, count: 5)) { try list.remove(at: 1) }
    try list.remove(at: 2)
    #expect(list.tracks.map(\.title) == [names[0], names[2]] && list.tracks.map(\.number) == [nil, nil])
    list.replace(with: numbered)
    try list.insert([track("x", 1)], at: 3)
    #expect(list.tracks.map(\.title) == [names[0], names[1], "x", names[2]])
  }

  @Test func `an invalid index is rejected and changes nothing`() {
    var list = Self.list()
    #expect(throws: EditError.invalidPlaylistIndex(index: 4, count: 4)) { try list.insert([track("x", 1)], at: 4) }
    #expect(throws: EditError.invalidPlaylistIndex(index: -1, count: 4)) { try list.insert([], at: -1) }
    #expect(throws: EditError.invalidPlaylistIndex(index: 3, count: 3)) { try list.remove(at: 3) }
    #expect(throws: EditError.invalidPlaylistIndex(index: 3, count: 3)) { try list.move(from: 0, to: 3) }
    #expect(throws: EditError.invalidPlaylistIndex(index: -1, count: 3)) { try list.move(from: -1, to: 0) }
    #expect(list.tracks.map(\.id) == [0, 1, 2])
  }
}
