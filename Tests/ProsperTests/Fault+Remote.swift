import Foundation
import TestSupport

/// Sounds from another machine.
extension Fault {
  static let remote: [Fault] = [
    Fault("a sound from the network can't be downloaded", heard: "nothing: the session does not start", isSilent) {
      let server = try WebServer()
      return try await $0.playing(server.url("bed.wav"), "-o", "null:fast")
    },
    Fault("the server of a cached sound does not answer", heard: "the cached copy", isWhole) {
      let server = try WebServer()
      server.put(
        .init(TestWave.stereo(FaultEnvironment.bed, rate: FaultEnvironment.rate), etag: "\"a\""), at: "bed.wav")
      _ = try await $0.playing(server.url("bed.wav"), "-o", "null:fast")
      server.close()
      return try await $0.playing(server.url("bed.wav"), "-o", "null:fast")
    },
    Fault(
      "the server of a sound disappears while the sound plays and downloads",
      heard: "what has arrived, a fade-out, then silence until the next stage", isWhole
    ) {
      let server = try WebServer()
      // Four seconds, of which the server sends a little more than two at once.
      let sound = TestSound.noise(4 * 192_000)
      let limit = TransferLimit(upTo: 1_650_000)
      server.put(.init(TestWave.stereo(sound, rate: 192_000), etag: "\"a\"", limit: limit), at: "bed.wav")
      return try await $0.playing(server.url("bed.wav"), "-o", "null") {
        $0.waitUntilItSays("\"track\"")
        server.close()
        limit.raise()
      }
    },
  ]

  private static let isSilent: @Sendable (FaultEnvironment, Prosper) -> Bool = { _, run in run.out.isEmpty }
  private static let isWhole: @Sendable (FaultEnvironment, Prosper) -> Bool = { _, run in
    guard let last = try? run.events().last else { return false }
    return last["reason"] as? String == "completed" && last["played"] as? Double == 4
  }
}

extension FaultEnvironment {
  /// Plays the session with another sound in its first stage.
  fileprivate func playing(
    _ sound: String, _ words: String..., whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    let text = try String(contentsOfFile: session, encoding: .utf8).replacing("bed.wav", with: "\"\(sound)\"")
    let far = try scratch.write("far.yaml", text)
    return try await Prosper.run(["play", far, "--no-control"] + words, in: scratch, whileRunning: whileRunning)
  }
}
