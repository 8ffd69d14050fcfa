import Schedule
import Signal

/// Which clip has which voice, and which is still being opened. When the schedule is replaced, it compares clips by their
/// names alone, and says what each one needs.
struct VoiceTable: Sendable {
  /// What a clip of the schedule needs.
  enum Step: Hashable {
    /// It is being opened already, or it has failed and does not begin again.
    case nothing
    /// It has ended, and only the music may still have to come forward again.
    case release
    /// It continues on the voice that it has.
    case resume(Int32, Clip)
    case open(Clip)
  }

  /// What has been commanded, by voice, until its end has been heard.
  var playing: [Int32: Clip] = [:]
  /// What is being opened, by its ticket.
  var awaited: [Int: Clip] = [:]
  /// Clips that failed to open, or whose sounds ended early: they do not begin again.
  var over: Set<ClipID> = []
  /// Voices that have to be commanded again since the schedule was replaced.
  private var kept: [ClipID: Int32] = [:]

  /// Keeps what another schedule still names, but for what has yet to begin and would now begin elsewhere in its sound.
  ///
  /// - Parameters:
  ///   - clips: of the new schedule, as far as it is commanded.
  ///   - origin: the frame from which on it holds.
  /// - Returns: the voices whose clips are gone.
  mutating func replace(by clips: [Clip], from origin: FrameTime) -> [Int32] {
    let names = Set(clips.map(\.id))
    let sounding = Dictionary(clips.filter { origin < $0.end }.map { ($0.id, $0) }) { first, _ in first }
    let isKept = { (old: Clip) in
      guard let new = sounding[old.id] else { return false }
      return old.begin < origin || old.begin - old.at == max(new.begin, origin) - new.at
    }
    awaited = awaited.filter { isKept($0.value) }
    over.formIntersection(names)
    let gone = playing.filter { !isKept($0.value) }.keys.sorted()
    for voice in gone { playing[voice] = nil }
    kept = Dictionary(playing.map { ($0.value.id, $0.key) }) { first, _ in first }
    return gone
  }

  mutating func step(for clip: Clip, from origin: FrameTime) -> Step {
    if over.contains(clip.id) { return .nothing }
    if clip.end <= origin { return .release }
    var entered = clip
    if let voice = kept.removeValue(forKey: clip.id) {
      // The first frame of the sound that the voice has stays the same; a session that was resumed begins in its middle.
      if let old = playing[voice], old.at < old.begin { entered.enters = clip.at + (old.begin - old.at) }
      playing[voice] = entered
      return .resume(voice, entered)
    }
    // What has begun is entered in its middle.
    if clip.begin < origin { entered.enters = origin }
    guard let ticket = awaited.first(where: { $0.value.id == clip.id })?.key else { return .open(entered) }
    awaited[ticket] = entered
    return .nothing
  }
}
