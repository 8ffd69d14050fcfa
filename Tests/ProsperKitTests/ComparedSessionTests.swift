import ProsperKit
import TestSupport
import Testing

/// Sessions with and without small changes, compared with the ones that they were made from.
struct ComparedSessionTests {
  private static func sound(_ text: String) throws -> ComparedSound {
    let plan = SessionPlan(text: text, path: "s.yaml", folder: "/")
    try #require(plan.verdict == .playable && plan.diagnostics.isEmpty, "\(plan.diagnostics)\n\(text)")
    return ComparedSound(of: plan, named: "s.yaml")
  }

  private static func compare(_ a: String, _ b: String, explains: Bool = false) async throws -> Comparison {
    try await Comparison(try sound(a), try sound(b), limit: -80, explains: explains)
  }

  /// 200 sessions, each with another change.
  @Test func `each small change is found at its second, in its layer`() async throws {
    var random = Random(seed: 11)
    var plain = SampleSit.Spelling()
    for _ in 0..<200 {
      let sit = SampleSit(&random)
      var other = sit
      let change = other.change(&random)
      let comparison = try await Self.compare(sit.text(&plain), other.text(&plain))
      let first = try #require(comparison.output.first, "\(change) is not found: \(sit)")
      // A fade needs some time until it is louder than the limit. The end of a stage is faded out within 20 ms.
      #expect(-0.021 <= first.second - change.second && first.second - change.second < 0.2, "\(change): \(first)")
      let layer = comparison.layers.first { $0.name == change.layer }
      let second = try #require(layer?.difference.first?.second, "\(change): not in its layer")
      #expect(-0.021 <= second - change.second && second - change.second < 0.2, "\(change): \(second)")
      if change.layer != "overlays" {
        #expect(comparison.layers.count { !$0.difference.isSame } == 1, "\(change)")
      }
    }
  }

  /// 200 sessions that are spelled in another way.
  @Test func `changes that nobody hears are no differences`() async throws {
    var random = Random(seed: 12)
    var plain = SampleSit.Spelling()
    for _ in 0..<200 {
      let sit = SampleSit(&random)
      var spelling = SampleSit.Spelling(&random)
      let (text, other) = (sit.text(&plain), sit.text(&spelling))
      #expect(text != other)
      let comparison = try await Self.compare(text, other)
      #expect(comparison.isSame && comparison.output.peak == -.infinity, "\(other)")
    }
  }

  @Test func `a moved overlay is shifted in its layer`() async throws {
    var (random, plain) = (Random(seed: 13), SampleSit.Spelling())
    let sit = SampleSit(&random)
    var other = sit
    other.voiceAt += 0.02
    let comparison = try await Self.compare(sit.text(&plain), other.text(&plain), explains: true)
    let overlays = try #require(comparison.layers.first { $0.name == "overlays" }?.difference)
    #expect(overlays.explanation?.shift == 0.02 && overlays.explanation?.rest == -.infinity)
    #expect(overlays.explanation?.from == sit.lengthA + sit.voiceAt)
    #expect(comparison.layers.first { $0.name == "gongs" }?.difference.isSame == true)
    #expect(comparison.output.explanation == nil)
  }

  @Test func `sessions at different rates are compared at the rate of the first`() async throws {
    let text = "{prosper: 1, title: t, sampleRate: 8000, stages: [{name: A, duration: 2s, tracks: ['generate:drone']}]}"
    let comparison = try await Self.compare(text, text.replacing("8000", with: "44100"))
    #expect(comparison.isSame && comparison.sampleRate == 8_000)
  }

  @Test func `a difference of a layer that nobody hears at the volume of the session is none`() async throws {
    func text(_ volume: String) -> String {
      "{prosper: 1, title: t, sampleRate: 8000, volume: -60dB, stages: [{name: A, duration: 2s, "
        + "tracks: [{generate: rain, volume: \(volume)}]}]}"
    }
    let comparison = try await Self.compare(text("-20dB"), text("-20.5dB"))
    #expect(comparison.isSame && comparison.layers.map(\.difference.isSame) == [false, true, true])
  }

  /// More blocks than are handed over at a time.
  @Test func `a long session is read to its end while it is rendered`() async throws {
    let text = "{prosper: 1, title: t, sampleRate: 8000, stages: [{name: A, duration: 10m, tracks: ['generate:rain']}]}"
    let comparison = try await Self.compare(text, text.replacing("10m", with: "601s"))
    #expect(comparison.output.lengthA == 600 && comparison.output.addedSeconds == 1)
    #expect(comparison.output.spans.map(\.kind) == [.onlyB])
    #expect(comparison.output.first.map { 599.9 < $0.second && $0.second <= 600 } == true)
  }

  @Test func `an open stage has no end, and nothing is compared`() async throws {
    let text = "{prosper: 1, title: t, stages: [{name: A, duration: open, tracks: ['generate:drone']}]}"
    await #expect(throws: ComparisonError.self) { _ = try await Self.compare(text, text) }
  }
}
