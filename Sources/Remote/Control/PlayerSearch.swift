/// Finds a player among the folders of one user.
struct PlayerSearch {
  /// Each folder once, however many paths lead to it.
  let folders: [ControlFolder]

  init(_ folders: [ControlFolder]) {
    var paths: Set<String> = []
    var identities: Set<[UInt64]> = []
    self.folders = folders.filter { folder in
      paths.insert(folder.path).inserted && folder.identity.map { identities.insert($0).inserted } ?? true
    }
  }

  /// Where the player of that name listens, in any folder; without a name, the only player of the first folder that has
  /// any: a program controls the players of its own environment before others.
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
