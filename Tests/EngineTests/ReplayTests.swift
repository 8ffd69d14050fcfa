import Engine
import Signal
import Testing

/// What a live output has stored of the sound that may not have been heard.
@Suite struct ReplayTests {
  private let rate = SampleRate(hertz: 8_000) ?? .studio

  /// Stores frames with these numbers as their levels.
  private func store(_ numbers: Range<Int>, in replay: inout Replay) {
    numbers.map { Frame(mono: Float($0)) }.withUnsafeBufferPointer { replay.append($0) }
  }

  private func numbers(_ frames: [Frame]) -> [Float] { frames.map(\.left) }

  @Test func `what was not heard is sent again with a fade-in, unless nothing was heard`() {
    // The fade-in lasts 160 frames.
    var replay = Replay(seconds: 0.1, at: rate)
    store(1..<501, in: &replay)
    #expect(replay.restart(heard: 10) == 10)
    let unheard = replay.unheard(from: 10)
    #expect(numbers(unheard) == (11..<501).map(Float.init))
    let faded = unheard.withUnsafeBufferPointer { replay.faded($0, at: 10) }.map(numbers)
    #expect(faded?.first == 0 && faded?[80] == 45.5)
    #expect(faded?.dropFirst(160) == numbers(unheard).dropFirst(160))
    #expect(unheard.withUnsafeBufferPointer { replay.faded($0, at: 170) } == nil)
    #expect(replay.unheard(from: 0).count == 500)
    #expect(unheard.withUnsafeBufferPointer { replay.faded($0, at: 0) } == nil)
  }

  @Test func `frames after a rewind play until others replace them, but not after an outage`() {
    var replay = Replay(seconds: 0.0125, at: rate)
    store(0..<50, in: &replay)
    replay.rewind(to: 20, sent: 50)
    #expect(replay.isRewound && replay.next == 20 && replay.end == 50)
    store(120..<130, in: &replay)
    #expect(!replay.isRewound && replay.next == 30 && replay.end == 30 && replay.furthest == 50)
    let expected = Array(15..<20) + Array(120..<130) + Array(30..<35)
    #expect(numbers(replay[15..<35]) == expected.map(Float.init))
    #expect(numbers(replay.unheard(from: 28)) == [128, 129] && replay.furthest == 30)
    replay.rewind(to: 25, sent: 30)
    #expect(replay.restart(heard: 28) == 25 && numbers(replay.unheard(from: 25)) == [])
  }

  @Test func `late frames crossfade from those that they replace`() {
    // The crossfade lasts 160 frames, from 300 to 460.
    var replay = Replay(seconds: 0.1, at: rate)
    store(0..<500, in: &replay)
    replay.rewind(to: 200, sent: 500)
    replay.crossfade(at: 300)
    var heard: [Float] = []
    for _ in 0..<4 {
      let block = Array(repeating: Frame(mono: 1_000), count: 80)
      let mixed = block.withUnsafeBufferPointer { replay.crossfaded($0) ?? Array($0) }
      mixed.withUnsafeBufferPointer { replay.append($0) }
      heard += numbers(mixed)
    }
    #expect(heard[..<101] == (200..<301).map(Float.init)[...])
    #expect(heard[180] == 690 && heard[200] > 800 && heard[260...].allSatisfy { $0 == 1_000 })
    #expect(zip(heard[100...], heard[101...]).allSatisfy { $0 <= $1 && $1 - $0 < 10 })
    #expect(numbers(replay[200..<520]) == heard)
    // The next rewind has no crossfade.
    replay.rewind(to: 400, sent: 520)
    #expect([Frame.silence].withUnsafeBufferPointer { replay.crossfaded($0) } == nil)
  }

  @Test func `only the last frames are stored, and a rewind ends at the first of them`() {
    var replay = Replay(seconds: 0.0125, at: rate)
    store(0..<250, in: &replay)
    #expect(replay.oldest == 150 && replay.restart(heard: 20) == 150)
    replay.rewind(to: 20, sent: 250)
    #expect(replay.next == 150 && numbers(replay.unheard(from: 150)) == [])
  }

  @Test func `silence after the last frame that can't be replaced any more becomes part of the sound`() {
    var replay = Replay(seconds: 0.0125, at: rate)
    store(1..<21, in: &replay)
    replay.rewind(to: 25, sent: 40)
    #expect(replay.next == 25 && numbers(replay[18..<25]) == [19, 20, 0, 0, 0, 0, 0])
    // The output has received nothing after the last frame.
    replay.rewind(to: 30, sent: 25)
    #expect(replay.next == 25)
  }
}
