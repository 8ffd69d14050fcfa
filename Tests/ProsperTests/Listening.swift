import Signal
import TestSupport
import Testing

/// A capture on a thread of its own.
final class Listening: Sendable {
  private let isListening = Flag()
  private let listening: Background<[Frame]>

  /// - Parameter isOver: asked after each piece that is heard, for a minute at most.
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

  /// Waits until what is played is heard; for a thread that may wait.
  func waitUntilItListens() { _ = eventually(within: 20) { isListening.isUp } }

  /// All frames that were heard.
  func frames() async throws -> [Frame] { try await onOwnThread { [listening] in try listening.value(within: 80) } }
}

/// What is heard of a session that a server plays, from its first sound to its last.
struct Heard {
  var sound: [Frame]
  /// Whether the player reported that it could not keep up.
  var ranDry: Bool

  init(_ session: String, through server: any SoundServer, in scratch: Scratch) async throws {
    let listening = Listening(to: server) { !$0.sound.isEmpty && $0.silenceAtEnd > 24_000 }
    try await onOwnThread { listening.waitUntilItListens() }
    let run = try await Prosper.run(["play", session], environment: ["PULSE_SERVER": server.address], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty)
    ranDry = try run.events().contains { $0["event"] as? String == "underrun" }
    sound = try await listening.frames().sounding
  }

  /// Where it differs from a render, in words; nil if nowhere.
  func difference(from rendered: [Frame]) -> String? {
    let wanted = rendered.sounding
    if sound == wanted { return nil }
    let place = zip(sound, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(sound.count, wanted.count)
    return "\(sound.count) frames heard, \(wanted.count) rendered, the same up to \(place)"
  }
}
