import Engine
import Player
import Testing

@Suite struct AudioPlayerErrorTests {
  /// Error, its code, and the contexts in which trying again may help: general, crossfade, preparing, resuming.
  static let table: [(AudioPlayerError, String, String)] = [
    (.invalidState(current: "idle", attempted: "seek"), "invalidState", "----"),
    (.noActiveTrack, "noActiveTrack", "----"), (.emptyPlaylist, "emptyPlaylist", "----"),
    (.invalidPlaylistIndex(index: 3, count: 3), "invalidPlaylistIndex", "----"), (.noNextTrack, "noNextTrack", "----"),
    (.noPreviousTrack, "noPreviousTrack", "----"), (.noSuchStage(name: "A", known: ["B"]), "noSuchStage", "----"),
    (.noValidTracksInPlaylist, "noValidTracksInPlaylist", "----"),
    (.skipFailed(reason: "3 of 5 failed", underlying: .missing(path: "a.mp3")), "skipFailed", "-cp-"),
    (.fileLoadFailed(.missing(path: "a.mp3")), "fileNotFound", "gcpr"),
    (.fileLoadFailed(.empty(path: "a.mp3")), "invalidFormat", "----"),
    (.fileLoadFailed(.unreadable(path: "a.mp3", cause: "x")), "fileLoadFailed", "----"),
    (.fileLoadTimeout(title: "a", seconds: 5), "fileLoadTimeout", "gcpr"),
    (.invalidConfiguration(reason: "x"), "invalidConfiguration", "----"), (.queueFull(limit: 3), "queueFull", "gcpr"),
    (.ended, "sessionEnded", "----"),
    (.outputFailed(.noServer(cause: "x")), "engineStartFailed", "gcpr"),
    (.outputFailed(.lost(cause: "x")), "sessionConfigurationFailed", "gcpr"),
    (.outputFailed(.cannotWrite(path: "o.wav", cause: "full")), "outputFailed", "----"),
  ]

  @Test(arguments: 0..<table.count) func `each error has a code, and is worth another try or not`(row: Int) {
    let (error, code, contexts) = Self.table[row]
    #expect(error.code == code)
    #expect(String(zip("gcpr", RecoveryContext.allCases).map { error.isRecoverable(in: $1) ? $0 : "-" }) == contexts)
    #expect(error.recoverable == contexts.hasPrefix("g"))
  }

  @Test(arguments: 0..<table.count) func `each error is one line that a person can read`(row: Int) {
    let text = "\(Self.table[row].0)"
    #expect(!text.isEmpty && !text.contains("\n") && !text.contains("AudioPlayerError"))
  }

  @Test func `what is told of an error is its code, its words and whether to try again`() {
    let problem = PlayerProblem(.queueFull(limit: 3))
    #expect(
      problem
        == PlayerProblem(
          code: "queueFull", message: "3 commands wait already; try again in a moment", recoverable: true))
    #expect(PlayerProblem(SourceError.missing(path: "a.mp3")).code == "fileNotFound")
  }
}
