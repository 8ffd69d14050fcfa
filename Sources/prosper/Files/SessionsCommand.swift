import ArgumentParser
import ProsperKit

/// `prosper sessions`: lists the sessions that are found by name.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Lists the example sessions, with their lengths, titles and parameters.",
    usage: """
      prosper sessions
      prosper play three-stages
      """,
    discussion: """
      play, show, check and others find these sessions by name, if the current folder has no file of that name. \
      Your own sessions in $XDG_DATA_HOME/prosper/sessions (or ~/.local/share/prosper/sessions) are found by name, too.

      Exit codes: 0 all listed · 65 a session can't be read.
      """)

  @Flag(
    help:
      "Prints one JSON object per line: name, title, length in seconds (null if it is open or unknown), path, and parameters if it has some."
  )
  var json = false

  func run() throws {
    let library = SessionLibrary()
    let entries = library.wholeEntries
    if entries.isEmpty { StandardError.say("there are no sessions in \(library.folders.joined(separator: ", "))") }
    let listed = entries.map { ListedSession($0) }
    for session in listed where !session.isReadable {
      StandardError.say("\(session.entry.path): can't be read; 'prosper check \(session.entry.name)' says why")
    }
    let rows = listed.filter(\.isReadable)
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    let width = rows.map(\.entry.name.count).max() ?? 0
    for row in rows { out.write((json ? row.json : row.text(width: width)) + "\n") }
    try out.finish()
    if rows.count < entries.count { throw ExitStatus.invalidData.code }
  }
}
