import Engine
import Markup
import Schedule
import SessionFiles
import Signal
import Sounds
import Synchronization
import Timelines

extension SessionPlan {
  /// Decodes the part of each sound that the session can play, and adds a diagnostic for each damaged sound, each
  /// silent sound, each voice that a gong covers, each overlay that another one cuts off, and a low sample rate.
  /// Generated sounds are not decoded.
  ///
  /// A render reports the same damage at its end. This method uses all processors, and blocks until all sounds are
  /// decoded.
  ///
  /// - Parameter progress: called with the number of decoded files and of all, on any thread; it must not block.
  package mutating func examineSounds(progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }) {
    guard let timeline, let session else { return }
    let library = library
    let reach = timeline.reach
    let files = reach.filter { if case .generated = $0.key.origin { false } else { true } }
    let parts = Dictionary(grouping: files, by: \.key.origin).values.map { uses in
      uses.map { (source: $0.key, seconds: timeline.rate.seconds($0.value)) }
    }
    let count = parts.count
    if 0 < count { progress(0, count) }
    let done = Counter()
    let surveys = Processors.map(parts) { uses in
      let findings = PartSurvey(of: uses, in: library).findings
      progress(done.next(), count)
      return findings
    }
    note(surveys.reduce(into: [:]) { all, findings in all.merge(findings) { first, _ in first } })
    let cues = CueWarnings(timeline, of: session)
    found += LevelChecks(timeline, of: session, loudness).warnings
    found += cues.coveredVoices + cues.replacedOverlays + lowRate(of: session)
  }

  /// A warning of a sample rate with which music sounds dull; none if the file states no such rate.
  private func lowRate(of session: Session) -> [Diagnostic] {
    guard let location = session.sampleRateLocation, let rate = session.sampleRate?.hertz, rate < Self.leastMusicRate
    else { return [] }
    return [
      Diagnostic(
        .warning, .lowSampleRate, location, "'sampleRate' is \(rate), so nothing above \(rate / 2) Hz is heard",
        fix: "write at least \(Self.leastMusicRate), or remove it")
    ]
  }

  /// The sample rate, in hertz, that keeps what most people hear.
  private static let leastMusicRate = 32_000

  /// Adds a diagnostic for each finding, at the first use of the sound.
  private mutating func note(_ findings: [SoundSource: PartSurvey.Finding]) {
    var seen: Set<SoundSource> = []
    for sound in sounds where seen.insert(sound.source).inserted {
      switch findings[sound.source] {
      case .damaged(let error):
        found.append(Diagnostic(error, of: sound.source, at: sound.location))
        if verdict == .playable { verdict = .invalid }
      case .silent:
        found.append(
          Diagnostic(
            .warning, .silentSound, sound.location, "\(sound.source.label): contains only silence", of: sound.source,
            fix: "replace it; for silence, write a stage without tracks"))
      case nil: break
      }
    }
  }
}

extension Timelines.Timeline {
  /// The largest number of frames of each source that the session can play.
  fileprivate var reach: [SoundSource: FrameCount] {
    var reach: [SoundSource: FrameCount] = [:]
    for stage in stages {
      let span = (stage.music.ending?.end ?? stage.end).map { $0 - stage.begin } ?? .endless
      for track in stage.music.tracks { reach[track.source] = max(reach[track.source] ?? 0, min(track.length, span)) }
    }
    for cue in (stages.map(\.cues) + [cues]).joined() { reach[cue.source] = max(reach[cue.source] ?? 0, cue.length) }
    return reach
  }
}

/// Counts what several threads have done.
private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  /// The number of calls, this one included.
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
