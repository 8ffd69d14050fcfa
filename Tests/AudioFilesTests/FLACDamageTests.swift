import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// If a FLAC file is damaged, only the damaged blocks are lost, and all others keep their positions.
@Suite struct FLACDamageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let block = 4_096
  private static let fade = 220

  /// Makes a FLAC file of a sound. Returns its bytes and the frames that are read from it.
  private func made(_ frames: [Frame] = sweep(120_000)) throws -> (bytes: [UInt8], whole: [Frame]) {
    let path = try write(frames, to: folder.path("a.flac"), format: flac, rate: 44_100)
    return (try folder.bytes(of: "a.flac"), try read(path).frames)
  }

  private func path(_ bytes: [UInt8]) throws -> String { try folder.write(bytes, to: "b.flac") }

  /// The offsets at which the FLAC frames begin.
  private func blocks(_ bytes: [UInt8]) throws -> [Int] {
    let file = try RegularFile(path: path(bytes))
    let blocks = try #require(FLACBlocks(file))
    return try (0..<30).map { number in
      Int(try #require(blocks.entry(before: FrameCount(number * Self.block))).offset)
    }
  }

  @Test(arguments: [true, false]) func `if fifty bytes are damaged, one block is lost`(isNoise: Bool) throws {
    let (bytes, whole) = try made(isNoise ? TestSound.noise(120_000) : sweep(120_000))
    for part in 1..<12 {
      let reading = try read(path(bytes.damaged(at: bytes.count * part / 12)))
      let gap = try #require(gaps(reading.frames, whole).first)
      #expect(gaps(reading.frames, whole).count == 1 && reading.frames.count == whole.count)
      #expect(gap.lowerBound % Self.block == 0 && gap.count <= Self.block + Self.fade)
      #expect(isSilent(reading.frames, gap) && hasNoClick(reading.frames, whole))
      #expect(reading.damage?.frame == FrameCount(gap.lowerBound))
      let second = Double(gap.lowerBound) / 44_100
      #expect(reading.error == .damaged(path: folder.path("b.flac"), atSecond: second, cause: Self.cause))
    }
  }

  static let cause = "the data can't be decoded there"

  @Test func `if the header of a block is damaged, the block before it is still played`() throws {
    let (bytes, whole) = try made()
    let path = try path(bytes.damaged(at: blocks(bytes)[10], count: 4))
    for piece in [100, 4_096, 50_000] {
      #expect(gaps(try read(path, piece: piece).frames, whole) == [10 * Self.block..<11 * Self.block + Self.fade])
    }
    let inside = try read(path, from: FrameCount(9 * Self.block + 10))
    #expect(inside.frames == Array(try read(path).frames[(9 * Self.block + 10)...]))
  }

  @Test func `separate damaged blocks cause separate gaps`() throws {
    let (bytes, whole) = try made()
    let starts = try blocks(bytes)
    var damaged = bytes
    for number in stride(from: 3, to: 27, by: 4) { damaged = damaged.damaged(at: starts[number] + 100) }
    let reading = try read(path(damaged))
    let expected = stride(from: 3, to: 27, by: 4).map { $0 * Self.block..<($0 + 1) * Self.block + Self.fade }
    #expect(gaps(reading.frames, whole) == expected)
    #expect(hasNoClick(reading.frames, whole) && reading.damage?.frame == FrameCount(3 * Self.block))
  }

  @Test func `two successive damaged blocks cause one gap, however they are damaged`() throws {
    let (bytes, whole) = try made()
    let starts = try blocks(bytes)
    let zeros = bytes[..<starts[8]] + Array(repeating: 0, count: starts[10] - starts[8]) + bytes[starts[10]...]
    for damaged in [Array(zeros), bytes.damaged(at: starts[8], count: starts[10] - starts[8])] {
      let reading = try read(path(damaged))
      #expect(gaps(reading.frames, whole) == [8 * Self.block..<10 * Self.block + Self.fade])
      #expect(isSilent(reading.frames, 8 * Self.block..<10 * Self.block + Self.fade))
    }
  }

  @Test func `if the last seconds of a file are damaged or missing, the sound fades out there`() throws {
    let (bytes, whole) = try made()
    let start = try blocks(bytes)[20]
    for damaged in [bytes.damaged(at: start + 9, count: bytes.count), Array(bytes[..<(start + 9)])] {
      let reading = try read(path(damaged))
      let gap = 20 * Self.block
      #expect(reading.frames.count == gap + Self.fade)
      #expect(reading.frames[..<gap] == whole[..<gap] && reading.damage?.frame == FrameCount(gap))
      #expect(hasNoClick(reading.frames + [.silence], whole))
    }
  }

  @Test func `if the first block is damaged, only a part that begins after it can be played`() throws {
    let (bytes, whole) = try made()
    let path = try path(bytes.damaged(at: blocks(bytes)[0] + 50))
    #expect(throws: SourceError.damaged(path: path, atSecond: 0, cause: Self.cause)) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .cd)
    }
    #expect(try AudioFileLibrary().probe(SoundSource(path: path, start: 1), at: .cd).length == 75_900)
    let reading = try read(path, start: 1)
    #expect(reading.frames == Array(whole[44_100...]) && reading.damage == nil)
    #expect(gaps(try read(path).frames, whole) == [0..<Self.block + Self.fade])
  }

  @Test(arguments: [1, 5]) func `missing blocks cause a gap of their length`(count: Int) throws {
    let (bytes, whole) = try made()
    let blocks = try blocks(bytes)
    let path = try path(Array(bytes[..<blocks[10]] + bytes[blocks[10 + count]...]))
    for piece in [100, 4_000, 4_096, 50_000] {
      let reading = try read(path, piece: piece)
      #expect(gaps(reading.frames, whole) == [10 * Self.block..<(10 + count) * Self.block + Self.fade], "\(piece)")
      #expect(reading.frames.count == whole.count && reading.damage?.frame == FrameCount(10 * Self.block))
      #expect(hasNoClick(reading.frames, whole))
    }
  }

  @Test func `silence between sounds is not a gap`() throws {
    let bursts = sweep(120_000).enumerated().map { $0 / 4_096 % 3 == 0 ? $1 : .silence }
    let (bytes, whole) = try made(bursts)
    let reading = try read(path(bytes))
    let isSame = reading.frames == whole
    #expect(isSame && reading.damage == nil)
  }

  @Test func `a file that was cut out of another one and kept its block numbers begins with its first block`() throws {
    let (bytes, whole) = try made()
    let blocks = try blocks(bytes)
    let path = try path(Array(bytes[..<blocks[0]] + bytes[blocks[10]...]))
    let expected = Array(whole[(10 * Self.block)...])
    #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == FrameCount(expected.count))
    for offset in [0, 100, 5 * Self.block, 60_000] {
      let reading = try read(path, from: FrameCount(offset))
      let isSame = reading.frames == Array(expected[offset...])
      #expect(isSame && reading.damage == nil, "\(offset)")
    }
  }

  @Test func `a reader that starts after a gap reports no damage, and one that starts in it fades in`() throws {
    let (bytes, whole) = try made()
    let path = try path(bytes.damaged(at: blocks(bytes)[10] + 50))
    let after = try read(path, from: FrameCount(11 * Self.block))
    #expect(after.frames == Array(whole[(11 * Self.block)...]) && after.damage == nil)
    let inside = try read(path, from: FrameCount(11 * Self.block - 1_000))
    let expected = Array(whole[(11 * Self.block - 1_000)...])
    #expect(gaps(inside.frames, expected) == [0..<1_000 + Self.fade] && inside.damage?.frame == 0)
    #expect(isSilent(inside.frames, 0..<1_000 + Self.fade) && inside.frames[0] == .silence)
    let before = try read(path, from: FrameCount(9 * Self.block))
    #expect(before.damage?.frame == FrameCount(Self.block))
    #expect(before.frames == Array(try read(path).frames[(9 * Self.block)...]))
  }

  @Test func `the size of the reads does not change the frames`() throws {
    let (bytes, _) = try made()
    let path = try path(bytes.damaged(at: bytes.count / 3, bytes.count / 2))
    for rate in [SampleRate.cd, .studio] {
      let whole = try read(path, at: rate).frames
      for piece in [100, 4_095, 50_000] { #expect(try read(path, at: rate, piece: piece).frames == whole) }
    }
  }

  @Test func `at another rate, the gap is at the same time and the rest is unchanged`() throws {
    let (bytes, _) = try made()
    let whole = try read(folder.path("a.flac"), at: .studio).frames
    let path = try path(bytes.damaged(at: blocks(bytes)[10] + 50))
    let reading = try read(path, at: .studio)
    #expect(reading.frames.count == whole.count)
    let start = Int(resampledLength(Int64(10 * Self.block), from: 44_100, to: 48_000))
    let end = Int(resampledLength(Int64(11 * Self.block + Self.fade), from: 44_100, to: 48_000))
    #expect(reading.damage?.frame == FrameCount(start))
    // The resampler's filter extends over both ends of the gap.
    let found = try #require(gaps(reading.frames, whole, tolerance: 1e-5).first)
    #expect(start - 300 <= found.lowerBound && found.upperBound <= end + 300)
    #expect(gaps(reading.frames, whole, tolerance: 1e-5).count == 1 && hasNoClick(reading.frames, whole))
    let after = try read(path, at: .studio, from: FrameCount(end + 300))
    #expect(after.damage == nil && difference(after.frames, whole[(end + 300)...]) < -110)
  }

  @Test(arguments: [1, 6]) func `gaps in mono and in six channels are concealed as in stereo`(channels: Int) throws {
    let samples = sweep(60_000).flatMap { Array(repeating: $0.left, count: channels) }
    let path = try write(samples, to: folder.path("a.flac"), format: flac, rate: 44_100, channels: channels)
    let whole = try read(path).frames
    let bytes = try folder.bytes(of: "a.flac")
    let reading = try read(self.path(bytes.damaged(at: bytes.count / 2)))
    let gap = try #require(gaps(reading.frames, whole).first)
    #expect(gap.lowerBound % Self.block == 0 && gap.count <= Self.block + Self.fade)
    #expect(gaps(reading.frames, whole).count == 1 && hasNoClick(reading.frames, whole))
  }

  @Test func `a damaged file that does not state its length keeps its length`() throws {
    var (bytes, whole) = try made()
    bytes[21] &= 0xF0
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    let path = try path(bytes.damaged(at: blocks(bytes)[10] + 50))
    #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == 120_000)
    let reading = try read(path)
    #expect(gaps(reading.frames, whole) == [10 * Self.block..<11 * Self.block + Self.fade])
    #expect(reading.frames.count == 120_000 && reading.damage?.frame == FrameCount(10 * Self.block))
  }

  /// The file contains a valid header, repeated many times without blocks.
  @Test func `the time to search through headers without blocks grows no more than linearly`() throws {
    let (bytes, _) = try made()
    let starts = try blocks(bytes)
    let header = Array(bytes[starts[12]..<starts[12] + 8])
    let took = try [100_000, 200_000].map { count in
      let trap = Array(repeating: header, count: count).flatMap { $0 }
      let begin = processorTime()
      let reading = try read(path(bytes[..<(starts[5] + 100)] + trap + bytes[starts[6]...]))
      #expect(reading.damage != nil)
      return processorTime() - begin
    }
    #expect(took[1] < took[0] * 3)
  }
}
