/// One JSON object on one line, its keys in the order in which they are added.
///
///     var line = JSONLine()
///     line.add("v", 1)
///     line.add("session", seconds: 10.021)
///     line.add("event", "gong")
///     print(line)   // {"v":1,"session":10.021,"event":"gong"}
package struct JSONLine: Sendable, CustomStringConvertible {
  private var members = ""

  package init() {}

  package var description: String { "{\(members)}" }
  package var isEmpty: Bool { members.isEmpty }

  package mutating func add(_ key: String, _ value: String) { add(key, written: Self.quoted(value)) }
  package mutating func add(_ key: String, _ value: Bool) { add(key, written: value ? "true" : "false") }
  package mutating func add(_ key: String, _ value: some BinaryInteger) { add(key, written: "\(value)") }

  /// The shortest decimal that reads back as the same number; null for what JSON has no number for.
  package mutating func add(_ key: String, _ value: Double) { add(key, written: Self.number(value)) }

  /// As `Double`, but with the few digits that a `Float` has.
  package mutating func add(_ key: String, _ value: Float) {
    add(key, written: value.isFinite ? "\(value)" : "null")
  }

  /// A time in seconds with three decimals; null when it is not finite.
  package mutating func add(_ key: String, seconds: Double) { add(key, written: Self.seconds(seconds)) }

  package mutating func add(_ key: String, _ values: [JSONLine]) {
    add(key, written: Self.list(values.map(\.description)))
  }

  package mutating func add(_ key: String, _ values: [String]) { add(key, written: Self.list(values.map(Self.quoted))) }

  package mutating func add(_ key: String, _ values: [Double]) { add(key, written: Self.list(values.map(Self.number))) }

  package mutating func add(_ key: String, _ value: JSONLine?) {
    if let value { add(key, written: value.description) } else { addNull(key) }
  }

  package mutating func addNull(_ key: String) { add(key, written: "null") }

  /// - Parameter written: the value as JSON text.
  package mutating func add(_ key: String, written: String) {
    if !members.isEmpty { members += "," }
    members += Self.quoted(key) + ":" + written
  }
}

extension JSONLine {
  /// A JSON string with its quotation marks. Line and paragraph separators are escaped too: some readers of JSON
  /// Lines take them for the end of a line.
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
    case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
      "\\u" + padded(String(scalar.value, radix: 16), to: 4)
    default: String(scalar)
    }
  }

  private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

  /// A time with three decimals, rounded to the nearest.
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

  private static func list(_ written: [String]) -> String { "[" + written.joined(separator: ",") + "]" }
}

extension JSONLine {
  /// A time in seconds with three decimals; null where there is none.
  package mutating func add(_ key: String, seconds: Double?) {
    if let seconds { add(key, seconds: seconds) } else { addNull(key) }
  }
}
