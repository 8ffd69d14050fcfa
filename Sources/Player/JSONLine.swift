import Engine

/// A JSON object on one line, with its keys in the order in which they were added.
package struct JSONLine: Sendable, CustomStringConvertible {
  private var members = ""

  package init() {}

  package var description: String { "{\(members)}" }
  package var isEmpty: Bool { members.isEmpty }

  /// Adds a member, unless the value is an `IfAny` without a value.
  package mutating func add(_ key: String, _ value: some JSONWritable) {
    if let text = value.jsonText { add(key, written: text) }
  }

  /// Adds a member with three decimals; null if there is no value.
  package mutating func add(_ key: String, seconds: Double?) { add(key, Rounded(seconds)) }

  /// Adds a member whose value is already JSON text.
  package mutating func add(_ key: String, written: String) {
    if !members.isEmpty { members += "," }
    members += Self.quoted(key) + ":" + written
  }

  /// Adds all members of another object.
  package mutating func add(_ other: JSONLine) {
    if !members.isEmpty && !other.isEmpty { members += "," }
    members += other.members
  }

  package static func + (left: JSONLine, right: JSONLine) -> JSONLine {
    var line = left
    line.add(right)
    return line
  }
}

extension JSONLine: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, any JSONWritable)...) {
    for (key, value) in elements { add(key, value) }
  }
}

/// A value that can be written as JSON.
package protocol JSONWritable {
  /// The value as JSON text; nil leaves the member out.
  var jsonText: String? { get }
}

extension String: JSONWritable { package var jsonText: String? { JSONLine.quoted(self) } }
extension Bool: JSONWritable { package var jsonText: String? { "\(self)" } }
extension Int: JSONWritable { package var jsonText: String? { "\(self)" } }
extension Int64: JSONWritable { package var jsonText: String? { "\(self)" } }
extension UInt64: JSONWritable { package var jsonText: String? { "\(self)" } }
/// The shortest decimal that parses to the same number; null for an infinity or NaN.
extension Double: JSONWritable { package var jsonText: String? { isFinite ? "\(self)" : "null" } }
extension Float: JSONWritable { package var jsonText: String? { isFinite ? "\(self)" : "null" } }
extension JSONLine: JSONWritable { package var jsonText: String? { description } }

extension Array: JSONWritable where Element: JSONWritable {
  package var jsonText: String? { "[" + compactMap(\.jsonText).joined(separator: ",") + "]" }
}

/// `null` for nil.
extension Optional: JSONWritable where Wrapped: JSONWritable {
  package var jsonText: String? { if let self { self.jsonText } else { "null" } }
}

/// A number with three decimals, such as a time in seconds; null if it is nil or not finite.
package struct Rounded: JSONWritable {
  private let value: Double?

  package init(_ value: Double?) { self.value = value }

  package var jsonText: String? { value.map(JSONLine.seconds) ?? "null" }
}

extension Double {
  /// The number; nil for an infinity or NaN, which JSON can't represent.
  package var ifFinite: Double? { isFinite ? self : nil }
}

/// A member that is left out if its value is nil.
package struct IfAny<Value: JSONWritable>: JSONWritable {
  private let value: Value?

  package init(_ value: Value?) { self.value = value }

  package var jsonText: String? { value?.jsonText }
}

extension JSONLine {
  /// A JSON string with its quotation marks. Characters that a terminal would obey are escaped as well, and so are the
  /// line and paragraph separators of Unicode, which some readers of JSON Lines treat as the end of a line.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars { quoted += escaped(scalar) }
    return quoted + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case _ where scalar.isUnprintable && scalar.value <= 0xFFFF:
      "\\u" + padded(String(scalar.value, radix: 16), to: 4)
    default: String(scalar)
    }
  }

  /// A number with three decimals, rounded to the nearest; `null` if it is not finite or too large.
  package static func seconds(_ seconds: Double) -> String {
    let rounded = (seconds * 1000).rounded()
    guard rounded.isFinite, abs(rounded) < 9e18 else { return "null" }
    let milliseconds = Int64(rounded)
    let fraction = padded(String(milliseconds.magnitude % 1000), to: 3)
    return "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(fraction)"
  }

  private static func padded(_ digits: String, to count: Int) -> String {
    String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
