import Engine
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

struct MixerControlTests {
  @Test func `commands for which the ring has no room are still executed at their frames`() throws {
    let sink = CollectingSink()
    let ended = Mutex(false)
    // The ring has room for far fewer commands than there are.
    var mixerControl = Engine.start(
      into: sink, at: .cd, from: 0, voices: Engine.Voices(music: 1, overlays: 0, effects: 0),
      RenderOptions(blockLength: 64)
    ) { _ in ended.withLock { $0 = true } }
    mixerControl.renderSync.end(at: 10_000)
    let library = TestLibrary(["whole": .constant(0.5, length: 10_000)])
    let sound = try PrimedSound(SoundSource(.file(path: "whole")), from: library, at: .cd, offset: 0, priming: 1_000)
    let leased = mixerControl.lease(.music)
    let voice = try #require(leased)
    mixerControl.start(voice, VoicePart(begin: 0, length: 10_000, gain: .unity), ordinal: 0, from: sound)
    for step in 1...400 { mixerControl.master(level(step), at: FrameTime(20 * step)) }
    #expect(mixerControl.sendRest() < 8_000)
    while case let rest = mixerControl.sendRest(), rest != .endless {
      mixerControl.renderSync.advance(to: rest)
      mixerControl.finishRender()
    }
    mixerControl.renderSync.advance(to: .endless)
    mixerControl.finishRender()
    #expect(ended.withLock { $0 })
    let levels = sink.frames.map(\.left)
    #expect(levels.count == 10_000)
    let wanted = (0..<10_000).map { frame in frame < 20 ? 0.5 : 0.5 * Float(min(400, frame / 20)) / 400 }
    #expect(levels.indices.first { 1e-6 < abs(levels[$0] - wanted[$0]) } == nil)
  }

  @Test func `a render whose thread can't be started ends with the cause`() {
    let ended = Mutex<SinkError?>(nil)
    var mixerControl = Engine.start(
      into: CollectingSink(), at: .cd, from: 0, voices: Engine.Voices(music: 1, overlays: 0, effects: 0),
      RenderOptions(blockLength: 64), on: { _ in false }
    ) { failure in ended.withLock { $0 = failure } }
    let failure = ended.withLock { $0 }
    let next = mixerControl.halt()
    #expect(failure == .noThread && next == nil)
    #expect(failure.map { "\($0)".contains("another thread") } == true)
  }

  private func level(_ step: Int) -> Fade {
    let gain = Float(step) / 400
    return Fade(from: gain, to: gain, start: FrameTime(20 * step), length: 0, curve: .linear)
  }
}
