/// A value in a D-Bus message. Only the types that prosper needs exist.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  case string(String)
  /// The path of an object: letters, digits and underscores between slashes.
  case path(String)
  case strings([String])
  /// Values by name, each of any type.
  case dictionary([String: BusValue])
  /// A value whose type is stated in the message.
  case variant(BusValue)
  /// A file descriptor. It belongs to the message, so a received one is valid only during the callback.
  case descriptor(Int32)

  /// The D-Bus signature of the type.
  var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .strings: "as"
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .descriptor: "h"
    }
  }
}
