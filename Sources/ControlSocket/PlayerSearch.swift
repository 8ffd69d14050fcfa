/// Searches the control folders of one user for a player.
struct PlayerSearch {
  /// Each folder once, even if several paths lead to it.
  let folders: [ControlFolder]

  init(_ folders: [ControlFolder]) {
    var paths: Set<String> = []
    var identities: Set<[UInt64]> = []
    self.folders = folders.filter { folder in
      paths.insert(folder.path).inserted && folder.identity.map { identities.insert($0).inserted } ?? true
    }
  }

  /// The socket of the player with that name, in any folder. Without a name, the socket of the only player in the first
  /// folder that has any: a program controls the players of its own environment first.
  func socket(of name: String?) throws(ControlError) -> String {
    guard let name else { return try socketOfTheOnlyPlayer() }
    var running: [String] = []
    for folder in folders {
      let players = folder.players()
      if players.contains(name) { return folder.socket(of: name) }
      running += players
    }
    throw .noSuchPlayer(name: name, running: running, searched: folders.map(\.path))
  }

  /// The socket of the only player in the first folder that has any; throws if there are several.
  private func socketOfTheOnlyPlayer() throws(ControlError) -> String {
    for folder in folders {
      let players = folder.players()
      guard let first = players.first else { continue }
      if 1 < players.count { throw .severalPlayers(players) }
      return folder.socket(of: first)
    }
    throw .noPlayer(searched: folders.map(\.path))
  }
}
