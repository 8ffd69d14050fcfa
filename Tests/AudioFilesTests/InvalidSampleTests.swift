import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// In a file of floating-point samples, only the invalid samples are lost.
@Suite struct InvalidSampleTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private let whole = sweep(40_000)

  private func reading(_ bad: [Int], channels: Int = 2, value: Float = .nan, at rate: SampleRate = .cd) throws
    -> Reading
  {
    let others = [Float](repeating: 0, count: max(0, channels - 2))
    var samples: [Float] = channels == 1 ? whole.map(\.left) : []
    if samples.isEmpty { for frame in whole { samples += [frame.left, frame.right] + others } }
    for frame in bad { samples[frame * channels + frame % channels] = value }
    return try read(folder.write(TestWave.float(samples, channels: channels, rate: 44_100), to: "a.wav"), at: rate)
  }

  @Test(arguments: [1, 2, 50, 220, 3_000, 20_000], [Float.nan, .infinity, -.infinity, 1e20, -65])
  func `successive invalid samples cause a gap of their length`(count: Int, value: Float) throws {
    let bad = Array(10_000..<10_000 + count)
    let reading = try reading(bad, value: value)
    #expect(reading.frames.count == whole.count)
    #expect(gaps(reading.frames, whole) == [10_000..<10_220 + count])
    #expect(isSilent(reading.frames, 10_000..<10_220 + count) && hasNoClick(reading.frames, whole))
    let path = folder.path("a.wav")
    #expect(
      reading.error
        == .damaged(path: path, atSecond: 10_000 / 44_100, cause: "a sample is NaN, infinite or above +36 dBFS"))
    #expect(reading.damage?.frame == 10_000)
  }

  @Test func `the sound between invalid samples is kept`() throws {
    let reading = try reading([4_095, 4_096, 4_200, 20_000, 39_000])
    #expect(gaps(reading.frames, whole) == [4_095..<4_421, 20_000..<20_221, 39_000..<39_221])
    #expect(hasNoClick(reading.frames, whole) && reading.damage?.frame == 4_095)
    #expect(reading.frames.allSatisfy { $0.peak.isFinite })
  }

  @Test func `one invalid channel makes a frame invalid, whatever the number of channels`() throws {
    let mono = try reading([5_000], channels: 1)
    #expect(gaps(mono.frames, whole.map { Frame(mono: $0.left) }) == [5_000..<5_221])
    let six = try reading([], channels: 6).frames
    for frame in 5_000..<5_006 {
      #expect(gaps(try reading([frame], channels: 6).frames, six) == [frame..<frame + 221])
    }
  }

  @Test func `at another rate, the gap is at the same time`() throws {
    let intact = try reading([], at: .studio).frames
    let found = try reading([22_050], at: .studio)
    let gap = try #require(gaps(found.frames, intact, tolerance: 1e-5).first)
    #expect(23_700 <= gap.lowerBound && gap.upperBound < 24_540 && found.damage?.frame == 24_000)
    #expect(gaps(found.frames, intact, tolerance: 1e-5).count == 1 && found.frames.count == intact.count)
  }

  @Test func `a file that contains only invalid samples can't be played`() throws {
    _ = try reading(Array(0..<40_000))
    let path = folder.path("a.wav")
    #expect(
      throws: SourceError.damaged(path: path, atSecond: 0, cause: "a sample is NaN, infinite or above +36 dBFS")
    ) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .cd)
    }
    #expect(try read(path).frames == Array(repeating: .silence, count: 40_000))
  }

  @Test func `a sample at +36 dBFS is valid`() throws {
    let reading = try reading([10_000], value: 64)
    #expect(reading.damage == nil && gaps(reading.frames, whole) == [10_000..<10_001])
  }
}
