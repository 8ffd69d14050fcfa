import Engine
import Sounds
import Testing

/// Texts from outside, as listeners and logs see them.
@Suite struct ShownTextTests {
  @Test(arguments: [
    ("https://anna:s3cret@example.org/a.mp3", "https://example.org/a.mp3"),
    ("https://token@example.org", "https://example.org"),
    ("https://anna:p@ss@example.org:8443/a@b", "https://example.org:8443/a@b"),
    ("https://anna:two words@example.org/", "https://example.org/"),
    ("https://example.org/me@home?x=1", "https://example.org/me@home?x=1"),
    ("there is no stage 'http://u:p@h'; use one of: A@B", "there is no stage 'http://h'; use one of: A@B"),
    ("http://a:b@c and https://d:e@f", "http://c and https://f"),
    ("anna@example.org: see you", "anna@example.org: see you"), ("generate:rain", "generate:rain"), ("", ""),
  ])
  func `user names and passwords of addresses are left out`(text: String, shown: String) {
    #expect(SoundSource.withoutCredentials(text) == shown)
    #expect(SoundSource(.remote(address: "https://u:p@h/x.ogg")).label == "https://h/x.ogg")
  }

  @Test func `controls are unprintable, and so is what is invisible`() {
    for scalar in "\u{7}\u{1B}\u{7F}\u{9B}\u{2028}\u{202E}\u{2066}\u{FEFF}".unicodeScalars {
      #expect(scalar.isControl && scalar.isUnprintable, "\(scalar.value)")
    }
    for scalar in "\u{AD}\u{200B}\u{200F}\u{2060}\u{E0001}".unicodeScalars {
      #expect(!scalar.isControl && scalar.isUnprintable, "\(scalar.value)")
    }
    // Emoji and some scripts need joiners.
    for scalar in "aä\u{200C}\u{200D}🙏\u{A0}".unicodeScalars { #expect(!scalar.isUnprintable, "\(scalar.value)") }
  }
}
