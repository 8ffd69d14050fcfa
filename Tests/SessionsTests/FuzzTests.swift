import Engine
import Foundation
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct FuzzTests {
  /// SplitMix64.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private static let shards = [
    "{", "}", "[", "]", "\"", ":", ",", "-", "*a", "&a ", "? ", "\n", "\\u", "1e999", "\u{1B}",
  ]

  @Test(arguments: Examples.good) func `a file with random changes is a session or has an error`(_ file: URL) throws {
    let original = [UInt8](try Data(contentsOf: file))
    var texts = 0
    for seed in 1...150 as ClosedRange<UInt64> {
      var dice = Dice(state: seed)
      let bytes = Self.mutated(original, by: &dice)
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

  private static func mutated(_ original: [UInt8], by dice: inout Dice) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...6, using: &dice) {
      let location = Int.random(in: 0..<bytes.count, using: &dice)
      let end = min(bytes.count, location + Int.random(in: 1...20, using: &dice))
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: bytes[location] = UInt8.random(in: 0...127, using: &dice)
      case 1: bytes.removeSubrange(location..<max(end, location + 1))
      case 2: bytes.insert(contentsOf: bytes[location..<end], at: Int.random(in: 0..<bytes.count, using: &dice))
      default: bytes.insert(contentsOf: Array((Self.shards.randomElement(using: &dice) ?? "").utf8), at: location)
      }
      if bytes.isEmpty { return [0x20] }
    }
    return bytes
  }
}
