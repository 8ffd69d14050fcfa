/// A value in a D-Bus message. Only the types that prosper needs exist.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  case string(String)
  /// The path of an object: letters, digits and underscores between slashes.
  case path(String)
  case strings([String])
  case bytes([UInt8])
  /// Values of one type that has no case of its own.
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// Values by name, each of any type.
  case dictionary([String: BusValue])
  /// Texts by name.
  case texts([String: String])
  /// A value whose type is stated in the message.
  case variant(BusValue)
  /// A file descriptor. It belongs to the message, so a received one is valid only during the callback.
  case descriptor(Int32)

  /// The D-Bus signature of the type.
  var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .strings: "as"
    case .bytes: "ay"
    case .array(let type, _): "a" + type
    case .structure(let values): "(" + values.map(\.signature).joined() + ")"
    case .dictionary: "a{sv}"
    case .texts: "a{ss}"
    case .variant: "v"
    case .descriptor: "h"
    }
  }
}
