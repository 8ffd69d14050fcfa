package import Signal

/// What a sound server has granted to a stream. It may differ from what was requested.
package struct OutputGrant: Hashable, Sendable {
  /// The server's name and version.
  package var server: String
  /// The output's name.
  package var output: String
  /// Hertz of the session, and of the output.
  package var sessionRate: SampleRate
  package var outputRate: Int
  package var outputChannels: Int
  /// Seconds that the stream's buffer on the server holds.
  package var buffer: Double
  /// Seconds that the device holds.
  package var device: Double
  /// Whether the server can replace what the device holds and has not played, so that commands are heard at once.
  package var isRewindable: Bool
  package var isMuted: Bool

  /// The maximum number of seconds until a command is heard. A device that can't be rewound may just have read new
  /// sound, and still hold what it read before.
  package static func commandDelay(device: Double, isRewindable: Bool) -> Double { isRewindable ? 0 : 2 * device }

  private var commandDelay: Double { Self.commandDelay(device: device, isRewindable: isRewindable) }

  package init(
    server: String, output: String, sessionRate: SampleRate, outputRate: Int, outputChannels: Int, buffer: Double,
    device: Double, isRewindable: Bool, isMuted: Bool
  ) {
    (self.server, self.output, self.sessionRate) = (server, output, sessionRate)
    (self.outputRate, self.outputChannels) = (outputRate, outputChannels)
    (self.buffer, self.device, self.isRewindable, self.isMuted) = (buffer, device, isRewindable, isMuted)
  }

  /// Problems that a listener could notice, each as one sentence with a remedy.
  package var warnings: [String] {
    var found: [String] = []
    if isMuted { found.append("the output '\(output)' is muted; unmute it in the desktop's mixer") }
    if outputChannels < 2 {
      found.append(
        "the output '\(output)' has one channel: stereo is mixed down; use another output")
    }
    if outputRate < min(Self.fullRange, sessionRate.hertz) {
      found.append(
        "the output '\(output)' runs at \(outputRate) Hz: high tones are missing; if it is a headset in call mode, "
          + "switch it to music mode")
    }
    if buffer + device < Self.safeBuffer {
      found.append(
        "\(server) grants a buffer of \(milliseconds(buffer + device)) ms only: a busy computer may interrupt the sound; "
          + "close other programs if it does")
    }
    if Self.noticeableDelay < commandDelay {
      found.append(
        "the output '\(output)' delays commands by up to \(milliseconds(commandDelay)) ms; if that is too late, "
          + "use another output")
    }
    return found
  }

  /// Hertz below which music sounds dull.
  private static let fullRange = 32_000
  /// Seconds of buffer that are safe on a busy computer.
  private static let safeBuffer = 0.5
  private static let noticeableDelay = 0.5

  private func milliseconds(_ seconds: Double) -> Int { Int(min(max(0, seconds), 1e6) * 1_000) }
}

extension OutputGrant: CustomStringConvertible {
  package var description: String {
    let latency =
      isRewindable ? "commands are heard at once" : "commands are heard within \(milliseconds(commandDelay)) ms"
    return "\(server), output '\(output)' (\(outputRate) Hz, \(outputChannels) channels): "
      + "\(milliseconds(buffer)) ms in the stream and \(milliseconds(device)) ms in the device, \(latency)"
  }
}
