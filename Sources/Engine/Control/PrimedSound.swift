package import Signal

/// A sound that is open, with its first frames decoded: it can begin at once.
package struct PrimedSound: Sendable {
  package let decoder: any Decoder
  package let head: [Frame]
  /// The head is all there is.
  package let isWhole: Bool
  /// Why it ends within the head, if it isn't by itself.
  let failure: SourceError?

  /// - Parameter count: how many frames to decode now.
  /// - Throws: what keeps it from being opened, or its first frames from being read.
  package init(
    _ source: SoundSource, from library: any SoundLibrary, at rate: SampleRate, offset: FrameCount, priming count: Int
  ) throws(SourceError) {
    let decoder = try library.open(source, at: rate, from: offset)
    try self.init(decoder, priming: count)
  }

  package init(_ decoder: any Decoder, priming count: Int = 0) throws(SourceError) {
    self.decoder = decoder
    var head = Array(repeating: Frame.silence, count: count)
    var filled = 0
    if 0 < count {
      var failure: SourceError?
      filled = head.withUnsafeMutableBufferPointer { buffer in
        do throws(SourceError) { return try decoder.read(into: buffer) } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
    }
    isWhole = filled < count
    failure = filled < count ? Self.trailingFailure(of: decoder) : nil
    head.removeLast(count - filled)
    self.head = head
  }

  /// A damaged source delivers what it has and says so on the read after it.
  static func trailingFailure(of decoder: any Decoder) -> SourceError? {
    var one = Frame.silence
    return withUnsafeMutablePointer(to: &one) { pointer in
      do throws(SourceError) {
        _ = try decoder.read(into: UnsafeMutableBufferPointer(start: pointer, count: 1))
        return nil
      } catch {
        return error
      }
    }
  }
}
