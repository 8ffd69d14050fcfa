package import Signal
package import Sounds
import Synchronization

/// A library of computed sounds. Their samples show which sound is heard, at which frame and with which gain.
///
/// A source's path is its name in `sounds`.
package struct TestLibrary: SoundLibrary {
  package struct Sound: Sendable {
    package var length: FrameCount
    /// The samples at a frame of the sound.
    package var sample: @Sendable (FrameTime) -> Frame
    /// The frame at which reading fails; nil for an intact sound.
    package var brokenAt: FrameTime?
    package var rate: Int?
    /// The exact length of a sound that joins others. How it joins them is heard in all its samples.
    package var resampled: ResampledLength?
    /// Where reading waits; nil if it never does.
    package var stall: Stall?
    /// The value of all frames if they are equal: then they need not be computed one by one.
    fileprivate var constant: Frame?

    /// A frame at which reads wait until a flag is raised.
    package struct Stall: Sendable {
      var frame: FrameTime
      var flag: Flag

      package init(at frame: FrameTime, until flag: Flag) { (self.frame, self.flag) = (frame, flag) }
    }

    package init(
      length: FrameCount, brokenAt: FrameTime? = nil, rate: Int? = nil, sample: @escaping @Sendable (FrameTime) -> Frame
    ) {
      self.length = length
      self.brokenAt = brokenAt
      self.rate = rate
      self.sample = sample
    }

    /// The same value at every frame: the output is the gain.
    package static func constant(_ value: Float, length: FrameCount) -> Sound {
      var sound = Sound(length: length) { _ in Frame(mono: value) }
      sound.constant = Frame(mono: value)
      return sound
    }

    /// Noise from a seed. No two parts of it are equal, so a sound at the wrong position is always detected.
    package static func noise(seed: UInt64, length: FrameCount, level: Float = 0.25) -> Sound {
      Sound(length: length) { frame in
        Frame(left: level * noise(seed &+ UInt64(frame) &* 2), right: level * noise(seed &+ UInt64(frame) &* 2 &+ 1))
      }
    }

    /// The sound as it is converted together with its neighbours: the fraction of its first frame changes all samples, a
    /// neighbour those up to 40 frames away.
    fileprivate func joined(_ join: SoundJoin?) -> Sound {
      guard let join else { return self }
      var sound = self
      sound.length += 1
      sound.sample = { [sample, length] frame in
        var level: Float = 1 - Float(join.delay.parts(441)) / 2_000
        if let before = join.before, frame < 40 { level -= 0.1 * before.source.level }
        if let after = join.after, length - 40 <= frame { level -= 0.1 * after.level }
        let whole = sample(frame)
        return Frame(left: level * whole.left, right: level * whole.right)
      }
      return sound
    }

    private static func noise(_ index: UInt64) -> Float {
      var z = index &* 0x9E37_79B9_7F4A_7C15
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Float(Int32(truncatingIfNeeded: (z ^ (z >> 31)) >> 40) - 8_388_608) / 8_388_608
    }
  }

  package var sounds: [String: Sound]

  package init(_ sounds: [String: Sound]) { self.sounds = sounds }

  package static func source(_ name: String) -> SoundSource { SoundSource(.file(path: name)) }

  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    let sound = try find(source)
    var facts = SoundFacts(length: sound.length, rate: sound.rate, channels: 2)
    facts.resampled = sound.resampled
    return facts
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    TestDecoder(sound: try find(source), path: source.label, position: offset)
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    TestDecoder(sound: try find(source).joined(join), path: source.label, position: offset)
  }

  private func find(_ source: SoundSource) throws(SourceError) -> Sound {
    guard case .file(let path) = source.origin, let sound = sounds[path] else { throw .missing(path: source.label) }
    return sound
  }
}

extension SoundSource {
  /// A number between 0 and 1 that differs between sounds.
  fileprivate var level: Float { Float(label.utf8.reduce(1) { ($0 * 31 + Int($1)) % 101 }) / 101 }
}

/// Delivers a test sound. As the protocol requires, each read is complete until the end of the sound.
private final class TestDecoder: Decoder {
  private let sound: TestLibrary.Sound
  private let path: String
  private let start: FrameTime
  private let position: Mutex<FrameTime>

  init(sound: TestLibrary.Sound, path: String, position: FrameTime) {
    start = position
    self.sound = sound
    self.path = path
    self.position = Mutex(position)
  }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let end = min(sound.length, sound.brokenAt ?? .endless)
    let (first, count) = position.withLock { position in
      let first = position
      let count = max(0, min(FrameCount(frames.count), end - first))
      position += count
      return (first, Int(count))
    }
    if let stall = sound.stall, stall.frame < first + FrameTime(count) {
      _ = eventually { stall.flag.isRaised }
    }
    if let constant = sound.constant {
      frames[..<count].update(repeating: constant)
    } else {
      for index in 0..<count { frames[index] = sound.sample(first + FrameTime(index)) }
    }
    return count
  }

  func entry(from frame: FrameCount) -> FrameCount? { frame }

  func branch(at frame: FrameCount) -> (any Decoder)? {
    TestDecoder(sound: sound, path: path, position: start + frame)
  }

  /// The damage at `brokenAt`, as soon as a read has reached it.
  var damage: SoundDamage? {
    guard let frame = sound.brokenAt, frame < sound.length, position.withLock({ frame <= $0 }) else { return nil }
    let error = SourceError.damaged(path: path, atSecond: 0, cause: "the test broke it")
    return SoundDamage(error, atFrame: max(0, frame - start))
  }
}
