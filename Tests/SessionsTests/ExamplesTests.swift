import Foundation
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The example files are the test: each bad example has its diagnostics in a file beside it.
///
/// `RECORD_SNAPSHOTS=1` rewrites these files; read the difference before you commit it.
struct ExamplesTests {
  @Test func `there are enough examples`() {
    #expect(Examples.good.count >= 9)
    #expect(Examples.bad.count >= 40)
  }

  @Test(arguments: Examples.good) func `a good example is read without diagnostics`(_ file: URL) throws {
    let reading = try Examples.read(file)
    #expect(reading.diagnostics.map(\.description) == [])
    #expect(reading.session != nil)
  }

  @Test(arguments: Examples.bad) func `a bad example is rejected with the recorded diagnostics`(_ file: URL) throws {
    let reading = try Examples.read(file)
    let words = reading.diagnostics.map { $0.description + "\n" }.joined()
    let beside = file.appendingPathExtension("expected")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try words.write(to: beside, atomically: true, encoding: .utf8)
    }
    #expect(try words == String(contentsOf: beside, encoding: .utf8))
    #expect(reading.session == nil)
  }
}
