import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Files that a program has written to a pipe, so that it could not go back to the header and state a length there.
@Suite struct PipedFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let kinds: [[String]] = [
    ["wav", "ac3"], ["wav", "eac3"], ["wav", "wmav2"], ["wav", "g726"], ["w64", "ac3"], ["w64", "flac"],
    ["w64", "adpcm_yamaha"], ["avi", "ac3"], ["avi", "aac"], ["avi", "libmp3lame"], ["avi", "flac"], ["rm", "ac3"],
  ]

  @Test(arguments: kinds) func `it plays like one that was written to a disk`(kind: [String]) throws {
    let isNarrow = kind[1] == "g726"
    let source = try folder.write(
      TestWave.stereo(TestSound.noise(33_000), rate: isNarrow ? 8_000 : 44_100), to: "source.wav")
    let options = ["-c:a", kind[1]] + (isNarrow ? ["-ac", "1"] : []) + ["-f", kind[0]]
    let path = try encode(source, options, to: "a", in: folder)
    let whole = try PlainReading(openReader(RegularFile(path: path), scans: .init()))
    let line = "exec ffmpeg -v error -i \(source) \(options.joined(separator: " ")) - | cat > \(folder.path("b"))"
    _ = try output(of: "/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin"], mustSucceed: true)
    let piped = try openReader(RegularFile(path: folder.path("b")), scans: .init())
    let reading = PlainReading(piped)
    #expect(!piped.format.isTruncated && reading.gaps.isEmpty)
    #expect(32_000 <= reading.samples.count / piped.format.channels)
    // A header that is complete may state that some of the encoder's last frames are no sound.
    let count = whole.samples.count
    #expect(reading.samples.prefix(count).elementsEqual(whole.samples) && reading.samples.count - count < 8_192)
  }

  @Test func `PCM that libsndfile does not decode is decoded by libavcodec`() throws {
    let frames = TestSound.noise(3_000)
    #expect(try read(encode(frames, ["-c:a", "pcm_s64le"], to: "a.wav", in: folder)).frames == frames)
  }
}
