package import Signal

/// A sound that is open, with its first frames decoded: it can begin at once.
package struct PrimedSound: Sendable {
  package let decoder: any Decoder
  package let head: [Frame]
  /// The head is all there is.
  package let isWhole: Bool
  /// What is wrong with the head, or why it is all there is.
  let damage: SoundDamage?

  /// How many frames are decoded before a sound is needed: 0.15 s, and enough for the first two pieces of a render, which
  /// begins before the feed has delivered any.
  package static func headLength(at rate: SampleRate) -> Int { max(Int(rate.frames(0.15)), 2 * RenderLoop.piece) }

  /// - Parameter count: how many frames to decode now.
  /// - Throws: what keeps it from being opened, or its first frame from being read.
  package init(
    _ source: SoundSource, from library: any SoundLibrary, at rate: SampleRate, offset: FrameCount, priming count: Int
  ) throws(SourceError) {
    let decoder = try library.open(source, at: rate, from: offset)
    try self.init(decoder, priming: count)
  }

  package init(_ decoder: any Decoder, priming count: Int = 0) throws(SourceError) {
    self.decoder = decoder
    let head = [Frame](unsafeUninitializedCapacity: count) { buffer, filled in
      buffer.initialize(repeating: .silence)
      filled = 0 < count ? decoder.read(into: buffer) : 0
    }
    isWhole = head.count < count
    damage = decoder.damage
    if head.isEmpty, let damage { throw damage.error }
    self.head = head
  }
}
