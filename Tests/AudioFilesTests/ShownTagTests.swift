import Testing

@testable import AudioFiles

/// Titles and artists from sound files: any bytes, of any length.
@Suite struct ShownTagTests {
  @Test(arguments: [
    ("Still\u{1B}[31me\u{7}", "Still[31me"), ("a\u{9B}b\u{202E}c\u{2066}d\u{200B}e", "abcde"),
    ("  two\t\r\n lines ", "two lines"), ("Grüße 👩‍👩‍👧", "Grüße 👩‍👩‍👧"),
  ])
  func `a tag is one line without what controls a terminal or is invisible`(text: String, shown: String) {
    #expect(shownTag(text) == shown)
  }

  @Test func `nothing is left of a tag that can't be shown`() {
    #expect(shownTag("\u{1B}\u{202E} \n") == nil && shownTag("") == nil)
  }

  @Test func `a long tag is cut to 250 characters`() {
    #expect(shownTag(String(repeating: "ä", count: 250)) == String(repeating: "ä", count: 250))
    #expect(shownTag(String(repeating: "ä", count: 251)) == String(repeating: "ä", count: 249) + "…")
    // One character of very many code points.
    let stacked = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect((shownTag(stacked)?.unicodeScalars.count ?? 0) <= 1_001)
  }
}
