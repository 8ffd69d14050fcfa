/// Why a player can't be controlled. Each description is one sentence that states the cause and, if possible, the fix.
package enum ControlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No player is running in the folders that were searched.
  case noPlayer(searched: [String])
  case noSuchPlayer(name: String, running: [String], searched: [String])
  case severalPlayers([String])
  /// A folder for control sockets that other users could read or change.
  case unsafeFolder(path: String, cause: String)
  case cannotCreateFolder(path: String, cause: String)
  case cannotListen(path: String, cause: String)
  /// The server can't get a system resource that it needs beside its socket.
  case cannotServe(cause: String)
  case pathTooLong(path: String)
  /// The connection has ended, or the player refused it.
  case disconnected(cause: String)
  /// The player is busy or has stalled.
  case noAnswer(seconds: Double)
  /// The player answered that it does not execute the command.
  case refused(cause: String)

  package var description: String {
    switch self {
    case .noPlayer(let searched):
      "no player is running in \(Self.list(searched)); start one"
    case .noSuchPlayer(let name, let running, let searched):
      "no player '\(name)' is running in \(Self.list(searched)); running \(running.count == 1 ? "player" : "players"): "
        + (running.isEmpty ? "none" : running.joined(separator: ", "))
    case .severalPlayers(let running):
      "several players are running: \(running.joined(separator: ", ")); name one"
    case .unsafeFolder(let path, let cause): "\(path): can't hold the control socket: \(cause); remove it"
    case .cannotCreateFolder(let path, let cause):
      "\(path): can't be created: \(cause); set XDG_RUNTIME_DIR to a folder that you can write"
    case .cannotListen(let path, let cause): "\(path): can't create the control socket: \(cause)"
    case .cannotServe(let cause): "can't create the control socket: \(cause)"
    case .pathTooLong(let path): "\(path): too long for a control socket; set XDG_RUNTIME_DIR to a shorter folder"
    case .disconnected(let cause): "the player does not answer: \(cause)"
    case .noAnswer(let seconds): "the player has not answered for \(Int(seconds)) s; try again"
    case .refused(let cause): "the player refused the command: \(cause)"
    }
  }

  /// The folders as "a, b or c".
  package static func list(_ folders: [String]) -> String {
    guard 1 < folders.count, let last = folders.last else { return folders.joined() }
    return folders.dropLast().joined(separator: ", ") + " or " + last
  }
}
