import Signal
import Sounds
import Synchronization

/// Delivers a spoken text: its sentences and pauses, one after the other. It never holds more than one sentence.
final class SpokenDecoder: Decoder {
  /// Opens the sentence that is a part of the script, by the number of the part, at one of its frames.
  typealias Opening = @Sendable (Int, FrameCount) throws(SourceError) -> any Decoder

  private struct State {
    var position: FrameTime
    /// The part that contains the position.
    var part: Int
    /// The decoder of that part, at the position; nil if it is not open.
    var decoder: (any Decoder)?
    var damage: SoundDamage?
  }

  private let layout: SpokenLayout
  private let frames: Range<FrameTime>
  private let opening: Opening
  private let state: Mutex<State>

  /// - Parameter frames: those that are delivered.
  init(_ script: SpokenScript, _ layout: SpokenLayout, _ frames: Range<FrameTime>, opening: @escaping Opening) {
    (self.layout, self.frames, self.opening) = (layout, frames, opening)
    state = Mutex(State(position: frames.lowerBound, part: layout.part(at: frames.lowerBound)))
  }

  /// Opens the first sentence, if the sound begins with one.
  func begin() throws(SourceError) {
    let result: Result<Void, SourceError> = state.withLock { state in
      Result { () throws(SourceError) in try open(&state) }
    }
    try result.get()
  }

  var damage: SoundDamage? { state.withLock { $0.damage } }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let (count, address) = (frames.count, UInt(bitPattern: frames.baseAddress))
    return state.withLock { state in
      // An address, because the compiler assumes that the state keeps pointers, and rejects them.
      UnsafeMutablePointer<Frame>(bitPattern: address).map { read(into: $0, count, &state) } ?? 0
    }
  }

  private func read(into frames: UnsafeMutablePointer<Frame>, _ count: Int, _ state: inout State) -> Int {
    var done = 0
    while done < count, state.position < self.frames.upperBound, state.part < layout.parts.count {
      let end = min(layout.parts[state.part].end, self.frames.upperBound)
      let wanted = Int(min(FrameCount(count - done), end - state.position))
      fill(UnsafeMutableBufferPointer(start: frames + done, count: wanted), &state)
      (state.position, done) = (state.position + FrameCount(wanted), done + wanted)
      if state.position == layout.parts[state.part].end { (state.part, state.decoder) = (state.part + 1, nil) }
    }
    return done
  }

  /// Fills frames that lie in one part. What can't be read is silent.
  private func fill(_ frames: UnsafeMutableBufferPointer<Frame>, _ state: inout State) {
    var count = 0
    if layout.parts[state.part].sentence != nil {
      do throws(SourceError) {
        try open(&state)
        count = state.decoder?.read(into: frames) ?? 0
        if let found = state.decoder?.damage { note(found.error, &state) }
      } catch { note(error, &state) }
    }
    frames[count...].update(repeating: .silence)
  }

  private func note(_ error: SourceError, _ state: inout State) {
    if state.damage == nil { state.damage = SoundDamage(error, atFrame: state.position - frames.lowerBound) }
  }

  /// Opens the sentence at the position; does nothing within a pause, or if it is open.
  private func open(_ state: inout State) throws(SourceError) {
    guard state.decoder == nil, layout.parts.indices.contains(state.part),
      let sentence = layout.parts[state.part].sentence
    else { return }
    let start = layout.sentences[sentence].begin
    state.decoder = try opening(state.part, state.position - start)
  }
}
