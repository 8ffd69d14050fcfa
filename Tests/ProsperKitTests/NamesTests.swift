import Dispatch
import Foundation
import Logging
import ProsperKit
import Synchronization
import Testing

/// Every public name, used without its module beside Foundation: a name that clashes does not compile.
@Suite struct NamesTests {
  private let types: [Any.Type] = [
    AudioOutput.self, Command.self, CommandOutcome.self, Diagnostic.self, FadeCurve.self, FinishReason.self,
    InvalidCommand.self, PlayerError.self, PlayerEvent.self, PlayerState.self, PlayerStatus.self, PlaylistTrack.self,
    QueueMetrics.self, RepeatMode.self, ResumeStrategy.self, SampleEncoding.self, Session.self, SessionFileError.self,
    SessionPlayer.self, SessionReader.self, SessionReading.self, SessionResult.self, StereoFrame.self, Timeline.self,
    Totals.self, TrackInfo.self, TrackPosition.self, (any AudioDecoder).self, (any AudioSink).self,
    (any AudioSource).self, Compression.self,
  ]

  @Test func `no public name is missing here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appendingPathComponent("Sources/ProsperKit")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let declaration = /^(?:@\w+ )*public (?:final |indirect )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    var names: Set<String> = []
    for path in paths {
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      for line in text.split(separator: "\n") {
        if let match = line.firstMatch(of: declaration) { names.insert(String(match.1)) }
      }
    }
    #expect(names == Set(types.map { "\($0)".replacing("any ", with: "") }))
  }
}
