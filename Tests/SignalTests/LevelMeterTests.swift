import Signal
import Testing

struct LevelMeterTests {
  private static func meter(_ frames: [Frame], pieces: Int) -> LevelMeter {
    var meter = LevelMeter(rate: .studio)
    var rest = frames[...]
    while !rest.isEmpty {
      Array(rest.prefix(pieces)).withUnsafeBufferPointer { meter.add($0) }
      rest = rest.dropFirst(pieces)
    }
    return meter
  }

  private static func tone(_ amplitude: Float, _ count: Int) -> [Frame] {
    (0..<count).map { Frame(mono: $0 % 2 == 0 ? amplitude : -amplitude) }
  }

  @Test(arguments: [1, 7, 4_096, 1_000_000])
  func `level and peak do not depend on the pieces in which frames arrive`(pieces: Int) {
    let meter = Self.meter(Self.tone(0.1, 60_000), pieces: pieces)
    #expect(abs(meter.level.decibels + 20) < 0.001 && meter.peak == 0.1)
  }

  @Test func `pauses do not lower the level`() {
    let silence = Array(repeating: Frame.silence, count: 480_000)
    let meter = Self.meter(silence + Self.tone(0.1, 96_000) + silence, pieces: 4_096)
    #expect(abs(meter.level.decibels + 20) < 0.001)
  }

  @Test func `the level of silence, and of no frames, is minus infinity`() {
    #expect(Self.meter([.silence], pieces: 1).level == Level(decibels: -.infinity))
    #expect(LevelMeter(rate: .cd).level == Level(decibels: -.infinity) && LevelMeter(rate: .cd).peak == 0)
  }
}
