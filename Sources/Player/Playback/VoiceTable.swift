import Schedule
import Signal

/// Maps clips to voices, and tracks the clips that are still loading. When the schedule is replaced, it compares clips
/// by their identifiers and determines what each one needs.
struct VoiceTable: Sendable {
  /// What a clip of the schedule needs.
  enum Step: Hashable {
    /// The clip is already loading, or it has failed and does not start again.
    case nothing
    /// The clip has ended; the release of its ducking may still be due.
    case release
    /// The clip keeps its voice, which is commanded again.
    case resume(Int32, Clip)
    /// The clip needs a voice and its sound has to be opened.
    case open(Clip)
  }

  /// The clips that have been sent to the mixer, by voice, until their ends have been heard.
  var playing: [Int32: Clip] = [:]
  /// The clips that are loading.
  var awaited: [LoadID: Clip] = [:]
  /// Clips that failed to open or whose sounds ended early. They do not start again.
  var over: Set<ClipID> = []
  /// The clips that are not opened again.
  var known: Set<ClipID> { over.union(playing.values.map(\.id)).union(awaited.values.map(\.id)) }
  /// Voices to command again after the schedule was replaced.
  private var kept: [ClipID: Int32] = [:]

  /// Keeps the voices of clips that the new schedule contains. A clip that has not begun loses its voice if it would
  /// now start at another position in its sound.
  ///
  /// - Parameters:
  ///   - clips: the clips of the new schedule, as far as they are commanded.
  ///   - origin: the session frame from which the new schedule applies.
  /// - Returns: the voices to release.
  mutating func replace(by clips: [Clip], from origin: FrameTime) -> [Int32] {
    let names = Set(clips.map(\.id))
    let continuing = Dictionary(clips.filter { origin < $0.end }.map { ($0.id, $0) }) { first, _ in first }
    let isKept = { (old: Clip) in
      guard let new = continuing[old.id] else { return false }
      return old.begin < origin || old.begin - old.at == max(new.begin, origin) - new.at
    }
    awaited = awaited.filter { isKept($0.value) }
    over.formIntersection(names)
    let gone = playing.filter { !isKept($0.value) }.keys.sorted()
    for voice in gone { playing[voice] = nil }
    kept = Dictionary(playing.map { ($0.value.id, $0.key) }) { first, _ in first }
    return gone
  }

  /// What `clip` needs now; registers it as playing or loading if it is known.
  mutating func step(for clip: Clip, from origin: FrameTime) -> Step {
    if over.contains(clip.id) { return .nothing }
    if clip.end <= origin { return .release }
    if let voice = kept.removeValue(forKey: clip.id) {
      let entered = playing[voice].map { clip.entered(like: $0) } ?? clip
      playing[voice] = entered
      return .resume(voice, entered)
    }
    if let (id, old) = awaited.first(where: { $0.value.id == clip.id }) {
      awaited[id] = clip.entered(like: old)
      return .nothing
    }
    // A clip that has begun starts in its middle.
    var entered = clip
    if clip.begin < origin { entered.entryFrame = origin }
    return .open(entered)
  }
}

extension Clip {
  /// The clip with the position in the sound at which `old`, an earlier version of it, was opened. A sound that was
  /// opened in its middle has no frames before that position.
  fileprivate func entered(like old: Clip) -> Clip {
    var entered = self
    if old.at < old.begin { entered.entryFrame = at + (old.begin - old.at) }
    return entered
  }
}
