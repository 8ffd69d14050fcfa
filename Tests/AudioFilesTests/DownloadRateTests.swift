import Testing

@testable import AudioFiles

/// Whether a download is fast enough for playback to start before it is complete.
@Suite struct DownloadRateTests {
  /// The bytes of one second of CD sound.
  private static let cd = 176_400.0
  private static let second: Int64 = 1_000_000_000

  /// Whether a download of `bytes` bytes in `seconds` is fast enough, if `before` bytes had been downloaded earlier.
  private func outruns(_ bytes: Int64, in seconds: Double, before: Int64 = 0, rate: Double = cd) -> Bool {
    DownloadRate(bytes: bytes, nanoseconds: Int64(seconds * 1e9), here: before + bytes).outruns(rate)
  }

  @Test func `twice the speed of playback is fast enough, and less is not`() {
    #expect(outruns(3_528_000, in: 10))
    #expect(!outruns(3_527_999, in: 10))
  }

  @Test func `the speed is known only after 256 KiB or half a second`() {
    #expect(!outruns(262_143, in: 0.499_999_999, rate: 1_000))
    #expect(outruns(262_144, in: 0.1, rate: 1_000))
    #expect(outruns(4_000, in: 0.5, rate: 1_000))
  }

  @Test func `two seconds of sound are needed before playback, whenever they arrived`() {
    #expect(!outruns(352_799, in: 0.1))
    #expect(outruns(352_800, in: 0.1))
    #expect(outruns(262_144, in: 0.1, before: 90_656))
    #expect(!outruns(262_144, in: 0.1, before: 90_655))
  }

  @Test func `bytes that were downloaded earlier do not count towards the speed`() {
    #expect(!outruns(100_000, in: 1, before: 10_000_000))
  }
}
