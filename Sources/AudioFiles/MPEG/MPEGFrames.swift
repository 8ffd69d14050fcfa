import CMpg123
import Glibc
import Sounds

/// Decodes the MPEG frames of a run one by one with libmpg123, and detects damaged ones.
///
/// libmpg123 reads only the frames that a scan has found. MPEG frames have no useful checksum, and libmpg123 reports no
/// errors. Damage is recognised by the output: the sound stops abruptly and zeros follow, or it is much louder than
/// everything before.
///
/// Used by one thread at a time.
final class MPEGFrames {
  /// The result of decoding a frame.
  enum FrameStatus {
    case intact
    /// The frame exists, but can't be decoded.
    case damaged
    /// There is no frame where one should begin, because the file has changed since it was scanned.
    case lost
  }

  private let handle: OpaquePointer
  private let scan: MPEGScan
  private let file: RegularFile
  /// The bytes of the current run.
  private var view: ByteView
  /// The position in the view at which the next frame has to begin; nil after a seek.
  private var expected: Int?
  /// The loudest sample so far, at least full scale.
  private var peak: Float = 1
  /// Whether the sound is inaudible directly before the next frame.
  private var isQuiet = true

  init(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) {
    try CodecLibrary.libmpg123.load(for: file.path)
    guard let handle = mpg123_new(nil, nil) else { throw .unreadable(path: file.path, cause: "out of memory") }
    self.handle = handle
    self.scan = scan
    self.file = file
    view = ByteView(of: file, [])
    guard configure() else { throw .unreadable(path: file.path, cause: "libmpg123 has no 32-bit float samples") }
  }

  deinit {
    mpg123_close(handle)
    mpg123_delete(handle)
  }

  /// Opens a run and moves to its first frame. Returns false if libmpg123 can't.
  func open(_ run: MPEGScan.Run) -> Bool {
    mpg123_close(handle)
    view = ByteView(of: file, run.segments)
    (expected, isQuiet) = (nil, true)
    guard mpg123_open_handle(handle, pointer(to: view)) == MPG123_OK.rawValue else { return false }
    // libmpg123 seeks with these positions. Without them, each seek would read the file from its beginning.
    var marks = run.marks
    if !marks.isEmpty { mpg123_set_index(handle, &marks, Int(MPEGScan.markStep), marks.count) }
    return true
  }

  /// Moves to a frame of the run, counted from its first one. Returns false if libmpg123 can't.
  func seek(to frame: Int64) -> Bool {
    let target = Int(frame) * scan.span
    (expected, isQuiet) = (nil, true)
    return mpg123_seek(handle, target, SEEK_SET) == target
  }

  /// Decodes the next frame to `span` × channels interleaved samples.
  func decode(into samples: inout [Float]) -> FrameStatus {
    let size = samples.count * MemoryLayout<Float>.size
    var done = 0
    let handle = handle
    samples.withUnsafeMutableBytes { bytes in
      while done < size, let base = bytes.baseAddress {
        var count = 0
        let status = mpg123_read(handle, base + done, size - done, &count)
        done += count
        if count == 0, status != MPG123_NEW_FORMAT.rawValue { break }
      }
    }
    guard done == size, isContiguous() else { return .lost }
    let isDamaged = isLoud(samples) || breaksOff(samples)
    // After a damaged frame, a frame of zeros also counts as damaged.
    isQuiet = !isDamaged && endsQuietly(samples[...])
    return isDamaged ? .damaged : .intact
  }

  /// Whether the decoded frame began where the one before it ended.
  private func isContiguous() -> Bool {
    var information = mpg123_frameinfo2()
    guard mpg123_info2(handle, &information) == MPG123_OK.rawValue, information.rate == scan.rate else { return false }
    let position = mpg123_framepos(handle)
    defer { expected = position + Int(information.framesize) }
    return expected == nil || expected == position
  }

  /// The largest valid increase of the peak, 18 dB. The samples of a damaged frame can be around a million.
  private static let mostRise: Float = 8

  /// Whether a frame is far above full scale and above everything before it.
  private func isLoud(_ samples: [Float]) -> Bool {
    var largest: UInt32 = 0
    for sample in samples { largest = max(largest, sample.bitPattern & 0x7FFF_FFFF) }
    guard largest <= (Self.mostRise * peak).bitPattern else { return true }
    peak = max(peak, Float(bitPattern: largest))
    return false
  }

  /// Frames of sound in one half of a layer III frame. libmpg123 may fail to decode only one half.
  private static let granule = 576
  /// 80 dB below full scale. If sound stops at this level, there is no click. Sound that really ends is below this
  /// level in its last sample, because the filters of all layers let it decay.
  private static let quiet: Float = 1e-4

  /// Whether audible sound is followed directly by zeros, which libmpg123 delivers where it can't decode a frame.
  private func breaksOff(_ samples: [Float]) -> Bool {
    let size = min(scan.span, Self.granule) * scan.channels
    var wasQuiet = isQuiet
    for start in stride(from: 0, to: samples.count, by: size) {
      let part = samples[start..<min(start + size, samples.count)]
      if !wasQuiet, part.allSatisfy({ $0 == 0 }) { return true }
      wasQuiet = endsQuietly(part)
    }
    return false
  }

  /// Whether the last sample frame is quiet.
  private func endsQuietly(_ samples: ArraySlice<Float>) -> Bool {
    samples.suffix(scan.channels).allSatisfy { abs($0) < Self.quiet }
  }

  /// The maximum number of frames that are decoded before the target of a seek, to fill the bit reservoir. It holds up
  /// to 511 bytes, and a frame can have as few as 24.
  static let preroll = 32

  /// The number of frames that are decoded before the target of a seek in this file: enough to contain 511 bytes of
  /// sound, and two more that fill the decoder's filters.
  private var preroll: Int {
    // Header, checksum and side information take at most 38 bytes.
    min(Self.preroll, 510 / max(1, scan.smallest - 38) + 3)
  }

  /// The last frame up to `frame` to which a seek is exact if libmpg123 can decode all frames that it decodes before it,
  /// see `MPEGReader.isExact`. Both count from the run's first frame.
  ///
  /// A frame fills 12, 18 or 36 places of the ring, so the place is that of a continuous reading only if decoding begins
  /// after a multiple of 8 frames.
  func exactSeek(before frame: Int64) -> Int64 {
    // For layers I and II, libmpg123 decodes at most two frames before the target.
    let first = frame - Int64(scan.layer == 3 ? preroll : min(preroll, 2))
    return first <= 0 ? frame : frame - first % 8
  }

  /// Configures libmpg123: no messages, 32-bit float samples, input from `view`, and no trimming or skipping.
  private func configure() -> Bool {
    let flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_SKIP_ID3V2.rawValue
    set(MPG123_ADD_FLAGS, Int(flags))
    set(MPG123_REMOVE_FLAGS, Int(MPG123_GAPLESS.rawValue | MPG123_FUZZY.rawValue))
    set(MPG123_PREFRAMES, preroll)
    mpg123_format_none(handle)
    mpg123_format(handle, scan.rate, Int32(scan.channels), Int32(MPG123_ENC_FLOAT_32.rawValue))
    return mpg123_replace_reader_handle(
      handle,
      { data, target, count in
        guard let data, let target else { return 0 }
        return byteView(of: data).read(into: target, count: count)
      },
      { data, offset, whence in data.map { Int(byteView(of: $0).seek(Int64(offset), whence)) } ?? -1 },
      { _ in }) == MPG123_OK.rawValue
  }

  private func set(_ parameter: mpg123_parms, _ value: Int) {
    mpg123_param2(handle, Int32(parameter.rawValue), value, 0)
  }
}
