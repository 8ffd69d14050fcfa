import Engine
import Schedule
import Signal

/// Maps clips to voices, and tracks the clips that are still loading. When the schedule is replaced, it compares clips
/// by their identifiers and determines what each one needs.
struct VoiceTable: Sendable {
  /// What a clip of the schedule needs.
  enum Step: Hashable {
    /// The clip has failed, or its sound has ended early. It does not start again.
    case over
    /// The clip is already loading.
    case awaited(Clip)
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
  /// now start at another position in its sound, or join another sound. One that has begun keeps it: only its last
  /// milliseconds differ.
  ///
  /// - Parameters:
  ///   - clips: the clips of the new schedule, as far as they are commanded.
  ///   - origin: the session frame from which the new schedule applies.
  ///   - renewed: the clips that have begun and get a new voice, see `outdated`.
  /// - Returns: the voices to release.
  mutating func replace(by clips: [Clip], from origin: FrameTime, renewing renewed: Set<ClipID> = []) -> [Int32] {
    let names = Set(clips.map(\.id))
    let continuing = Dictionary(clips.filter { origin < $0.end }.map { ($0.id, $0) }) { first, _ in first }
    let isKept = { (old: Clip) in
      guard let new = continuing[old.id], !renewed.contains(old.id) else { return false }
      return old.begin < origin
        || old.begin - old.at == max(new.begin, origin) - new.at && old.join == new.join
    }
    awaited = awaited.filter { isKept($0.value) }
    over.formIntersection(names)
    let gone = playing.filter { !isKept($0.value) }.keys.sorted()
    for voice in gone { playing[voice] = nil }
    kept = Dictionary(playing.map { ($0.value.id, $0.key) }) { first, _ in first }
    return gone
  }

  /// The clips that have a voice and now join another sound than before. Their sounds have to be opened again to be
  /// converted as if that had been planned.
  func outdated(by clips: some Sequence<Clip>, from origin: FrameTime) -> [Clip] {
    let joins = Dictionary(playing.values.map { ($0.id, $0.join) }) { first, _ in first }
    return clips.filter { clip in origin < clip.end && joins[clip.id].map { $0 != clip.join } ?? false }
  }

  /// What `clip` needs now; registers it as playing or loading if it is known.
  mutating func step(for clip: Clip, from origin: FrameTime) -> Step {
    if over.contains(clip.id) { return .over }
    if clip.end <= origin { return .release }
    if let voice = kept.removeValue(forKey: clip.id) {
      let entered = playing[voice].map { clip.entered(like: $0) } ?? clip
      playing[voice] = entered
      return .resume(voice, entered)
    }
    if let (id, old) = awaited.first(where: { $0.value.id == clip.id }) {
      let entered = clip.entered(like: old)
      awaited[id] = entered
      return .awaited(entered)
    }
    return .open(clip.entered(at: origin))
  }
}

extension Clip {
  var part: VoicePart {
    VoicePart(
      begin: begin, length: length == .endless ? .endless : end - begin, gain: gain, fadeIn: fadeIn, fadeOut: fadeOut,
      leave: leave, ramp: ramp)
  }

  /// The clip with the position in the sound at which `old`, an earlier version of it, was opened. A sound that was
  /// opened in its middle has no frames before that position.
  fileprivate func entered(like old: Clip) -> Clip {
    var entered = self
    if old.at < old.begin { entered.entryFrame = at + (old.begin - old.at) }
    return entered
  }
}
