import Glibc

/// One JSON object on one line, its keys in the order in which they were added.
package struct JSONLine: Sendable {
  private var fields = ""

  package init() {}

  /// The object as text, without a line feed.
  package var text: String { "{\(fields)}" }

  package mutating func add(_ key: String, _ value: String) { add(key, raw: Self.quoted(value)) }
  package mutating func add(_ key: String, _ value: Int) { add(key, raw: String(value)) }
  package mutating func add(_ key: String, _ value: Int64) { add(key, raw: String(value)) }
  package mutating func add(_ key: String, _ value: Bool) { add(key, raw: value ? "true" : "false") }
  package mutating func add(_ key: String, _ value: JSONLine) { add(key, raw: value.text) }
  package mutating func add(_ key: String, _ values: [JSONLine]) {
    add(key, raw: "[\(values.map(\.text).joined(separator: ","))]")
  }

  /// Seconds with three decimals, as every time in an event; what is no number is null.
  package mutating func add(_ key: String, seconds: Double?) { add(key, raw: Self.thousandths(seconds)) }

  /// The shortest text that gives the same number back; what is no number is null.
  package mutating func add(_ key: String, number: Double?) {
    add(key, raw: number.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null")
  }

  private mutating func add(_ key: String, raw: String) {
    if !fields.isEmpty { fields += "," }
    fields += "\(Self.quoted(key)):\(raw)"
  }

  private static func thousandths(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite, abs(seconds) < 9e15 else { return "null" }
    let total = Int64((seconds * 1_000).rounded())
    let digits = String(total.magnitude % 1_000 + 1_000).dropFirst()
    return "\(total < 0 ? "-" : "")\(total.magnitude / 1_000).\(digits)"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f: result += escape(scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func escape(_ value: UInt32) -> String {
    let hex = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }
}
