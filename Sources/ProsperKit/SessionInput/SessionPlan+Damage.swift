import Dispatch
import Engine
import Schedule
import Sessions
import Signal
import Synchronization

extension SessionPlan {
  /// Decodes the part of each sound that the session can play, and adds a diagnostic for each damaged one. Generated
  /// sounds can't be damaged.
  ///
  /// A render reports the same damage at its end. This method uses all processors, and blocks until all sounds are
  /// decoded.
  package mutating func noteDamage() {
    guard let timeline else { return }
    let library = library
    let reach = timeline.reach
    let files = reach.keys.filter { if case .generated = $0.origin { false } else { true } }
    let found = Mutex<[SoundSource: SourceError]>([:])
    DispatchQueue.concurrentPerform(iterations: files.count) { index in
      let source = files[index]
      let seconds = timeline.rate.seconds(reach[source] ?? 0)
      guard let damage = damage(of: source, upTo: seconds, library) else { return }
      found.withLock { $0[source] = damage }
    }
    note(found.withLock { $0 })
  }

  /// Adds a diagnostic for each damaged sound at its first use.
  private mutating func note(_ damage: [SoundSource: SourceError]) {
    var seen: Set<SoundSource> = []
    for sound in sounds where seen.insert(sound.source).inserted {
      guard let error = damage[sound.source] else { continue }
      diagnostics.append(Sessions.Diagnostic(error, in: path, at: sound.location))
      if verdict == .playable { verdict = .invalid }
    }
    diagnostics.sort { $0.location < $1.location }
  }
}

extension Sessions.Timeline {
  /// The largest number of frames of each source that the session can play.
  fileprivate var reach: [SoundSource: FrameCount] {
    var reach: [SoundSource: FrameCount] = [:]
    for stage in stages {
      let span = (stage.music.ending?.end ?? stage.end).map { $0 - stage.begin } ?? .endless
      for track in stage.music.tracks { reach[track.source] = max(reach[track.source] ?? 0, min(track.length, span)) }
    }
    for cue in stages.flatMap(\.cues) + cues { reach[cue.source] = max(reach[cue.source] ?? 0, cue.length) }
    return reach
  }
}

/// Decodes a sound at its own sample rate, because resampling can't detect damage.
private func damage(of source: SoundSource, upTo seconds: Double, _ library: any SoundLibrary) -> SourceError? {
  do throws(SourceError) {
    // The rate of the probe does not matter: only the sound's own rate is used.
    let own = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
    let decoder = try library.open(source, at: own, from: 0)
    return damage(of: decoder, upTo: own.frames(seconds))
  } catch {
    return error
  }
}

/// Decodes up to the end, up to `count` frames, or up to the first damage.
private func damage(of decoder: any Decoder, upTo count: FrameCount) -> SourceError? {
  var piece = Array(repeating: Frame.silence, count: 16_384)
  var left = count
  while 0 < left, decoder.damage == nil {
    let wanted = Int(min(left, FrameCount(piece.count)))
    let done = piece.withUnsafeMutableBufferPointer {
      decoder.read(into: UnsafeMutableBufferPointer(rebasing: $0[..<wanted]))
    }
    left -= FrameCount(done)
    if done < wanted { break }
  }
  return decoder.damage?.error
}
