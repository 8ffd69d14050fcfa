import Foundation
import Signal
import TestSupport
import Testing

/// Gapless tracks whose rate is not the session's sound like one file.
@Suite struct GaplessTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func write(_ frames: some Collection<Frame>, rate: Int = 44_100, _ name: String) throws {
    try Data(TestWave.float(Array(frames), rate: rate)).write(to: URL(fileURLWithPath: scratch.path(name)))
  }

  private func session(_ stage: String, _ name: String) throws -> String {
    try scratch.write(
      name, "prosper: 1\ntitle: T\nsampleRate: 48000\nvolume: 0.5\nstages:\n  - {name: A, \(stage)}\n")
  }

  /// Renders one stage.
  private func render(_ stage: String, _ options: [String] = []) async throws -> [Frame] {
    let run = try await Prosper.run(
      ["play", session(stage, "s.yaml"), "-o", scratch.path("s.wav"), "--encoding", "f32"] + options, in: scratch)
    #expect(run.status == 0, "\(run.err)")
    return try FloatWave(at: scratch.path("s.wav")).frames
  }

  private func difference(_ a: [Frame], _ b: [Frame]) -> Float {
    zip(a, b).map { max(abs($0.left - $1.left), abs($0.right - $1.right)) }.max() ?? 0
  }

  private let cosine = (0..<132_300).map { Frame(mono: Float(cos(2 * .pi * 110 * Double($0) / 44_100))) }

  @Test(arguments: [88_237, 44_101, 5_003])
  func `a cosine in two files sounds like one`(split: Int) async throws {
    try write(cosine, "whole.wav")
    try write(cosine[..<split], "a.wav")
    try write(cosine[split...], "b.wav")
    let (whole, parts) = try await (render("tracks: [whole.wav]"), render("tracks: [a.wav, b.wav]"))
    #expect(whole.count == 144_000 && parts.count == whole.count && difference(whole, parts) < 2e-6)
    let seconds = Double(split) / 44_100
    let cut = try await render("tracks: [{file: whole.wav, end: \(seconds)}, {file: whole.wav, start: \(seconds)}]")
    #expect(cut.count == whole.count && difference(whole, cut) < 2e-6)
  }

  @Test func `seamless loops have no seam`() async throws {
    // Half a second, and neither half a whole number of frames of the session.
    let loop = cosine[..<22_050]
    try write(loop, "loop.wav")
    try write(loop[..<10_001], "a.wav")
    try write(loop[10_001...], "b.wav")
    try write(Array(repeating: loop, count: 4).joined().map { $0 }, "long.wav")
    let long = try await render("tracks: [long.wav]")
    for stage in ["tracks: [loop.wav], repeat: track", "tracks: [a.wav, b.wav], repeat: playlist"] {
      let looped = try await render(stage + ", repeatCount: 3")
      #expect(looped.count == long.count && difference(long, looped) < 2e-6, "\(stage)")
    }
  }

  @Test func `an overlay that repeats without a delay has no seam, also after a pause`() async throws {
    let loop = cosine[..<22_050]
    try write(loop, "loop.wav")
    try write(Array(repeating: loop, count: 6).joined().map { $0 }, "long.wav")
    let stage = "duration: 3s, overlays: [{sound: "
    let script = try scratch.write(
      "s.json",
      """
      [{"at": 0.7, "do": {"do": "overlay", "op": "pause"}}, {"at": 0.9, "do": {"do": "overlay", "op": "resume"}}]
      """)
    for options in [[], ["--script", script]] {
      let long = try await render(stage + "long.wav, at: 10ms}]", options)
      let looped = try await render(stage + "loop.wav, at: 10ms, repeat: {times: 6}}]", options)
      #expect(144_000 < looped.count && long.count == looped.count && difference(long, looped) < 2e-6)
    }
  }

  @Test func `removing the next track before the seam sounds as if it had not been there`() async throws {
    let noise = TestSound.noise(132_300)
    try write(noise[..<88_237], "a.wav")
    try write(noise[88_237..<100_001], "b.wav")
    try write(noise[100_001...], "c.wav")
    let planned = try await render("tracks: [a.wav, c.wav]")
    for at in [0.5, 1.9, 1.99] {
      let script = try scratch.write("s.json", #"[{"at": \#(at), "do": {"do": "playlist", "op": "remove", "at": 1}}]"#)
      let edited = try await render("tracks: [a.wav, b.wav, c.wav]", ["--script", script])
      // What has been heard before the edit was converted together with the removed track.
      let frame = Int(at * 48_000)
      let isPlanned = edited.dropFirst(frame) == planned.dropFirst(frame)
      #expect(isPlanned && difference(edited, planned) < 1e-6, "at \(at)")
    }
  }

  @Test func `a session from its middle, and one with many jobs, has the same frames`() async throws {
    let noise = TestSound.noise(132_300)
    try write(noise[..<50_001], "a.wav")
    try write(noise[50_001...], "b.wav")
    let stage = "tracks: [a.wav, b.wav], repeat: playlist, repeatCount: 2"
    let whole = try await render(stage, ["--jobs", "1"])
    let isSame = try await render(stage, ["--jobs", "5", "--piece-frames", "4410"]) == whole
    let isRest = try await render(stage, ["--from", "1.15"]) == Array(whole[55_200...])
    #expect(isSame && isRest)
  }
}
