import Dispatch
import Engine
import Schedule
import Sessions
import Signal
import Synchronization

extension SessionPlan {
  /// Decodes each sound but the built-in ones once, as far as the session can come to play it, and notes what is damaged:
  /// what a render would tell at its end, and end with 65.
  mutating func noteDamage(library: any SoundLibrary = Sounds()) {
    guard let timeline else { return }
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

  private mutating func note(_ damage: [SoundSource: SourceError]) {
    var told: Set<SoundSource> = []
    for sound in sounds where told.insert(sound.source).inserted {
      guard let error = damage[sound.source] else { continue }
      diagnostics.append(Diagnostic(error, in: path, at: sound.place))
      if status == .finished { status = .invalidData }
    }
    diagnostics.sort { $0.place < $1.place }
  }
}

extension Timeline {
  /// How many frames of each source can be heard at most.
  fileprivate var reach: [SoundSource: FrameCount] {
    var reach: [SoundSource: FrameCount] = [:]
    for stage in stages {
      let span = (stage.music.departure?.end ?? stage.end).map { $0 - stage.begin } ?? .endless
      for track in stage.music.tracks { reach[track.source] = max(reach[track.source] ?? 0, min(track.length, span)) }
    }
    for cue in stages.flatMap(\.cues) + cues { reach[cue.source] = max(reach[cue.source] ?? 0, cue.length) }
    return reach
  }
}

/// Reads a sound at its own rate, which is a matter of decoding alone.
private func damage(of source: SoundSource, upTo seconds: Double, _ library: any SoundLibrary) -> SourceError? {
  do throws(SourceError) {
    let own = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
    let decoder = try library.open(source, at: own, from: 0)
    return damage(of: decoder, upTo: own.frames(seconds))
  } catch {
    return error
  }
}

/// Reads to the end or up to `count` frames, or to the first damage.
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
