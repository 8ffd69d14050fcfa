import Signal

/// A stage's playlist: the order of its entries, its repeats, and the edits that commands make. A value.
package struct PlaylistManager: Sendable {
  package private(set) var tracks: [Track]
  package var repetition: RepeatMode
  /// Number of passes after the first; nil for no limit.
  package var repeatCount: Int?
  private var nextID = 0

  package init(_ tracks: [Track], repetition: RepeatMode = .off, repeatCount: Int? = nil) {
    self.tracks = tracks
    self.repetition = repetition
    self.repeatCount = repeatCount
  }

  /// Whether the playlist ends without a command.
  var isBounded: Bool {
    tracks.allSatisfy { $0.length != .endless } && (repetition == .off || repeatCount != nil)
  }

  /// Index of the first playable track.
  var opening: Int? { tracks.firstIndex { !$0.isUnplayable } }

  /// Index of the entry with the identity `id`.
  func index(of id: Int) -> Int? { tracks.firstIndex { $0.id == id } }

  /// The next playable entry and its pass; nil after the last one.
  func entry(after entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    var entry = entry
    // One pass over the playlist, and the entry itself.
    for _ in 0...tracks.count {
      guard let (index, pass) = neighbour(of: entry) else { return nil }
      if !tracks[index].isUnplayable { return (index, pass) }
      entry = PlaylistEntry(index: index, pass: pass, overlap: 0)
    }
    return nil
  }

  private func neighbour(of entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let goesRoundAgain = repeatCount.map { entry.pass < $0 } ?? true
    switch repetition {
    case .track where goesRoundAgain && 0 < tracks[entry.index].length && !tracks[entry.index].isUnplayable:
      return (entry.index, entry.pass + 1)
    case .playlist where entry.index + 1 == tracks.count: return goesRoundAgain ? (0, entry.pass + 1) : nil
    case .playlist: return (entry.index + 1, entry.pass)
    case .off, .track: return entry.index + 1 < tracks.count ? (entry.index + 1, 0) : nil
    }
  }

  /// The playable entry that `next` (positive steps) or `previous` (negative steps) leads to; nil if that is outside the
  /// playlist.
  ///
  /// From the last entry, `next` wraps around if the playlist repeats, has more than one playable entry, and another
  /// pass is left. `previous` mirrors this.
  func entry(steps: Int, from entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let playable = tracks.indices.filter { !tracks[$0].isUnplayable }
    // Index into `playable`. An unplayable entry stands between two others, so the first step leads to its neighbour.
    let isBetween = !playable.contains(entry.index)
    let position = playable.count { $0 < entry.index } + steps - (isBetween && 0 < steps ? 1 : 0)
    if playable.indices.contains(position) { return (playable[position], entry.pass) }
    guard repetition == .playlist, let last = playable.last else { return nil }
    guard 1 < playable.count else { return position < 0 && 0 < entry.pass ? (last, entry.pass - 1) : nil }
    let rounds = position < 0 ? (position + 1) / playable.count - 1 : position / playable.count
    let (index, pass) = (playable[position - rounds * playable.count], entry.pass + rounds)
    guard let count = repeatCount else { return (index, max(0, pass)) }
    return 0...count ~= pass ? (index, pass) : nil
  }
}

/// Edits. Entries keep their identities.
extension PlaylistManager {
  mutating func nameAll() {
    for index in tracks.indices { tracks[index].id = index }
    nextID = tracks.count
  }

  mutating func replace(with tracks: [Track]) { self.tracks = named(tracks) }

  mutating func insert(_ added: [Track], at index: Int) throws(EditError) {
    try check(index, count: tracks.count + 1)
    tracks.insert(contentsOf: named(added), at: index)
    forgetNumbers()
  }

  mutating func remove(at index: Int) throws(EditError) {
    try check(index, count: tracks.count)
    tracks.remove(at: index)
    forgetNumbers()
  }

  mutating func move(from: Int, to: Int) throws(EditError) {
    try check(from, count: tracks.count)
    try check(to, count: tracks.count)
    tracks.insert(tracks.remove(at: from), at: to)
    forgetNumbers()
  }

  /// Marks an entry that can't be opened, so that it is skipped.
  mutating func passOver(_ id: Int) {
    if let index = index(of: id) { tracks[index].isUnplayable = true }
  }

  private mutating func named(_ tracks: [Track]) -> [Track] {
    tracks.map { track in
      var track = track
      (track.id, nextID) = (nextID, nextID + 1)
      return track
    }
  }

  /// The indices of the session file no longer apply.
  private mutating func forgetNumbers() { for index in tracks.indices { tracks[index].number = nil } }

  private func check(_ index: Int, count: Int) throws(EditError) {
    guard 0..<count ~= index else { throw .invalidPlaylistIndex(index: index, count: count) }
  }
}
