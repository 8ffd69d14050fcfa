import CMpg123
import Engine
import Glibc

/// Decodes the frames of a run one after the other by libmpg123, which sees nothing but the frames that a scan has found,
/// and tells which of them don't hold what was encoded.
///
/// MPEG frames have no check sum that is worth the name, and libmpg123 tells of nothing. What it leaves where a frame makes
/// no sense can be told from sound, though: it breaks off into zeros, or it is louder than anything ever was.
final class MPEGFrames {
  enum Verdict {
    case sound
    /// The frame is there, but its content is no sound.
    case damaged
    /// There is no frame where one has to be: the file has changed since it was scanned.
    case lost
  }

  private let handle: OpaquePointer
  private let scan: MPEGScan
  private let file: RegularFile
  private var view: ByteView
  /// Where in the view the next frame has to begin; nil behind a jump.
  private var expected: Int?
  /// Full scale, or the loudest that has come.
  private var peak: Float = 1
  /// Whether it is silent where the next frame begins.
  private var isQuiet = true

  init(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) {
    guard let handle = mpg123_new(nil, nil) else { throw .unreadable(path: file.path, cause: "out of memory") }
    self.handle = handle
    self.scan = scan
    self.file = file
    view = ByteView(of: file, [])
    guard configure() else { throw .unreadable(path: file.path, cause: "libmpg123 refuses 32 bit samples") }
  }

  deinit {
    mpg123_close(handle)
    mpg123_delete(handle)
  }

  /// Goes to the first frame of a run.
  func show(_ run: MPEGScan.Run) -> Bool {
    mpg123_close(handle)
    view = ByteView(of: file, run.stretches)
    (expected, isQuiet) = (nil, true)
    return mpg123_open_handle(handle, pointer(to: view)) == MPG123_OK.rawValue
  }

  /// Goes to a frame of the run, counted from its first one.
  func go(to frame: Int64) -> Bool {
    let target = Int(frame) * scan.span
    (expected, isQuiet) = (nil, true)
    return mpg123_seek(handle, target, SEEK_SET) == target
  }

  /// Decodes the next frame: span × channels samples.
  func decode(into samples: inout [Float]) -> Verdict {
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
    guard done == size, isInPlace() else { return .lost }
    let isDamaged = isLoud(samples) || breaksOff(samples)
    // Zeros behind such a frame go on breaking the sound off.
    isQuiet = !isDamaged && endsQuietly(samples[...])
    return isDamaged ? .damaged : .sound
  }

  /// Whether the frame that has been decoded began where the one before it ended.
  private func isInPlace() -> Bool {
    var information = mpg123_frameinfo2()
    guard mpg123_info2(handle, &information) == MPG123_OK.rawValue, information.rate == scan.rate else { return false }
    let place = mpg123_framepos(handle)
    defer { expected = place + Int(information.framesize) }
    return expected == nil || expected == place
  }

  /// 18 dB: numbers without sense go to a million.
  private static let mostRise: Float = 8

  /// Whether it is far above full scale and all that came before.
  private func isLoud(_ samples: [Float]) -> Bool {
    var largest: UInt32 = 0
    for sample in samples { largest = max(largest, sample.bitPattern & 0x7FFF_FFFF) }
    guard largest <= (Self.mostRise * peak).bitPattern else { return true }
    peak = max(peak, Float(bitPattern: largest))
    return false
  }

  /// Half of a frame of layer III, which may be given up alone.
  private static let granule = 576
  /// 80 dB below full scale: what breaks off there is no click. Sound that ends is further down in its last sample before
  /// silence, for the filters of all layers let it die away.
  private static let quiet: Float = 1e-4

  /// Whether zeros follow on sound at once, as where libmpg123 gives up a frame.
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

  private func endsQuietly(_ samples: ArraySlice<Float>) -> Bool {
    samples.suffix(scan.channels).allSatisfy { abs($0) < Self.quiet }
  }

  /// The frames before the one that is sought fill the bit reservoir: up to 511 bytes, of frames as small as 24 bytes.
  static let preroll = 32

  private func configure() -> Bool {
    let flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_SKIP_ID3V2.rawValue
    set(MPG123_ADD_FLAGS, Int(flags))
    set(MPG123_REMOVE_FLAGS, Int(MPG123_GAPLESS.rawValue | MPG123_FUZZY.rawValue))
    set(MPG123_PREFRAMES, Self.preroll)
    mpg123_format_none(handle)
    mpg123_format(handle, scan.rate, Int32(scan.channels), Int32(MPG123_ENC_FLOAT_32.rawValue))
    return mpg123_replace_reader_handle(
      handle,
      { data, target, count in
        guard let data, let target else { return 0 }
        return byteView(behind: data).read(into: target, count: count)
      },
      { data, offset, whence in data.map { Int(byteView(behind: $0).seek(Int64(offset), whence)) } ?? -1 },
      { _ in }) == MPG123_OK.rawValue
  }

  private func set(_ parameter: mpg123_parms, _ value: Int) {
    mpg123_param2(handle, Int32(parameter.rawValue), value, 0)
  }
}
