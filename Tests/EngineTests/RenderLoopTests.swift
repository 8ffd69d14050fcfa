import Engine
import Signal
import TestSupport
import Testing

/// Control sleeps only if a render has changed nothing that control looks at, and never while it can continue.
@Suite struct RenderLoopTests {
  private static let length = 100_000

  /// A render of one sound, whose first frames are decoded at the start.
  private struct Scene: ~Copyable {
    var control: MixerControl
    let sink = CollectingSink()
    let voice: Int32
    var part = VoicePart(begin: 0, length: FrameCount(RenderLoopTests.length), gain: .unity)

    init(_ sound: TestLibrary.Sound, head: Int = 5_000, end: FrameTime) throws {
      control = Engine.start(
        into: sink, at: .cd, from: 0, voices: Engine.Voices(music: 1, overlays: 0, effects: 0),
        RenderOptions()
      ) { _ in }
      control.renderSync.end(at: end)
      let library = TestLibrary(["sound": sound])
      let primed = try PrimedSound(TestLibrary.source("sound"), from: library, at: .cd, offset: 0, priming: head)
      let leased = control.lease(.music)
      voice = try #require(leased)
      part.length = end
      control.start(voice, part, ordinal: 0, from: primed)
    }

    var position: FrameTime { control.renderSync.mixedFrame }
  }

  /// Numbers that the limiter doesn't change.
  private func numbers(stall: Flag? = nil) -> TestLibrary.Sound {
    var sound = TestLibrary.Sound(length: FrameCount(Self.length)) { Frame(mono: Float($0) / 1e6) }
    if let stall { sound.stall = .init(at: 5_000, until: stall) }
    return sound
  }

  @Test func `control sleeps while a decoder is late, and is woken by its sound`() async throws {
    try await onOwnThread {
      let isThere = Flag()
      let scene = try Scene(numbers(stall: isThere), end: 50_000)
      scene.control.renderSync.advance(to: .endless)
      for _ in 1...3 {
        let seconds = scene.control.advance()
        #expect(0 < seconds && seconds < 1 && 4_096 <= scene.position && scene.position <= 5_000)
      }
      isThere.raise()
      #expect(scene.control.renderSync.progress.wait(seconds: Hang.limit))
      scene.control.finishRender()
      let isWhole = scene.sink.frames == (0..<50_000).map { Frame(mono: Float($0) / 1e6) }
      #expect(isWhole)
    }
  }

  @Test func `control sees the frame at which a render waits before it sleeps`() async throws {
    try await onOwnThread {
      let isThere = Flag()
      defer { isThere.raise() }
      let scene = try Scene(numbers(stall: isThere), end: 50_000)
      scene.control.renderSync.advance(to: .endless)
      #expect(0 < scene.control.advance() && scene.control.renderSync.waitingFrame == .min)
      // Nothing more is rendered, but now the render waits for control instead of the decoder.
      scene.control.renderSync.advance(to: scene.position)
      #expect(scene.control.advance() == 0 && scene.control.renderSync.waitingFrame == scene.position)
      #expect(scene.control.advance() == .infinity)
    }
  }

  @Test func `a voice continues after a halt although the render asks for more than the rest of its sound`()
    async throws
  {
    try await onOwnThread {
      var scene = try Scene(numbers(), head: 3_000, end: 3_000)
      scene.control.renderSync.advance(to: 2_100)
      scene.control.finishRender()
      let frame = scene.control.halt()
      #expect(frame == 2_100)
      scene.control.renderSync.end(at: 6_000)
      scene.control.restart(scene.voice, scene.part, at: 2_100)
      scene.control.renderSync.advance(to: .endless)
      while scene.control.advance() == 0 {}
      #expect(scene.sink.frames.count == 6_000 && scene.sink.frames.dropFirst(3_000).allSatisfy { $0 == .silence })
    }
  }
}

extension MixerControl {
  /// Renders as far as was planned, with the same waits as the control loop.
  func finishRender() {
    while case let seconds = advance(), seconds != .infinity { renderSync.progress.wait(seconds: seconds) }
  }
}
