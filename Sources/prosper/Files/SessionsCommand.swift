import ArgumentParser
import ProsperKit

/// `prosper sessions`: lists the sessions that are found by name.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Lists the example sessions, with their lengths and titles.",
    usage: """
      prosper sessions
      prosper play three-stages
      """,
    discussion: """
      play, show, check and others find these sessions by name, if the current folder has no file of that name. \
      Your own sessions in $XDG_DATA_HOME/prosper/sessions (or ~/.local/share/prosper/sessions) are found by name, too.

      Exit codes: 0 all listed · 65 a session can't be read.
      """)

  @Flag(help: "Prints one JSON object per line: name, title, length in seconds (null if it is open or unknown), path.")
  var json = false

  func run() throws {
    let library = SessionLibrary()
    let entries = library.entries
    if entries.isEmpty { StandardError.say("there are no sessions in \(library.folders.joined(separator: ", "))") }
    let rows = entries.compactMap(Row.init)
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    let width = rows.map(\.entry.name.count).max() ?? 0
    for row in rows { out.write((json ? row.json : row.text(width: width)) + "\n") }
    try out.finish()
    if rows.count < entries.count { throw ExitStatus.invalidData.code }
  }
}

/// One line of the list.
private struct Row {
  let entry: SessionLibrary.Entry
  let title: String
  let length: Length

  enum Length { case seconds(Double), open, unknown }

  /// Nil, after a message on stderr, if the session can't be read. Sends no request: a session with a sound that has
  /// not been downloaded has no known length.
  init?(_ entry: SessionLibrary.Entry) {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    guard let session = try? reader.read(path: entry.path).session else {
      StandardError.say("\(entry.path): can't be read; 'prosper check \(entry.name)' says why")
      return nil
    }
    (self.entry, title) = (entry, session.title)
    let timeline = try? Timelines.Timeline.compile(session, library: Sounds.cached).timeline
    length = timeline.map { line in line.end.map { .seconds(line.rate.seconds($0)) } ?? .open } ?? .unknown
  }

  func text(width: Int) -> String {
    let gap = { (text: String, width: Int) in String(repeating: " ", count: max(0, width - text.count)) }
    return ("\(entry.name)\(gap(entry.name, width))  \(gap(time, 7))\(time)  \(title)").withoutControls
  }

  private var time: String {
    switch length {
    case .seconds(let seconds): clockText(seconds)
    case .open: "open"
    case .unknown: "?"
    }
  }

  var json: String {
    var line: JSONLine = ["v": 1]
    line.add("name", entry.name)
    line.add("title", title)
    if case .seconds(let seconds) = length {
      line.add("seconds", seconds: seconds)
    } else {
      line.add("seconds", seconds: nil)
    }
    line.add("path", entry.path)
    return line.description
  }
}
