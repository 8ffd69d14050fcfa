import Testing

@testable import AudioFiles

/// When a sound comes fast enough to be played meanwhile.
struct ArrivalPaceTests {
  /// Bytes that a second of CD takes.
  private static let cd = 176_400.0
  private static let second: Int64 = 1_000_000_000

  /// So many bytes in so many seconds, beside those that were here before.
  private func outruns(_ bytes: Int64, in seconds: Double, before: Int64 = 0, rate: Double = cd) -> Bool {
    ArrivalPace(bytes: bytes, nanoseconds: Int64(seconds * 1e9), here: before + bytes).outruns(rate)
  }

  @Test func `twice as fast as it plays is fast enough, and less is not`() {
    #expect(outruns(3_528_000, in: 10))
    #expect(!outruns(3_527_999, in: 10))
  }

  @Test func `nothing is said of the first 256 kB within half a second`() {
    #expect(!outruns(262_143, in: 0.499_999_999, rate: 1_000))
    #expect(outruns(262_144, in: 0.1, rate: 1_000))
    #expect(outruns(4_000, in: 0.5, rate: 1_000))
  }

  @Test func `two seconds of it are here before it begins, whenever they came`() {
    #expect(!outruns(352_799, in: 0.1))
    #expect(outruns(352_800, in: 0.1))
    #expect(outruns(262_144, in: 0.1, before: 90_656))
    #expect(!outruns(262_144, in: 0.1, before: 90_655))
  }

  @Test func `what was here before says nothing of how fast the rest comes`() {
    #expect(!outruns(100_000, in: 1, before: 10_000_000))
  }
}
