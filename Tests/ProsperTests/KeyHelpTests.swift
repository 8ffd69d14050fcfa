import Testing

@testable import prosper

/// The list of keys that `?` prints.
@Suite struct KeyHelpTests {
  /// The words of a list, independent of its lines.
  private func words(_ lines: [String]) -> [Substring] {
    lines.joined(separator: " ").split(separator: " ").sorted()
  }

  @Test(arguments: [30, 40, 72, 91, 120, 200])
  func `no line is longer than the terminal, and no word is divided`(width: Int) {
    let lines = KeyHelp.lines(width: width)
    #expect(lines.allSatisfy { $0.count <= width && !$0.hasSuffix(" ") })
    #expect(words(lines) == words(KeyHelp.lines(width: 1_000)))
  }

  @Test func `a wide terminal shows several keys in a line, and a narrow one breaks their texts`() {
    #expect(KeyHelp.lines(width: 100).count == 7)
    #expect(KeyHelp.lines(width: 60).count == 13)
    let narrow = KeyHelp.lines(width: 30)
    #expect(narrow.contains("o      pauses and resumes the") && narrow.contains("       overlays"))
  }

  @Test(arguments: [0, 1, 10]) func `a very narrow terminal gets one word per line`(width: Int) {
    #expect(KeyHelp.lines(width: width).allSatisfy { $0.split(separator: " ").count <= 3 })
  }
}
