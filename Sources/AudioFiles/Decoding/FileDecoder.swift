import Signal
import Sounds
import Synchronization

/// Decodes a file, or a part of one, to stereo frames at the session's rate.
///
/// Reads change only what is under the lock. It is never contended: `entry` and `branch`, which other threads call
/// during reads, don't use it.
final class FileDecoder: Decoder {
  private let line: Mutex<DecodingLine>
  private let sound: ReopenableSound
  private let rates: Conversion.Rates
  /// The first frame that is delivered, from the part's beginning, at the session's rate.
  private let offset: FrameCount

  /// Starts at `offset`, in frames at the session's rate. Returns nil if there is not enough memory.
  convenience init?(
    _ reader: sending any SampleReader, _ part: FilePart, path: String, _ rates: Conversion.Rates,
    _ seam: SoundSeam? = nil, from offset: FrameCount
  ) {
    let sound = ReopenableSound(reader, part, seam, path: path)
    self.init(sound, reader, rates, from: offset)
  }

  private init?(
    _ sound: ReopenableSound, _ reader: sending any SampleReader, _ rates: Conversion.Rates, from offset: FrameCount
  ) {
    let part = PartReader(reader, sound.part, path: sound.path)
    guard let line = DecodingLine(part, rates, sound.seam, from: offset) else { return nil }
    self.line = Mutex(line)
    (self.sound, self.rates, self.offset) = (sound, rates, offset)
  }

  /// The first damage that was found. Its position counts from the first delivered frame, at the session's rate.
  var damage: SoundDamage? {
    guard let (error, first) = line.withLock({ $0.damage }) else { return nil }
    let frame = resampledLength(first, from: rates.source, to: rates.session)
    return SoundDamage(error, atFrame: max(0, frame - offset))
  }

  func entry(from frame: FrameCount) -> FrameCount? {
    guard sound.isExact else { return nil }
    // One thread reads plain samples as fast as they are mixed; another one would only need more reads.
    if rates.source == rates.session { return sound.isPlain ? nil : sound.entry(from: offset + frame) - offset }
    return Conversion.entry(from: offset + frame, rates, sound.seam, in: sound.entry).map { $0 - offset }
  }

  func branch(at frame: FrameCount) -> (any Decoder)? {
    guard sound.isExact, let reader = sound.reopen() else { return nil }
    return FileDecoder(sound, reader, rates, from: offset + frame)
  }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let (count, address) = (frames.count, UInt(bitPattern: frames.baseAddress))
    return line.withLock { line in
      // An address, because the compiler assumes that the line keeps pointers, and rejects them.
      UnsafeMutablePointer<Frame>(bitPattern: address).map { line.read(into: $0, count) } ?? 0
    }
  }
}

/// What is needed to open the sound of a decoder once more.
private struct ReopenableSound {
  let part: FilePart
  /// nil if its rate is not converted, or if it joins no other sound.
  let seam: SoundSeam?
  let path: String
  /// Whether the frames after a seek equal, bit for bit, those of a read from the beginning.
  let isExact: Bool
  /// Whether reading takes less time than mixing.
  let isPlain: Bool
  private let entryStep: Int64
  let reopen: @Sendable () -> (any SampleReader)?

  init(_ reader: any SampleReader, _ part: FilePart, _ seam: SoundSeam?, path: String) {
    (self.part, self.seam, self.path) = (part, seam, path)
    (isExact, isPlain, reopen) = (reader.isExact, reader.format.isPlain, reader.reopen)
    entryStep = reader.entryStep
  }

  /// The first frame of the part from `frame` on to which a seek decodes little before it.
  func entry(from frame: Int64) -> Int64 {
    (part.start + frame + entryStep - 1) / entryStep * entryStep - part.start
  }
}

/// The part of a file, the conversion of its rate, and the copy of a mono channel to both sides.
private final class DecodingLine {
  private let source: PartReader
  /// nil if the file has the session's rate.
  private let conversion: Conversion?
  /// Samples of a mono file, before they are copied to both channels.
  private var scratch: [Float]

  private static let scratchFrames = 4_096

  /// Returns nil if there is not enough memory.
  init?(_ source: PartReader, _ rates: Conversion.Rates, _ seam: SoundSeam?, from offset: FrameCount) {
    self.source = source
    if rates.source == rates.session {
      conversion = nil
      source.seek(to: offset)
    } else {
      source.firstDelivered = Int64(Int128(offset) * Int128(rates.source) / Int128(rates.session))
      guard let conversion = Conversion(rates, of: source, seam, from: offset) else { return nil }
      self.conversion = conversion
    }
    scratch = source.width == 1 ? Array(repeating: 0, count: Self.scratchFrames) : []
  }

  var damage: (error: SourceError, frame: Int64)? { source.damage }

  func read(into frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Int {
    source.width == 1 ? readMono(frames, count) : readStereo(frames, count)
  }

  private func readStereo(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Int {
    frames.withMemoryRebound(to: Float.self, capacity: 2 * count) { pull($0, count) }
  }

  private func readMono(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Int {
    var done = 0
    while done < count {
      let wanted = min(scratch.count, count - done)
      let got = scratch.withUnsafeMutableBufferPointer { scratch in
        guard let base = scratch.baseAddress else { return 0 }
        let got = pull(base, wanted)
        for index in 0..<got { frames[done + index] = Frame(mono: base[index]) }
        return got
      }
      done += got
      if got < wanted { break }
    }
    return done
  }

  /// Reads frames of one or two channels at the session's rate.
  private func pull(_ samples: UnsafeMutablePointer<Float>, _ count: Int) -> Int {
    conversion?.read(from: source, into: samples, frames: count) ?? source.read(into: samples, frames: count)
  }
}
