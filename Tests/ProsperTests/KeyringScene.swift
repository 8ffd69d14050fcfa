import Synchronization
import TestSupport

/// A private session bus, and a keyring on it.
final class KeyringScene: Sendable {
  let bus: SessionBus
  private let folder: Scratch
  private let keyring = Mutex<ChildProcess?>(nil)
  private var environment: [String: String] {
    bus.environment.merging(["HOME": folder.path(""), "XDG_RUNTIME_DIR": folder.path("")]) { $1 }
  }

  init() throws {
    bus = try SessionBus()
    folder = try Scratch()
    _ = try folder.write("password-of-the-keyring", "open")
  }

  /// Starts a keyring that the user has unlocked, or that is locked; ends the one before.
  func start(isUnlocked: Bool) throws {
    keyring.withLock { $0 = nil }
    let unlocks = isUnlocked ? "--unlock < \(folder.path("password-of-the-keyring"))" : ""
    let command = "exec gnome-keyring-daemon --foreground --components=secrets \(unlocks)"
    let process = try ChildProcess("bash", ["-c", command], environment: environment, readsOutput: false)
    keyring.withLock { $0 = process }
    let isThere = eventually {
      (try? bus.call(
        "org.freedesktop.DBus.Peer.Ping", at: "/org/freedesktop/secrets", of: "org.freedesktop.secrets")) == "()\n"
    }
    guard isThere else { throw SceneFailure("gnome-keyring-daemon does not answer") }
  }

  /// Stores a password with these attributes, as a user does.
  func store(_ password: String, _ attributes: String) throws {
    let command = "printf %s \(password) | secret-tool store --label Icecast \(attributes)"
    _ = try output(of: "bash", ["-c", command], environment: environment, mustSucceed: true)
  }
}
