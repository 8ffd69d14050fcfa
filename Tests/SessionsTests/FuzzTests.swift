import Engine
import Foundation
import TestSupport
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct FuzzTests {
  private static let shards = [
    "{", "}", "[", "]", "\"", ":", ",", "-", "*a", "&a ", "? ", "\n", "\\u", "1e999", "\u{1B}",
  ]

  @Test(arguments: Examples.good) func `a file with random changes is a session or has an error`(_ file: URL) throws {
    let original = [UInt8](try Data(contentsOf: file))
    var texts = 0
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = Random(seed: seed)
      let bytes = random.mutated(original, with: Self.shards)
      guard let text = try? TextBytes.text(bytes, file: "fuzz") else { continue }
      texts += 1
      let reading = reader.read(text: text, path: file.lastPathComponent, folder: "/f")
      let hasError = reading.diagnostics.contains { $0.severity == .error }
      #expect((reading.session == nil) == hasError, "seed \(seed)")
      #expect(
        !reading.diagnostics.contains { $0.description.unicodeScalars.contains(where: \.isControl) }, "seed \(seed)")
    }
    #expect(75 < texts)
  }
}
