package import Signal

/// An open sound whose first frames are decoded, so that it can start at once.
package struct PrimedSound: Sendable {
  /// Delivers the frames after `head`.
  package let decoder: any Decoder
  /// The first frames.
  package private(set) var head: [Frame]
  /// Whether the sound ends with its head, so that the decoder has no more frames.
  package let isWhole: Bool
  /// The number of decoded frames before `head` that are skipped.
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
  ///   - count: how many frames to decode now.
  /// - Throws: why the sound can't be opened, or why its first frame can't be decoded.
  package init(
    _ source: SoundSource, from library: any SoundLibrary, at rate: SampleRate, offset: FrameCount, priming count: Int
  ) throws(SourceError) {
    let decoder = try library.open(source, at: rate, from: offset)
    try self.init(decoder, priming: count)
  }

  /// Decodes the first `count` frames of an open sound.
  ///
  /// - Throws: why the first frame can't be decoded.
  package init(_ decoder: any Decoder, priming count: Int = 0) throws(SourceError) {
    self.decoder = decoder
    var head: [Frame] = []
    // An array of no capacity would write to the storage that all empty arrays share.
    if 0 < count {
      head = [Frame](unsafeUninitializedCapacity: count) { buffer, filled in
        buffer.initialize(repeating: .silence)
        filled = decoder.read(into: buffer)
      }
    }
    isWhole = head.count < count
    damage = decoder.damage
    if head.isEmpty, let damage { throw damage.error }
    self.head = head
  }

  /// The sound from `count` frames later on; nil if that leaves less than a voice needs to start, or before the head.
  package func skipping(_ count: FrameCount) -> PrimedSound? {
    guard 0 <= count, count <= head.count - (isWhole ? 1 : Self.least) else { return nil }
    var rest = self
    rest.head.removeFirst(Int(count))
    rest.skipped += count
    return rest
  }

  /// The damage that was found in the head, counted from its first frame; nil if there is none.
  var headDamage: SoundDamage? { damage?.skipping(skipped) }
}
