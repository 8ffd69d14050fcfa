import Files
import Markup
import SessionFiles
import Sounds

/// Makes a session of a playlist (M3U): its sounds are the tracks of one stage, in their order.
///
/// The directives of the extended format describe the entry that follows them. Those that say nothing to a session are
/// told, and stand as comments above the track.
struct PlaylistImport: ListImport {
  private let source: ImportSource
  private(set) var notes: ImportNotes
  private var tracks: [Session.Sound] = []
  private var session: Session
  /// What the directives above the next entry say of it.
  private var next = Entry()
  /// Whether a file of the list can't be played.
  private var isMissing = false

  private struct Entry {
    var title: String?
    var start = 0.0
    var end: Double?
  }

  init(_ source: ImportSource) {
    self.source = source
    notes = ImportNotes(file: source.path)
    session = Session(path: "", title: source.importer.title, stages: [])
  }

  mutating func read() -> Session? {
    for line in source.lines { read(line) }
    if notes.hasErrors { return nil }
    if tracks.isEmpty {
      notes.refuse(
        isMissing ? .fileNotFound : .empty, line: max(1, source.lines.count), "no sound of this playlist can be played",
        fix: "correct its paths, which start at the folder of the playlist")
      return nil
    }
    let name = session.title == source.importer.title ? "Playlist" : session.title
    session.stages = [Session.Stage(name: name, duration: .natural, tracks: tracks)]
    return session
  }

  private mutating func read(_ line: ForeignText.Line) {
    let (text, column) = line.content
    if text.isEmpty || notes.hasErrors { return }
    if text.hasPrefix("#") { directive(text, line, column) } else { entry(text, line, column) }
  }

  private var place: CommentPlace { .track(tracks.count, stage: 0) }

  /// A line that begins with `#`: a directive, or a comment.
  private mutating func directive(_ text: Substring, _ line: ForeignText.Line, _ column: Int) {
    let name = text.prefix { $0 != ":" }.uppercased()
    let value = String(text.dropFirst(name.count + 1))
    switch name {
    case "#EXTM3U", "#EXTENC": break
    case "#EXTINF": next.title = Self.title(of: value)
    case "#PLAYLIST": session.title = nonempty(value) ?? session.title
    case "#EXTALB": session.album = nonempty(value)
    case "#EXTART": session.artist = nonempty(value)
    case "#EXTGENRE": session.genre = nonempty(value)
    case "#EXTVLCOPT": option(value, line, column)
    case _ where name.hasPrefix("#EXT-X-"):
      notes.refuse(
        .invalidValue, line: line.number, column: column, "this playlist lists the segments of a stream (HLS)",
        fix: "record the stream as a file, and name that")
    case _ where name.hasPrefix("#EXT"):
      notes.leaveOut(
        line: line.number, column: column, "'\(shown(text))' has no meaning in a session",
        fix: "nothing is lost of the sound",
        at: place)
    default: notes.comment(text.dropFirst().drop { $0.isWhitespace || $0 == "#" }, at: place)
    }
  }

  private func nonempty(_ value: String) -> String? {
    let words = value.titleWords()
    return words.isEmpty ? nil : words
  }

  /// The title in `SECONDS ATTRIBUTES,TITLE`. Commas in quotes belong to an attribute.
  private static func title(of value: String) -> String? {
    var isQuoted = false
    let comma = value.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
    let words = comma.map { value[value.index(after: $0)...].description.titleWords() } ?? ""
    return words.isEmpty ? nil : words
  }

  /// An option of VLC, such as `start-time=12.5`.
  private mutating func option(_ value: String, _ line: ForeignText.Line, _ column: Int) {
    let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
    let seconds = parts.count == 2 ? Double(parts[1]) : nil
    switch (parts.first, seconds) {
    case ("start-time", let seconds?) where 0 <= seconds && seconds < 1e6: next.start = seconds
    case ("stop-time", let seconds?) where 0 < seconds && seconds < 1e6: next.end = seconds
    default:
      notes.leaveOut(
        line: line.number, column: column, "the option '\(shown(value))' has no meaning in a session",
        fix: "see what it did, and add that by hand", at: place)
    }
  }

  /// A line that names a sound.
  private mutating func entry(_ text: Substring, _ line: ForeignText.Line, _ column: Int) {
    defer { next = Entry() }
    let space = line.bytes.prefix { $0 == 0x20 || $0 == 0x09 }.count
    var bytes = Array(line.bytes.dropFirst(space))
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    switch source.files.find(String(text), bytes: bytes) {
    case .remote(let address): add(.remote(address: address))
    case .foreign:
      notes.leaveOut(
        .invalidValue, line: line.number, column: column, "'\(shown(text))' is not an address that can be played",
        fix: "use the path of a file, or an http or https address", at: place)
    case .file(let path): add(path, line, column)
    }
  }

  private mutating func add(_ path: String, _ line: ForeignText.Line, _ column: Int) {
    if ImportFormat(path: path) == .playlist {
      return notes.leaveOut(
        .invalidValue, line: line.number, column: column, "'\(shown(path))' is another playlist",
        fix: "make a session of it, too", at: place)
    }
    switch source.length(of: path) {
    case .failure(let error):
      isMissing = true
      notes.leaveOut(
        .fileNotFound, line: line.number, column: column, error.parts.problem, fix: error.parts.fix, at: place)
    case .success(let length):
      if let end = next.end, end <= next.start || length < end { next.end = nil }
      guard next.start < length else {
        return notes.leaveOut(
          .invalidValue, line: line.number, column: column, "'\(shown(path))' ends before its 'start-time'",
          fix: "start earlier",
          at: place)
      }
      add(.file(path: path))
    }
  }

  private mutating func add(_ origin: SoundSource.Origin) {
    var sound = Session.Sound(origin)
    (sound.source.start, sound.source.end) = (next.start, next.end)
    sound.title = next.title ?? sound.title
    tracks.append(sound)
  }
}
