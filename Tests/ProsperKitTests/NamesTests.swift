import Dispatch
import Foundation
import Logging
import ProsperKit
import Synchronization
import Testing

/// Every public name, used without its module beside Foundation: a name that clashes does not compile.
@Suite struct NamesTests {
  private let types: [Any.Type] = [
    AudioOutput.self, CacheCommand.self, CacheFigures.self, Caption.self, Command.self, CommandOutcome.self,
    CommandReport.self,
    Compression.self, CrossfadePauseSnapshot.self, Cue.self, Delivery.self, Diagnostic.self, DownloadProgress.self,
    EffectsCommand.self, FinishReason.self,
    GeneratorDescription.self, InvalidCommand.self, Layer.self, LoadFailure.self, LoadID.self, MusicCommand.self,
    IcecastMount.self, SnapcastSource.self, OutputStatus.self,
    OutputChange.self, OverlayCommand.self, OverlayRequest.self, PlayableSession.self, PlaybackResult.self,
    PlayerAction.self, PlayerError.self, PlayerEvent.self, PlayerMoment.self, PlayerState.self, PlayerStatus.self,
    MeasuredSound.self, SessionOrigin.self, PlaylistEdit.self, PublishingTarget.self, PulseOutput.self,
    QueueMetrics.self, Recipe.self, RepeatMode.self,
    ResumeStrategy.self,
    Script.self, ScriptFailure.self, Seek.self, Session.self, SessionFileError.self, SessionPlayer.self,
    SessionParameter.self, SessionReader.self,
    SessionReading.self, SessionWriter.self, Shortfalls.self, SoundFormat.self, SoundLevels.self,
    SoundLoudness.self, SoundSource.self, SoundTags.self,
    SourceError.self, SourceLocation.self, SpeechFailure.self,
    Spoken.self, StampedEvent.self, StereoFrame.self, Timeline.self, Totals.self,
    TrackID.self, TrackInfo.self, TrackPosition.self, UpcomingTrack.self, VolumeStep.self, (any AudioDecoder).self,
    (any AudioSink).self, (any AudioSource).self,
  ]
  /// The part of Signal that belongs to the library.
  private let signal: [Any.Type] = [
    FadeCurve.self, FrameTime.self, Gain.self, Level.self, SampleEncoding.self, SampleRate.self,
  ]

  @Test func `no public name is missing here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appendingPathComponent("Sources")
    // These two are public for the optimiser.
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      path.hasSuffix(".swift") && !path.hasPrefix("Signal/") && !path.hasPrefix("Rings/")
    }
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
