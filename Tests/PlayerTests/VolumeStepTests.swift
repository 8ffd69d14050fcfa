import Schedule
import Signal
import TestSupport
import Testing

@testable import Player

/// Relative changes of a volume.
@Suite struct VolumeStepTests {
  @Test(
    arguments: [
      (VolumeStep.share(0.1), 0.6, 0.7), (.share(-0.1), 0.05, 0), (.share(0.5), 0.8, 1), (.share(0.1), 0, 0.1),
      (.decibels(-20), 1, 0.1), (.decibels(20), 0.05, 0.5), (.decibels(3), 0.9, 1), (.decibels(60), 0, 0),
    ] as [(VolumeStep, Float, Float)])
  func `a change stays between silence and full volume`(step: VolumeStep, from: Float, to: Float) {
    #expect(abs(step.applied(to: Gain(linear: from)).linear - to) < 1e-6)
  }

  @Test func `ten steps of a tenth lead from silence to exactly full volume`() {
    let volume = (0..<10).reduce(Gain.silence) { volume, _ in VolumeStep.share(0.1).applied(to: volume) }
    #expect(volume == .unity)
  }

  @Test func `a change is relative to the target of the previous one, in the same layer`() async throws {
    let overlay = Programme.Overlay("0", 30_000, at: 0)
    let session = programme([
      Programme.Stage("A", [track("0", 30_000)], for: .frames(30_000), overlays: [overlay])
    ])
    let commands: [Command] = [
      .volume(Gain(linear: 0.5), over: 2), .volumeStep(.share(-0.2), of: nil, over: 2),
      .volumeStep(.share(0.1), of: nil, over: 0), .volumeStep(.share(-0.25), of: .overlay, over: 0),
      .volumeStep(.share(-0.5), of: .effect, over: 0),
    ]
    let played = await perform(
      session, TestLibrary(["0": .noise(seed: 1, length: 30_000, level: 0.1)]), doing: TimedCommands([(0.5, commands)]))
    let volumes = played.events.compactMap { event -> String? in
      guard case .volume(let layer, let gain, _) = event.event else { return nil }
      return "\(layer?.rawValue ?? "master") \(gain.linear)"
    }
    #expect(volumes == ["master 0.5", "master 0.3", "master 0.4", "overlay 0.75", "effect 0.5"])
  }
}
