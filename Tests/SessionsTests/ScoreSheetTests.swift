import Foundation
import GeneratedSounds
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import SessionFiles
@testable import Timelines

/// What each example session does at which second, as its schedule says it, compared with a recorded score sheet.
///
/// `RECORD_SNAPSHOTS=1` rewrites the sheets; read the difference before you commit it.
@Suite struct ScoreSheetTests {
  /// Sound files of three minutes, of which nothing is read.
  private struct Library: SoundLibrary {
    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      guard case .generated = source.origin else {
        return SoundFacts(length: rate.frames(180), rate: rate.hertz, channels: 2)
      }
      return try GeneratedSoundLibrary().probe(source, at: rate)
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      throw .missing(path: source.label)
    }
  }

  @Test(arguments: Examples.good) func `an example session has its recorded score sheet`(_ file: URL) throws {
    var session = try #require(try Examples.read(file).session)
    session.sampleRate = SampleRate(hertz: 8_000)
    let timeline = try Timeline.compile(session, library: Library()).timeline
    let sheet = Self.sheet(of: timeline)
    let recorded = Examples.folder.appending(path: "scores/\(file.lastPathComponent).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try sheet.write(to: recorded, atomically: true, encoding: .utf8)
    }
    #expect(try sheet == String(contentsOf: recorded, encoding: .utf8))
  }

  /// At most the first hour of each run, up to an open stage's first ten minutes, and at most 400 lines.
  private static func sheet(of timeline: Timeline) -> String {
    let (schedule, rate) = (Schedule(timeline.programme), timeline.rate)
    let end = min(schedule.end ?? rate.frames(600), rate.frames(3_600))
    let lines = schedule.events(in: 0..<end).compactMap { at, stage, event -> String? in
      line(event).map { "\(seconds(rate.seconds(at)))  \(stage.map { timeline.stages[$0].name } ?? "-")  \($0)" }
    }
    return lines.prefix(400).map { $0 + "\n" }.joined()
  }

  private static func line(_ event: ScheduleEvent) -> String? {
    switch event {
    case .stageStarted(_, _, let duration): "stage of \(duration.map { seconds($0) } ?? "open length")"
    case .state(.crossfading(_, _, let progress), _) where 0 < progress: nil
    case .state(let state, _):
      ["state \(state.kind.rawValue)", state.currentTrack?.title, state.nextTrack?.title].compactMap(\.self)
        .joined(separator: ", ")
    case .track(let title, let index, let pass, _): "track \(title), \(index), pass \(pass)"
    case .crossfadeStarted(_, _, let duration): "crossfade of \(seconds(duration))"
    case .crossfadeProgress: nil
    case .crossfadePaused, .crossfadeResumed: nil
    case .crossfadeCompleted: "crossfade completed"
    case .crossfadeCancelled: "crossfade cancelled"
    case .overlayStarted(let title): "overlay \(title)"
    case .overlayEnded(let title): "overlay ends, \(title)"
    case .overlayPaused, .overlayResumed: nil
    case .gong(let title): "gong \(title)"
    case .caption(let text, _, let duration): "“\(text)”, \(seconds(duration))"
    }
  }

  private static func seconds(_ value: Double) -> String {
    "\((value * 1_000).rounded() / 1_000)"
  }
}
