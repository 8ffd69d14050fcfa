import Signal
import Sounds
import Synchronization

/// The decoders of the embedding program.
struct CustomDecoders: Sendable {
  let decoders: [any AudioDecoder]

  /// Opens a sound file with the first decoder that supports it; nil if none does.
  func part(of source: SoundSource, at rate: SampleRate) throws(SourceError) -> CustomPart? {
    guard case .file(let path) = source.origin else { return nil }
    for decoder in decoders {
      let opened: (any AudioSource)?
      do { opened = try decoder.open(path: path, sampleRate: rate.hertz) } catch {
        throw .unsupported(path: path, what: "\(error)")
      }
      if let opened { return try CustomPart(of: opened, for: source, path: path, at: rate) }
    }
    return nil
  }
}

/// The part of a custom source that a session plays.
struct CustomPart {
  private let source: any AudioSource
  private let path: String
  private let rate: SampleRate
  /// Where the part begins, in frames of the source.
  private let begin: FrameTime
  /// The length of the part in frames; `.endless` if it has no end.
  private let length: FrameCount

  init(of source: any AudioSource, for named: SoundSource, path: String, at rate: SampleRate) throws(SourceError) {
    (self.source, self.path, self.rate) = (source, path, rate)
    begin = max(0, rate.frames(named.start))
    let whole = source.frameCount.map { max(0, $0) } ?? .endless
    let end = min(whole, named.end.map { rate.frames($0) } ?? .endless)
    guard begin < end || whole == 0 else {
      throw .emptyPart(path: path, start: named.start, length: rate.seconds(end))
    }
    length = end == .endless ? .endless : max(0, end - begin)
  }

  var facts: SoundFacts { SoundFacts(length: length, rate: source.nativeSampleRate, channels: 2) }

  /// A decoder whose first frame is frame `offset` of the part.
  func decoder(from offset: FrameCount) throws(SourceError) -> any Decoder {
    let first = begin + max(0, min(offset, length))
    do { if first != 0 { try source.seek(toFrame: first) } } catch {
      throw .damaged(path: path, atSecond: rate.seconds(first), cause: "\(error)")
    }
    return CustomDecoder(
      source, path: path, at: rate, from: first, count: length == .endless ? .endless : begin + length - first)
  }
}

/// Adapts a source to the engine's protocol: it fills whole buffers, and reports an error as damage.
private final class CustomDecoder: Decoder {
  private struct State {
    /// The next frame of the source.
    var position: FrameTime
    /// Frames until the end of the part; `.endless` if it has no end.
    var left: FrameCount
    var damage: SoundDamage?
  }

  private let source: any AudioSource
  private let path: String
  private let rate: SampleRate
  private let first: FrameTime
  private let state: Mutex<State>

  init(_ source: any AudioSource, path: String, at rate: SampleRate, from first: FrameTime, count: FrameCount) {
    (self.source, self.path, self.rate, self.first) = (source, path, rate, first)
    state = Mutex(State(position: first, left: count))
  }

  var damage: SoundDamage? { state.withLock { $0.damage } }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    state.withLock { state in
      let wanted = Int(min(state.left, FrameCount(frames.count)))
      var filled = 0
      while filled < wanted, state.damage == nil {
        let rest = UnsafeMutableBufferPointer(rebasing: frames[filled..<wanted])
        let count = read(into: rest, &state)
        if count == 0 { break }
        filled += count
      }
      if state.left != .endless { state.left -= FrameCount(filled) }
      return filled
    }
  }

  /// - Returns: the number of filled frames; 0 at the end of the source, and after an error.
  private func read(into frames: UnsafeMutableBufferPointer<Frame>, _ state: inout State) -> Int {
    do {
      let count = try frames.withMemoryRebound(to: StereoFrame.self) { frames in
        var span = frames.mutableSpan
        return max(0, min(try source.read(into: &span), frames.count))
      }
      for index in 0..<count where !frames[index].left.isFinite || !frames[index].right.isFinite {
        frames[index] = .silence
      }
      state.position += FrameTime(count)
      if count == 0, state.left != .endless { state.damage = damage(at: state.position, "the sound ends too early") }
      return count
    } catch {
      state.damage = damage(at: state.position, "\(error)")
      return 0
    }
  }

  private func damage(at frame: FrameTime, _ cause: String) -> SoundDamage {
    SoundDamage(.damaged(path: path, atSecond: rate.seconds(frame), cause: cause), atFrame: frame - first)
  }
}
