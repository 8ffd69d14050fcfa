import Engine
import Foundation
import Player
import Schedule
import Sounds
import Testing

@Suite struct PlayerErrorTests {
  /// The error, its code, and whether it is recoverable.
  static let table: [(PlayerError, String, Bool)] = [
    (.invalidState(current: "idle", attempted: "seek"), "invalidState", false),
    (.edit(.noActiveTrack), "noActiveTrack", false), (.edit(.emptyPlaylist), "emptyPlaylist", false),
    (.edit(.invalidPlaylistIndex(index: 3, count: 3)), "invalidPlaylistIndex", false),
    (.edit(.noNextTrack), "noNextTrack", false), (.edit(.noPreviousTrack), "noPreviousTrack", false),
    (.edit(.endOfTrack(seconds: 5)), "noNextTrack", false),
    (.edit(.noSuchStage(name: "A", known: ["B"])), "noSuchStage", false),
    (.edit(.noSuchPosition(stage: "A", seconds: 9)), "invalidConfiguration", false),
    (.edit(.noOverlay), "invalidState", false), (.edit(.noEffect("x")), "noEffect", false),
    (.fileLoadFailed(.damaged(path: "a.mp3", atSecond: 1, cause: "x")), "damaged", false),
    (.noValidTracksInPlaylist, "noValidTracksInPlaylist", false),
    (.skipFailed(reason: "3 of 5 failed", underlying: .missing(path: "a.mp3")), "skipFailed", true),
    (.fileLoadFailed(.missing(path: "a.mp3")), "fileNotFound", true),
    (.fileLoadFailed(.empty(path: "a.mp3")), "invalidFormat", false),
    (.fileLoadFailed(.unreadable(path: "a.mp3", cause: "x")), "fileLoadFailed", false),
    (.fileLoadFailed(.remote(address: "a", cause: "c")), "fileLoadFailed", false),
    (.fileLoadFailed(.remote(address: "a", cause: "c", isTransient: true)), "fileLoadFailed", true),
    (.fileLoadFailed(.remote(address: "a", cause: "c", isTransient: true, isTimeout: true)), "networkTimeout", true),
    (.fileLoadTimeout(title: "a", seconds: 5), "fileLoadTimeout", true),
    (.invalidConfiguration(reason: "x"), "invalidConfiguration", false), (.queueFull(limit: 3), "queueFull", true),
    (.ended, "sessionEnded", false),
    (.outputFailed(.noServer(cause: "x")), "engineStartFailed", true),
    (.outputFailed(.lost(cause: "x")), "sessionConfigurationFailed", true),
    (.outputFailed(.deviceLost(cause: "x")), "routeChangeFailed", true),
    (.fileLoadFailed(.tooManySounds(title: "a")), "bufferSchedulingFailed", true),
    (.outputFailed(.cannotWrite(path: "o.wav", cause: "full")), "outputFailed", false),
  ]

  /// Whatever keeps a sound from being opened is an `error` event, too.
  @Test func `the errors of sounds are known as such, whatever their codes are`() {
    let sources: [SourceError] = [
      .missing(path: "a"), .empty(path: "a"), .damaged(path: "a", atSecond: 0, cause: "c"),
      .noSuchGenerator(name: "a"), .remote(address: "a", cause: "c", isTransient: true, isTimeout: true),
    ]
    #expect(sources.allSatisfy { PlayerError.fileLoadFailed($0).kind == .sound })
    #expect(PlayerError.fileLoadTimeout(title: "a", seconds: 1).kind == .sound)
    let other: [PlayerError] = [.edit(.noNextTrack), .ended, .outputFailed(.lost(cause: "c")), .queueFull(limit: 1)]
    #expect(other.allSatisfy { $0.kind == .other })
  }

  @Test(arguments: 0..<table.count) func `each error has the expected code and recoverability`(row: Int) {
    let (error, code, isRecoverable) = Self.table[row]
    #expect(error.code == code && error.isRecoverable == isRecoverable)
  }

  @Test func `the article about events explains each code, and whether it is recoverable`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/ProsperKit/ProsperKit.docc")
    let article = try String(contentsOf: folder.appending(path: "Events.md"), encoding: .utf8)
    let rows = article.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }.filter { $0.count == 3 }
    for (code, errors) in Dictionary(grouping: Self.table, by: \.1) {
      let row = try #require(rows.first { $0[0].contains("`\(code)`") }, "\(code)")
      let recoverable = Set(errors.map(\.2)).count == 2 ? " both" : " \(errors[0].2)"
      #expect(row[2].hasPrefix(recoverable), "\(code)")
    }
  }

  @Test(arguments: 0..<table.count) func `each error is one readable line`(row: Int) {
    let text = "\(Self.table[row].0)"
    #expect(!text.isEmpty && !text.contains("\n") && !text.contains("PlayerError"))
  }
}
