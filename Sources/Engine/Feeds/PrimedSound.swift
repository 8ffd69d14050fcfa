package import Rings
package import Signal
package import Sounds

/// An open sound whose first frames are decoded, so that it can start at once.
package struct PrimedSound: Sendable {
  /// Delivers the frames after `head`; nil if the sound has no more.
  package let decoder: (any Decoder)?
  /// The first frames; none if the sound is in memory.
  package private(set) var head: [Frame]
  /// All frames of a sound that is in memory, of which the first `skipped` are not played.
  private let whole: SharedElements<Frame>?
  /// The number of decoded frames that are skipped.
  private(set) var skipped: FrameCount = 0
  /// The damage that was found in the skipped frames and the head, as the decoder counts.
  private let damage: SoundDamage?

  /// How many frames are needed to start a sound: two pieces of the render loop, because the voice may start before its
  /// feed has delivered anything.
  private static let least = 2 * RenderLoop.piece
  /// How many frames are decoded before a sound starts. A relative seek may start it up to 0.1 s later than it was
  /// opened for.
  package static func headLength(at rate: SampleRate) -> Int { least + Int(rate.frames(0.1)) }

  /// Opens a sound and decodes its beginning. Waits for the disk or the network.
  ///
  /// - Parameters:
  ///   - offset: frames to skip, at `rate`.
  ///   - join: how it joins the sounds before and after it.
  ///   - count: how many frames to decode now.
  /// - Throws: why the sound can't be opened, or why its first frame can't be decoded.
  package init(
    _ source: SoundSource, from library: any SoundLibrary, at rate: SampleRate, offset: FrameCount,
    joined join: SoundJoin? = nil, priming count: Int
  ) throws(SourceError) {
    let decoder = try library.open(source, at: rate, from: offset, joined: join)
    try self.init(decoder, priming: count)
  }

  /// Decodes the first `count` frames of an open sound.
  ///
  /// - Throws: why the first frame can't be decoded.
  package init(_ decoder: any Decoder, priming count: Int = 0) throws(SourceError) {
    whole = nil
    var head: [Frame] = []
    // An array of no capacity would write to the storage that all empty arrays share.
    if 0 < count {
      head = [Frame](unsafeUninitializedCapacity: count) { buffer, filled in
        buffer.initialize(repeating: .silence)
        filled = decoder.read(into: buffer)
      }
    }
    self.decoder = head.count < count ? nil : decoder
    damage = decoder.damage
    if head.isEmpty, let damage { throw damage.error }
    self.head = head
  }

  /// A sound that is in memory, from frame `offset` on.
  ///
  /// - Throws: why its first frame can't be decoded.
  package init(_ sound: DecodedSound, from offset: FrameCount) throws(SourceError) {
    (decoder, head, whole) = (nil, [], sound.frames)
    (skipped, damage) = (offset, sound.damage)
    if sound.frames.count <= offset, let damage { throw damage.error }
  }

  /// The sound from `count` frames later on; nil if that leaves less than a voice needs to start, or before the head.
  package func skipping(_ count: FrameCount) -> PrimedSound? {
    let most =
      whole.map { FrameCount($0.count) - skipped - 1 } ?? FrameCount(head.count - (decoder == nil ? 1 : Self.least))
    guard 0 <= count, count <= most else { return nil }
    var rest = self
    if whole == nil { rest.head.removeFirst(Int(count)) }
    rest.skipped += count
    return rest
  }

  /// Makes the ring of a voice deliver the sound as far as it is decoded.
  func begin(in ring: inout RingWriter<Frame>) {
    if let whole { return ring.lend(whole, from: Int(skipped)) }
    ring.rewind()
    head.withUnsafeBufferPointer { head in
      if let base = head.baseAddress { _ = ring.write(base, count: head.count) }
    }
    if decoder == nil { ring.close() }
  }

  /// The damage that was found in the head, counted from its first frame; nil if there is none.
  var headDamage: SoundDamage? { damage?.skipping(skipped) }
}

/// All frames of a sound, which several voices can play at the same time.
package struct DecodedSound: Sendable {
  package typealias Frames = SharedElements<Frame>

  package let frames: Frames
  /// The number of frames that the sound should have.
  package let length: FrameCount
  /// The first damage of the sound; nil if it is intact.
  package let damage: SoundDamage?

  package init(_ frames: Frames, length: FrameCount, damage: SoundDamage?) {
    (self.frames, self.length, self.damage) = (frames, length, damage)
  }

  /// Decodes a sound to its end.
  ///
  package init(_ decoder: any Decoder, length: FrameCount) {
    self.length = length
    frames = SharedElements(capacity: Int(length)) { decoder.read(into: $0) }
    damage = decoder.damage
  }
}
