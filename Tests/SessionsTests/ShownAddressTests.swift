import Player
import Schedule
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Messages that repeat what a user has written, such as an address with a password.
@Suite struct ShownAddressTests {
  @Test func `an error that quotes an address has no password`() {
    #expect(shown("https://anna:s3cret@example.org/a b\u{1B}") == "https://example.org/a b<U+001B>")
    let error = PlayerError.edit(.noSuchStage(name: "https://anna:s3cret@example.org", known: ["Sit"]))
    #expect("\(error)" == "there is no stage 'https://example.org'; use one of: Sit")
  }
}
