import Signal

/// The playlist of a stage, as a value: its entries, its repeats, and the edits that commands make.
package struct PlaylistManager: Sendable {
  package private(set) var tracks: [Track]
  package var repetition: RepeatMode
  /// Number of passes after the first; nil for no limit.
  package var repeatCount: Int?
  /// The first unused identity of an entry.
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
  var opening: Int? { opening(besides: []) }

  /// Index of the first playable entry whose identity is not one of `known`.
  func opening(besides known: Set<Int>) -> Int? {
    tracks.firstIndex { $0.isPlayable(inPass: 0) && !known.contains($0.id) }
  }

  /// The first playable track.
  var openingTrack: Track? { opening.map { tracks[$0] } }

  /// Index of the entry with that index in the session file, or of the next one if it was removed as unplayable.
  func position(of number: Int) -> Int? { tracks.indices.first { number <= tracks[$0].number ?? $0 } }

  /// Index of the entry with the identity `id`.
  func index(of id: Int) -> Int? { tracks.firstIndex { $0.id == id } }

  /// The next playable entry and its pass; nil after the last one.
  func entry(after entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    var entry = entry
    // One pass of the playlist, and the entry itself. If all entries are unplayable, the loop ends.
    for _ in 0...tracks.count {
      guard let (index, pass) = neighbour(of: entry) else { return nil }
      if tracks[index].isPlayable(inPass: pass) { return (index, pass) }
      entry = PlaylistEntry(index: index, pass: pass, overlap: 0)
    }
    return nil
  }

  /// The playable entry after an entry that has been removed, and its pass; nil if that was the last one. A track that
  /// follows it is repeated as often as any other.
  func entry(afterRemoved entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let pass = repetition == .playlist ? entry.pass : 0
    let index = tracks.indices.first { entry.index <= $0 && tracks[$0].isPlayable(inPass: pass) }
    if let index { return (index, pass) }
    guard repetition == .playlist, pass < repeatCount ?? .max else { return nil }
    return opening.map { ($0, pass + 1) }
  }

  /// The next entry and its pass, even if it is unplayable; nil after the last one.
  private func neighbour(of entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let hasNextPass = repeatCount.map { entry.pass < $0 } ?? true
    switch repetition {
    case .track where hasNextPass && 0 < tracks[entry.index].length && !tracks[entry.index].isUnplayable:
      return (entry.index, entry.pass + 1)
    case .playlist where entry.index + 1 == tracks.count: return hasNextPass ? (0, entry.pass + 1) : nil
    case .playlist: return (entry.index + 1, entry.pass)
    case .off, .track: return entry.index + 1 < tracks.count ? (entry.index + 1, 0) : nil
    }
  }

  /// The playable entry that `next` (positive steps) or `previous` (negative steps) leads to; nil if that is outside
  /// the playlist.
  ///
  /// From the last entry, `next` wraps around if the playlist repeats, has more than one playable entry, and another
  /// pass is left. `previous` mirrors this.
  func entry(steps: Int, from entry: PlaylistEntry) -> (index: Int, pass: Int)? {
    let playable = playable(inPass: entry.pass)
    // Index into `playable`. An unplayable entry is between two playable ones, so the first step leads to one of these.
    let isBetween = !playable.contains(entry.index)
    let position = playable.count { $0 < entry.index } + steps - (isBetween && 0 < steps ? 1 : 0)
    if playable.indices.contains(position) {
      let index = playable[position]
      return (index, repetition == .playlist || index == entry.index ? entry.pass : 0)
    }
    guard repetition == .playlist, let last = playable.last else { return nil }
    guard 1 < playable.count else { return position < 0 && 0 < entry.pass ? (last, entry.pass - 1) : nil }
    let passes = position < 0 ? (position + 1) / playable.count - 1 : position / playable.count
    let pass = entry.pass + passes
    let others = self.playable(inPass: pass)
    let index = others[min(position - passes * playable.count, others.count - 1)]
    guard let count = repeatCount else { return (index, max(0, pass)) }
    return 0...count ~= pass ? (index, pass) : nil
  }
}

extension PlaylistManager {
  /// Whether an entry is the first one of a pass, and no entry is skipped only in this pass or a later one.
  func isPassComplete(from entry: PlaylistEntry) -> Bool {
    entry.index == tracks.firstIndex { !$0.isUnplayable }
      && tracks.allSatisfy { $0.absentPass.map { $0 < entry.pass } ?? true }
  }

  /// The indices of the entries that can be played in a pass; of all that can be played at all if there are none.
  private func playable(inPass pass: Int) -> [Int] {
    let present = tracks.indices.filter { tracks[$0].isPlayable(inPass: pass) }
    return present.isEmpty ? tracks.indices.filter { !tracks[$0].isUnplayable } : present
  }
}

/// Edits. Entries keep their identities. Until the first edit, indices are those of the session file.
extension PlaylistManager {
  /// Gives every entry its index as identity.
  mutating func assignIDs() {
    for index in tracks.indices { tracks[index].id = index }
    nextID = tracks.count
  }

  /// Whether both have the same tracks and repeats, as a session file writes them.
  func isLike(_ other: PlaylistManager) -> Bool {
    let tracks = { (playlist: PlaylistManager) in playlist.tracks.map { $0.unedited } }
    return repetition == other.repetition && repeatCount == other.repeatCount && tracks(self) == tracks(other)
  }

  /// Whether both have the same entries and repeats.
  func isSame(as other: PlaylistManager) -> Bool {
    repetition == other.repetition && repeatCount == other.repeatCount && tracks.map(\.id) == other.tracks.map(\.id)
      && tracks == other.tracks
  }

  /// Whether an entry of `old` has the same index here.
  func continues(_ entry: PlaylistEntry, of old: PlaylistManager) -> Bool {
    tracks.indices.contains(entry.index) && tracks[entry.index].id == old.tracks[entry.index].id
  }

  /// Gives the entries that `old` has at the same index, with the same sound, their old identities, and new ones to all
  /// others.
  mutating func keepIDs(of old: PlaylistManager) {
    nextID = old.nextID
    for index in tracks.indices {
      if old.tracks.indices.contains(index), old.tracks[index].source == tracks[index].source {
        tracks[index].id = old.tracks[index].id
      } else {
        (tracks[index].id, nextID) = (nextID, nextID + 1)
      }
    }
  }

  mutating func replace(with tracks: [Track]) { self.tracks = withIDs(tracks) }

  mutating func append(_ added: [Track]) {
    tracks += withIDs(added)
    clearNumbers()
  }

  mutating func insert(_ added: [Track], at number: Int) throws(EditError) {
    guard 0...count ~= number else { throw .invalidPlaylistIndex(index: number, count: count + 1) }
    tracks.insert(contentsOf: withIDs(added), at: position(of: number) ?? tracks.count)
    clearNumbers()
  }

  mutating func remove(at number: Int) throws(EditError) {
    tracks.remove(at: try index(ofNumber: number))
    clearNumbers()
  }

  mutating func move(from: Int, to: Int) throws(EditError) {
    let (from, to) = (try index(ofNumber: from), try index(ofNumber: to))
    tracks.insert(tracks.remove(at: from), at: to)
    clearNumbers()
  }

  /// Marks an entry that can't be opened, so that it is skipped: in one pass, or in all if `pass` is nil. If each entry
  /// has failed since one was played, all are skipped from then on; otherwise they would be tried without end.
  mutating func passOver(_ id: Int, inPass pass: Int?) {
    guard let failed = index(of: id) else { return }
    tracks[failed].absentPass = pass
    let isOver = tracks.indices.allSatisfy { index in
      guard let pass, let absent = tracks[index].absentPass else { return tracks[index].isUnplayable }
      return tracks[index].isUnplayable || absent == (index <= failed ? pass : pass - 1)
    }
    if pass == nil || repetition == .track { tracks[failed].isUnplayable = true }
    if isOver { for index in tracks.indices { tracks[index].isUnplayable = true } }
  }

  /// The tracks with new identities.
  private mutating func withIDs(_ tracks: [Track]) -> [Track] {
    tracks.map { track in
      var track = track
      (track.id, nextID) = (nextID, nextID + 1)
      return track
    }
  }

  /// Removes the indices of the session file, which no longer apply after an edit.
  private mutating func clearNumbers() { for index in tracks.indices { tracks[index].number = nil } }

  /// The number of entries, including those that were removed as unplayable.
  private var count: Int { (tracks.last?.number ?? tracks.count - 1) + 1 }

  /// The index of an entry that events report with this number.
  private func index(ofNumber number: Int) throws(EditError) -> Int {
    guard let index = position(of: number), tracks[index].number ?? index == number else {
      throw .invalidPlaylistIndex(index: number, count: count)
    }
    return index
  }
}
