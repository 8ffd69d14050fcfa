import Engine
import Files

/// Names of the files in a bundle: different ones on every file system, also where upper and lower case are equal, and
/// without characters that some systems don't allow.
struct BundleNames {
  private var used: Set<String> = []

  /// The longest name in bytes, with room for a number and for the suffix.
  private static let longest = 150

  /// A name that is like the given one.
  mutating func name(for wanted: String, suffix: String? = nil) -> String {
    let plain = Self.plain(wanted)
    let dot = suffix == nil ? plain.lastIndex(of: ".").flatMap { $0 == plain.startIndex ? nil : $0 } : nil
    let ending = suffix.map { ".\($0)" } ?? String(dot.map { plain[$0...] } ?? "")
    var stem = String(dot.map { plain[..<$0] } ?? plain[...])
    while Self.longest < stem.utf8.count { stem.removeLast() }
    if stem.isEmpty { stem = "sound" }
    var (name, number) = (stem + ending, 2)
    while !used.insert(name.lowercased()).inserted {
      name = "\(stem) \(number)\(ending)"
      number += 1
    }
    return name
  }

  private static func plain(_ name: String) -> String {
    let allowed = name.unicodeScalars.map { scalar in
      scalar.isUnprintable || scalar.isByte || "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
    }
    let text = String(String.UnicodeScalarView(allowed)).drop { " .-".contains($0) }
    return String(text.reversed().drop { " .".contains($0) }.reversed())
  }
}
