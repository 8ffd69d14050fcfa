import Foundation
import TestSupport
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// What is given in place of a session, and characters that only look like spaces.
@Suite struct ForeignFileTests {
  private func diagnostics(_ name: String, _ bytes: [UInt8]) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: name)
    let reading = try SessionReader(catalogue: [], home: nil).read(path: path)
    return reading.diagnostics.map { "\($0.location.line):\($0.location.column): \($0.problem)" }
  }

  private static let tones = "# tones\npad: pink/40 100+2/20\noff: -\nNOW pad\n+00:10:00 off\n"
  private static let cue = "REM x\nFILE \"a.wav\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n"

  @Test(arguments: [
    ("a.m3u", "a.mp3\nb.mp3\n", "a playlist"), ("a.M3U8", "# x\na.mp3\n", "a playlist"),
    ("a", "#EXTM3U\n#EXTINF:1,A\na.mp3\n", "a playlist"), ("a.txt", "\u{FEFF}#EXTM3U\na.mp3\n", "a playlist"),
    ("a.pls", "[playlist]\nFile1=a.mp3\n", "a playlist"), ("a", "[Playlist]\nFile1=a.mp3\n", "a playlist"),
    ("a.xspf", "<?xml version=\"1.0\"?>\n<playlist version=\"1\"/>\n", "a playlist"),
    ("a.cue", cue, "a cue sheet"), ("list", cue, "a cue sheet"),
    ("a.sbg", "-SE\nx: 100+2/20\n", "a file for SBaGen (.sbg)"), ("a.txt", tones, "a file for SBaGen (.sbg)"),
    ("a.txt", "Sit down. Breathe.\n", "a text"), ("notes", "Monday: sit\nTuesday: walk\n", "a text"),
    ("a.yaml", "PK\u{3}\u{4}", "a ZIP archive"), ("a.json", "%PDF-1.4", "a PDF"),
    ("a.m4a", "\u{0}\u{0}\u{0}\u{20}ftypM4A ", "a sound file"), ("a.wv", "wvpk", "a sound file"),
  ])
  func `another file than a session is called what it is`(name: String, text: String, kind: String) throws {
    #expect(try diagnostics(name, Array(text.utf8)) == ["1:1: this is \(kind), not a session"])
  }

  @Test func `a playlist in another encoding is one, and a session may have any name`() throws {
    #expect(try diagnostics("a.m3u", Array("fl".utf8) + [0xFC, 0x0A]) == ["1:1: this is a playlist, not a session"])
    let session = "prosper: 1\ntitle: T\nstages: [{name: A, duration: 1s}]\n"
    for name in ["a.txt", "a.cue", "a.m3u", "a"] { #expect(try diagnostics(name, Array(session.utf8)).isEmpty) }
  }

  @Test(arguments: [
    ("prosper: 1\ntitle:\u{A0}T\nstages: []\n", "2:7: a no-break space, U+00A0, outside of quotes"),
    ("prosper: 1\ntitle: T\n\u{A0}\u{A0}stages: []\n", "3:1: a no-break space, U+00A0, outside of quotes"),
    ("prosper: 1\nti\u{200B}tle: T\n", "2:3: a zero-width space, U+200B, outside of quotes"),
    ("prosper: 1\ntitle: T\u{200B}\n", "2:9: a zero-width space, U+200B, outside of quotes"),
    (
      "prosper: 1\ntitle: T\nstages:\n\u{3000}- name: A\n\u{3000}  duration: 1s\n",
      "4:1: an unusual space, U+3000, outside of quotes"
    ),
    (
      "prosper: 1\ntitle: T\nstages:\n  - name: A\n    duration: 5\u{A0}m\n",
      "5:16: a no-break space, U+00A0, outside of quotes"
    ),
    (
      "prosper: 1\ntitle: T\nstages:\n  - name: A\n  \u{A0} duration: 5m\n",
      "5:3: a no-break space, U+00A0, outside of quotes"
    ),
    ("{\"prosper\":\u{A0}1}", "1:12: a no-break space, U+00A0, outside of quotes"),
    ("{\u{200B}\"prosper\": 1}", "1:2: a zero-width space, U+200B, outside of quotes"),
    ("prosper: 1\n\u{FEFF}title: T\n", "2:1: a control character, U+FEFF"),
  ])
  func `a character that looks like a space or like nothing is named`(text: String, problem: String) throws {
    #expect(try diagnostics(text.hasPrefix("{") ? "a.json" : "a.yaml", Array(text.utf8)).first == problem)
  }

  @Test func `such characters are text in quotes, in comments, and between words`() throws {
    let text = """
      prosper: 1   #\u{A0}a comment
      title: Bonjour\u{A0}! Respirez
      description: "\u{A0}a\u{200B}b: \u{A0}"
      stages: [{name: '\u{A0}A', duration: 1s}]
      """
    #expect(try diagnostics("a.yaml", Array(text.utf8)).isEmpty)
  }
}
