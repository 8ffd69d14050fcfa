/// Why there is no talking to a player; each is one sentence with the mend.
package enum ControlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// None runs in the folders that were searched.
  case noPlayer(searched: [String])
  case noSuchPlayer(name: String, running: [String], searched: [String])
  case severalPlayers([String])
  /// A folder for sockets that others could look into.
  case unsafeFolder(path: String, cause: String)
  case cannotListen(path: String, cause: String)
  case pathTooLong(path: String)
  /// The player is gone, or refuses us.
  case disconnected(cause: String)
  case noAnswer(seconds: Double)

  package var description: String {
    switch self {
    case .noPlayer(let searched):
      "no player is running in \(Self.list(searched)); start one with 'prosper play SESSION'"
    case .noSuchPlayer(let name, let running, let searched):
      "no player '\(name)' is running in \(Self.list(searched)); running \(running.count == 1 ? "is" : "are"): "
        + (running.isEmpty ? "none" : running.joined(separator: ", "))
    case .severalPlayers(let running):
      "several players are running: \(running.joined(separator: ", ")); name one with --player"
    case .unsafeFolder(let path, let cause): "\(path): can't hold the control socket: \(cause); remove it"
    case .cannotListen(let path, let cause): "\(path): can't make the control socket: \(cause)"
    case .pathTooLong(let path): "\(path): too long for a control socket; set XDG_RUNTIME_DIR to a shorter folder"
    case .disconnected(let cause): "the player does not answer: \(cause)"
    case .noAnswer(let seconds): "the player has not answered for \(Int(seconds)) s"
    }
  }

  private static func list(_ folders: [String]) -> String { folders.joined(separator: " or ") }
}
