import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds of another rate that follow each other without a gap are converted as one.
@Suite struct SeamTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func write(_ frames: some Collection<Frame>, rate: Int, _ name: String) throws -> SoundSource {
    SoundSource(path: try folder.write(TestWave.float(Array(frames), rate: rate), to: name))
  }

  /// A decoder of the part of a sound from source frame `start` on, and the session frame at which it begins.
  private func open(
    _ source: SoundSource, from start: Int64, _ length: ResampledLength, before: SoundJoin.Predecessor?,
    after: SoundSource?, at offset: FrameCount = 0
  ) throws -> (decoder: any Decoder, at: FrameTime) {
    let begin = ExactFrames(start, from: length.source, to: length.session)
    let join = SoundJoin(delay: begin.fraction, before: before, after: after)
    let rate = try #require(SampleRate(hertz: length.session))
    return (try AudioFileLibrary().open(source, at: rate, from: offset, joined: join), begin.rounded)
  }

  @Test(arguments: [
    (44_100, 48_000, 88_237), (44_100, 48_000, 4_411), (44_100, 48_000, 50_001), (48_000, 44_100, 70_003),
    (22_050, 48_000, 30_011), (96_000, 48_000, 100_001), (11_025, 8_000, 12_345), (44_101, 48_000, 50_000),
  ])
  func `both sides of a split sound equal the whole one`(rate: Int, session: Int, split: Int) throws {
    let frames = TestSound.noise(rate * 3)
    let whole = try write(frames, rate: rate, "whole.wav")
    let (left, right) = try (
      write(frames[..<split], rate: rate, "left.wav"), write(frames[split...], rate: rate, "right.wav")
    )
    let length = ResampledLength(frames: Int64(split), source: rate, session: session)
    let expected = try Reading(
      AudioFileLibrary().open(whole, at: #require(SampleRate(hertz: session)), from: 0)
    ).frames
    let first = try Reading(open(left, from: 0, length, before: nil, after: right).decoder).frames
    let (decoder, at) = try open(right, from: Int64(split), length, before: .init(left, length), after: nil)
    let second = Reading(decoder).frames
    // The schedule plays one up to the beginning of the other; a decoder delivers at least that much.
    #expect(at <= first.count && expected.count <= Int(at) + second.count)
    let joined = first[..<Int(at)] + second.prefix(expected.count - Int(at))
    #expect(joined.count == expected.count)
    #expect(difference(joined, expected) < -114)
  }

  @Test func `a sound that follows itself has no seam, also as a mono file and as a part`() throws {
    let period = TestSound.sine(110, rate: 44_100, count: 22_050, amplitude: 1)
    let samples = (period + period + period).map(\.left)
    let path = try folder.write(TestWave.float(samples, channels: 1, rate: 44_100), to: "mono.wav")
    let loop = SoundSource(path: path, start: 0.5, end: 1)
    let length = ResampledLength(frames: 22_050, source: 44_100, session: 48_000)
    let (decoder, _) = try open(loop, from: 22_050, length, before: .init(loop, length), after: loop)
    let expected = try read(path, at: .studio).frames[24_000..<48_000]
    let found = Reading(decoder).frames.prefix(24_000)
    #expect(found.count == 24_000 && difference(found, expected) < -115)
  }

  @Test func `a decoder of a joined sound delivers the same bits from any frame on, and in branches`() throws {
    let frames = TestSound.noise(44_100 * 9)
    let (left, right) = try (
      write(frames[..<50_001], rate: 44_100, "left.wav"), write(frames[50_001...], rate: 44_100, "right.wav")
    )
    let length = ResampledLength(frames: 50_001, source: 44_100, session: 48_000)
    func decoder(at offset: FrameCount = 0) throws -> any Decoder {
      try open(right, from: 50_001, length, before: .init(left, length), after: left, at: offset).decoder
    }
    let whole = Reading(try decoder()).frames
    for offset in [1, 959, 4_801, 100_000, 376_000] as [FrameCount] {
      let isTail = Reading(try decoder(at: offset), piece: 777).frames == Array(whole[Int(offset)...])
      #expect(isTail, "from \(offset)")
    }
    let original = try decoder()
    for wanted in [0, 30_000] as [FrameCount] {
      let entry = try #require(original.entry(from: wanted))
      let branch = try #require(original.branch(at: entry))
      let isTail = Reading(branch).frames == Array(whole[Int(entry)...])
      #expect(wanted <= entry && isTail, "from \(wanted)")
    }
  }

  @Test func `a neighbour that can't be read is silence`() throws {
    let sound = try write(TestSound.noise(44_100), rate: 44_100, "a.wav")
    let nowhere = SoundSource(path: folder.path("nowhere.wav"))
    let length = ResampledLength(frames: 44_100, source: 44_100, session: 48_000)
    let alone = try read(folder.path("a.wav"), at: .studio).frames
    let (decoder, _) = try open(sound, from: 44_100, length, before: .init(nowhere, length), after: nowhere)
    let reading = Reading(decoder)
    #expect(reading.damage == nil)
    // libsoxr fills its filter in a slightly different way if it begins with the sound.
    #expect(difference(reading.frames[4..<48_000], alone[4...]) < -115)
  }
}
