import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Damaged MP3 files. The number of lost frames is determined from the file's frame count, or from the size of the
/// frames.
@Suite struct MPEGDamageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let modes = [Int(SF_BITRATE_MODE_CONSTANT), Int(SF_BITRATE_MODE_VARIABLE)]

  private struct Made {
    var bytes: [UInt8]
    /// The offset of each frame of sound, and the end.
    var frames: [Int]
    var whole: [Frame]
    var delay: Int

    func sound(_ frame: Int) -> Int { frame * 1_152 - delay }
  }

  /// - Parameter isBare: Whether the frame that states the number of frames is left out.
  private func made(_ mode: Int, isBare: Bool = false, _ sound: [Frame] = sweep(150_000)) throws -> Made {
    let path = try writeMPEG(sound, mode)
    var scanner = MPEGScanner(try RegularFile(path: path))
    let found = scanner.scan(from: 0)
    let segment = try #require(found?.runs.first?.segments.first)
    var bytes = try folder.bytes(of: "a.mp3")
    if isBare { bytes = Array(bytes[Int(segment.offset)..<Int(segment.offset + segment.count)]) }
    var frames = [isBare ? 0 : Int(segment.offset)]
    while let last = frames.last, last + 4 <= bytes.count {
      let bits = bytes[last..<last + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let header = MPEGHeader(bits) else { break }
      frames.append(last + header.size)
    }
    let whole = try read(folder.write(bytes, to: "whole.mp3")).frames
    return Made(bytes: bytes, frames: frames, whole: whole, delay: isBare ? 0 : Int(try #require(found).delay))
  }

  private func writeMPEG(_ sound: [Frame], _ mode: Int) throws -> String {
    var info = SF_INFO()
    (info.format, info.samplerate, info.channels) = (Int32(mp3), 44_100, 2)
    let path = folder.path("a.mp3")
    let handle = try #require(sf_open(path, Int32(SFM_WRITE), &info))
    var mode = Int32(mode)
    sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, 4)
    sf_writef_float(handle, interleaved(sound), Int64(sound.count))
    sf_close(handle)
    return path
  }

  private func reading(_ bytes: [UInt8], from offset: FrameCount = 0) throws -> Reading {
    try read(folder.write(bytes, to: "damaged.mp3"), from: offset)
  }

  /// The maximum number of frames that depend on lost frames, including the delay of the filters.
  private static let most = 12 * 1_152

  private func lacks(_ lost: ClosedRange<Int>, _ made: Made, _ reading: Reading) -> Bool {
    let found = gaps(reading.frames, made.whole)
    guard found.count == 1, let gap = found.first else { return false }
    return gap.lowerBound == made.sound(lost.lowerBound) && made.sound(lost.upperBound + 1) <= gap.upperBound
      && gap.upperBound < made.sound(lost.upperBound + 1) + Self.most
      && reading.frames.count == made.whole.count && reading.damage?.frame == FrameCount(gap.lowerBound)
      && isSilent(reading.frames, gap) && hasNoClick(reading.frames, made.whole)
  }

  @Test(arguments: modes, [1, 3]) func `if the first frames are lost, the file begins with silence`(
    mode: Int, count: Int
  )
    throws
  {
    let made = try made(mode, TestSound.noise(150_000))
    let damaged = made.bytes.damaged(at: made.frames[0], count: made.frames[count - 1] + 30 - made.frames[0])
    let reading = try reading(damaged)
    let found = gaps(reading.frames, made.whole)
    let gap = try #require(found.first)
    #expect(found.count == 1 && gap.lowerBound == 0 && made.sound(count) <= gap.upperBound)
    #expect(gap.upperBound < made.sound(count) + Self.most && isSilent(reading.frames, gap))
    #expect(reading.frames.count == made.whole.count && reading.damage?.frame == 0)
    let later = try self.reading(damaged, from: 20_000)
    let isSame = later.frames == Array(made.whole[20_000...])
    #expect(isSame && later.damage == nil)
  }

  @Test(arguments: modes, ["noise", "sweep"])
  func `only overwritten frames and the frames that depend on them are lost`(mode: Int, sound: String) throws {
    let made = try made(mode, sound == "noise" ? TestSound.noise(150_000) : sweep(150_000))
    for (first, count) in [(20, 1), (50, 2), (60, 30)] {
      let damaged = made.bytes.damaged(
        at: made.frames[first], count: made.frames[first + count - 1] + 30 - made.frames[first])
      let reading = try reading(damaged)
      #expect(
        lacks(first...(first + count - 1), made, reading), "\(gaps(reading.frames, made.whole)) \(made.sound(first))")
    }
  }

  @Test func `without a frame count, the length of a gap is determined from the size of the frames`() throws {
    let made = try made(Self.modes[0], isBare: true)
    for (first, count) in [(20, 1), (60, 30)] {
      let zeros = Array(repeating: UInt8(0), count: made.frames[first + count] - made.frames[first])
      let reading = try reading(
        made.bytes[..<made.frames[first]] + zeros + made.bytes[made.frames[first + count]...])
      #expect(lacks(first...(first + count - 1), made, reading), "\(gaps(reading.frames, made.whole))")
    }
  }

  @Test(arguments: modes) func `separate damaged frames cause separate gaps`(mode: Int) throws {
    let made = try made(mode)
    let reading = try reading(made.bytes.damaged(at: made.frames[20], made.frames[70]))
    let found = gaps(reading.frames, made.whole)
    #expect(found.map(\.lowerBound) == [made.sound(20), made.sound(70)], "\(found)")
    #expect(reading.frames.count == made.whole.count && hasNoClick(reading.frames, made.whole))
  }

  @Test(arguments: modes) func `a reader that starts after a gap reports no damage`(mode: Int) throws {
    let made = try made(mode)
    let damaged = made.bytes.damaged(at: made.frames[40])
    let whole = try reading(damaged).frames
    for offset in [made.sound(41) - 500, made.sound(41) + Self.most, made.sound(100)] {
      let part = try reading(damaged, from: FrameCount(offset))
      #expect(difference(part.frames, whole[offset...]) < -110 && part.frames.count == whole.count - offset)
      #expect((part.damage == nil) == (made.sound(41) < offset))
    }
  }

  @Test(arguments: modes) func `a file that is damaged up to its end is treated as truncated`(mode: Int) throws {
    let made = try made(mode)
    let reading = try reading(made.bytes.damaged(at: made.frames[80], count: made.bytes.count))
    #expect(reading.frames.count == made.sound(80) + 220 && reading.damage?.frame == FrameCount(made.sound(80)))
    #expect(reading.frames[..<made.sound(80)] == made.whole[..<made.sound(80)])
  }

  /// The 32 bytes after the header describe the structure of the frame. With ones in all of them, the frame would need
  /// more bits than it has.
  @Test(arguments: modes) func `only frames that can't be decoded and the next frame are lost`(mode: Int) throws {
    let made = try made(mode)
    for (first, count) in [(20, 1), (50, 2), (60, 30)] {
      var damaged = made.bytes
      for frame in made.frames[first..<first + count] { damaged.replaceSubrange(frame + 4..<frame + 36, with: ones) }
      let reading = try reading(damaged)
      #expect(
        gaps(reading.frames, made.whole) == [made.sound(first)..<made.sound(first + count + 1) + 220],
        "\(gaps(reading.frames, made.whole)) \(made.sound(first))")
      #expect(lacks(first...(first + count - 1), made, reading))
    }
  }

  private let ones = [UInt8](repeating: 255, count: 32)

  @Test(arguments: modes) func `a reader that starts near an undecodable frame gets the frames of a continuous reader`(
    mode: Int
  ) throws {
    let made = try made(mode)
    var damaged = made.bytes
    damaged.replaceSubrange(made.frames[40] + 4..<made.frames[40] + 36, with: ones)
    let whole = try reading(damaged).frames
    for offset in [made.sound(40) - 1, made.sound(40) + 100, made.sound(41) + 100, made.sound(42), made.sound(43)] {
      let part = try reading(damaged, from: FrameCount(offset))
      let settled = max(offset, made.sound(42) + 220)
      #expect(difference(part.frames[(settled - offset)...], whole[settled...]) < -110, "\(offset)")
      #expect(part.frames.count == whole.count - offset)
      #expect((part.damage == nil) == (made.sound(42) <= offset), "\(offset)")
    }
  }

  /// MPEG frames have no checksum, so damage that can't be distinguished from sound is played. It affects only a few
  /// frames.
  @Test(arguments: modes)
  func `whatever a frame contains, the sound neither stops abruptly nor becomes far too loud`(mode: Int) throws {
    let made = try made(mode)
    var reported = 0
    for seed in UInt64(1)...40 {
      let noise = TestSound.noise(4, seed: seed).flatMap { [$0.left, $0.right] }.map { UInt8(128 + 400 * $0) }
      let place = made.frames[40] + 4 + Int(seed) % 28
      var damaged = made.bytes
      damaged.replaceSubrange(place..<place + 8, with: noise)
      let reading = try reading(damaged)
      let (before, after) = (made.sound(40), made.sound(41) + Self.most)
      // The decoder's rounding depends on how many granules it has decoded.
      let isSame =
        reading.frames[..<before] == made.whole[..<before]
        && difference(reading.frames[after...], made.whole[after...]) < -110
      let peak = reading.frames.map(\.peak).max() ?? 0
      let breakOff = breakOff(of: reading.frames)
      #expect(
        isSame && peak <= 8 && breakOff == nil,
        "seed \(seed) \(gaps(reading.frames, made.whole, tolerance: 1e-5)) \(before)")
      if reading.damage != nil { reported += 1 }
    }
    #expect(10 < reported)
  }

  @Test(arguments: modes) func `sound far above full scale does not count as damaged`(mode: Int) throws {
    let loud = sweep(100_000).map { Frame(left: 10 * $0.left, right: 10 * $0.right) }
    #expect(try reading(made(mode, loud).bytes).damage == nil)
  }

  @Test(arguments: modes) func `sound that stops abruptly and begins again does not count as damaged`(mode: Int) throws
  {
    let noise = TestSound.noise(200_000)
    let bursts = noise.enumerated().map { index, frame in index / 1_900 % 3 == 0 ? frame : .silence }
    #expect(try reading(made(mode, bursts).bytes).damage == nil)
  }

  /// The first frame at which sound stops abruptly and half an MPEG frame of silence follows; nil if there is none.
  private func breakOff(of frames: [Frame]) -> Int? {
    var silent = 0
    for (index, frame) in frames.enumerated() {
      silent = frame == .silence ? silent + 1 : 0
      if silent == 500, silent < index, 0.01 < frames[index - silent].peak { return index - silent }
    }
    return nil
  }
}
