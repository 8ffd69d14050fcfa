import FoundationEssentials
import Glibc
import Synchronization

/// A private session bus, with `playerctl` to control the media players on it. It is killed together with this object.
package final class SessionBus: Sendable {
  private let bus: BusDaemon

  package init() throws { bus = try BusDaemon() }

  /// The address for clients.
  package var address: String { bus.address }
  /// The variables with which a program finds the bus.
  package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": bus.address] }

  /// Kills the bus, as a crash would.
  package func kill() { bus.kill() }

  /// Stops the bus with SIGSTOP: connections and messages reach its sockets, and are never answered.
  package func hang() { bus.hang() }

  /// Runs `playerctl`, and returns what it prints, without the last line feed. Call it on a thread that may block.
  @discardableResult
  package func playerctl(_ words: String...) throws -> String { try playerctl(words) }

  @discardableResult
  package func playerctl(_ words: [String]) throws -> String {
    let text = try output(of: "playerctl", words, environment: environment)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// Calls a method with `gdbus`, and returns what it prints. Call it on a thread that may block.
  ///
  /// - Parameter words: as `gdbus call` takes them.
  @discardableResult
  package func call(_ method: String, at path: String, of name: String, _ words: [String] = []) throws -> String {
    let target = ["call", "--session", "--dest", name, "--object-path", path, "--method", method]
    return try output(of: "gdbus", target + words, environment: environment)
  }

  /// The names of the media players, without `org.mpris.MediaPlayer2.`.
  package func players() throws -> [String] {
    let names = try call(
      "org.freedesktop.DBus.ListNames", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus")
    let prefix = "org.mpris.MediaPlayer2."
    return names.split(separator: "'").filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }
}

/// The signals of a media player, as `gdbus monitor` prints them: one line each.
package final class MediaSignals: Sendable {
  private let monitor: ChildProcess
  private let text = Mutex("")
  private let reading = Mutex<Background<Void>?>(nil)

  /// Starts the monitor. Call it on a thread that may block.
  package init(of player: String, on bus: SessionBus) throws {
    monitor = try ChildProcess(
      "gdbus", ["monitor", "--session", "--dest", "org.mpris.MediaPlayer2.\(player)"], environment: bus.environment,
      readsOutput: true)
    reading.withLock { [self] in
      $0 = Background { [monitor] in monitor.readOutput { piece in self.text.withLock { $0 += piece } } }
    }
    guard eventually({ text.withLock { $0.contains("is owned by") } }) else {
      throw ChildFailure(program: "gdbus monitor", code: ETIMEDOUT)
    }
  }

  deinit { monitor.end() }

  /// The signals so far, without path and interface.
  package var lines: [String] {
    text.withLock { $0 }.split(separator: "\n").filter { $0.hasPrefix("/org/mpris/MediaPlayer2: ") }.map { line in
      let parts = line.split(separator: " ", maxSplits: 1)[1]
      return String(
        parts.replacing("org.freedesktop.DBus.Properties.", with: "")
          .replacing("org.mpris.MediaPlayer2.Player.", with: ""))
    }
  }

  /// Ends the monitor, so that its reader ends, too.
  package func stop() { monitor.end() }
}
