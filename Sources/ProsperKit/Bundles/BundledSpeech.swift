import Encoding
import Engine
import Signal
import Sounds

/// A spoken text as a sound file with exactly the samples that a session plays.
struct BundledSpeech {
  private let source: SoundSource
  private let library: Sounds
  private let rate: SampleRate

  /// The frames that are decoded at a time.
  private static let blockFrames = 65_536

  init(_ spoken: Spoken, library: Sounds, rate: SampleRate) {
    (source, self.library, self.rate) = (SoundSource(.spoken(spoken)), library, rate)
  }

  /// Writes a WAV file of floating-point numbers, with one channel if both are equal.
  ///
  /// - Parameters:
  ///   - path: where the file is written.
  ///   - name: the path for messages.
  ///   - progress: called with the number of bytes after each block.
  func write(to path: String, knownAs name: String, progress: (Int) -> Void) throws(SessionBundle.Failure) {
    var (isMono, length): (Bool, FrameCount) = (true, 0)
    try decode { block in
      isMono = isMono && block.allSatisfy { $0.left == $0.right }
      length += FrameCount(block.count)
    }
    var delivery = Delivery()
    delivery.channels = isMono ? 1 : nil
    let sink: FileSink
    do throws(SinkError) {
      sink = try FileSink(path: path, encoding: .f32, expectedFrames: length, delivery: delivery)
      try sink.start(at: rate)
    } catch { throw Self.failure(error, name) }
    defer { sink.abandon() }
    try decode { (block) throws(SessionBundle.Failure) in
      do throws(SinkError) { try sink.write(block) } catch { throw Self.failure(error, name) }
      progress(4 * block.count)
    }
    do throws(SinkError) { try sink.finish() } catch { throw Self.failure(error, name) }
  }

  /// Decodes the text once.
  private func decode(
    _ take: (UnsafeBufferPointer<Frame>) throws(SessionBundle.Failure) -> Void
  ) throws(SessionBundle.Failure) {
    let decoder: any Decoder
    do throws(SourceError) { decoder = try library.open(source, at: rate, from: 0) } catch { throw .input(error) }
    var frames = [Frame](repeating: .silence, count: Self.blockFrames)
    while true {
      let count = frames.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
      if let damage = decoder.damage { throw .input(damage.error) }
      if count == 0 { return }
      try frames.withUnsafeBufferPointer { (buffer) throws(SessionBundle.Failure) in
        try take(UnsafeBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  /// The failure with the path that the file is going to have.
  private static func failure(_ error: SinkError, _ name: String) -> SessionBundle.Failure {
    switch error {
    case .cannotCreate(_, let cause): .output(.cannotCreate(path: name, cause: cause))
    case .cannotWrite(_, let cause): .output(.cannotWrite(path: name, cause: cause))
    default: .output(error)
    }
  }
}
