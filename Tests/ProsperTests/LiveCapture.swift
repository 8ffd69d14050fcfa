import Signal
import TestSupport
import Testing

/// A capture that runs on a thread of its own.
final class LiveCapture: Sendable {
  private let isListening = Flag()
  private let listening: Background<[Frame]>

  /// - Parameter isOver: Called after each captured piece. The capture ends when it returns true, or after `seconds`.
  init(
    to server: any SoundServer, sink: String? = nil, seconds: Double = 60,
    until isOver: @escaping @Sendable (Capture) -> Bool
  ) {
    listening = Background { [isListening] in
      let capture = try Capture(of: server, sink: sink)
      isListening.raise()
      _ = capture.wait(seconds: seconds, until: isOver)
      return capture.frames
    }
  }

  /// Waits until the capture runs. Call it on a thread that may block.
  func waitUntilRunning() { _ = eventually(within: 20) { isListening.isRaised } }

  /// All captured frames.
  func frames() async throws -> [Frame] { try await onOwnThread { [listening] in try listening.value(within: 80) } }
}

/// What is heard of a session that plays on a server, from its first sound to its last.
struct Heard {
  var sound: [Frame]
  /// Whether the player reported an underrun.
  var ranDry: Bool

  init(_ session: String, through server: any SoundServer, in scratch: Scratch) async throws {
    let listening = LiveCapture(to: server) { !$0.sound.isEmpty && $0.silenceAtEnd > 24_000 }
    try await onOwnThread { listening.waitUntilRunning() }
    let run = try await Prosper.run(["play", session], environment: ["PULSE_SERVER": server.address], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    ranDry = try run.events().contains { $0["event"] as? String == "underrun" }
    sound = try await listening.frames().sounding
  }

  /// Describes where the sound differs from a render; nil if it is the same.
  func difference(from rendered: [Frame]) -> String? {
    let wanted = rendered.sounding
    if sound == wanted { return nil }
    let place = zip(sound, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(sound.count, wanted.count)
    return "\(sound.count) frames heard, \(wanted.count) rendered, the same up to \(place)"
  }
}
