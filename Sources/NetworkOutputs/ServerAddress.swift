import Foundation

/// The address of an output on a server: `SCHEME://[USER@]HOST[:PORT]/NAME`.
package struct ServerAddress: Hashable, Sendable {
  var scheme: String
  /// Decoded; nil if there is none.
  var user: String?
  /// A name or an IP address, without the brackets of IPv6.
  var host: String
  var port: UInt16?
  /// What follows the first slash, decoded.
  var path: String

  /// Why a text is no such address: the end of a sentence.
  struct Mistake: Error { var reason: String }

  /// - Parameter form: an example, for the messages.
  init(_ text: String, like form: String) throws(Mistake) {
    guard let mark = text.firstRange(of: "://") else { throw Mistake(reason: "write it like \(form)") }
    scheme = text[..<mark.lowerBound].lowercased()
    let rest = text[mark.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    path = String(rest.dropFirst(authority.count + 1)).removingPercentEncoding ?? ""
    var server = authority
    if let at = authority.lastIndex(of: "@") {
      let name = authority[..<at]
      // The text is an argument, which every user of the computer can read.
      if name.contains(":") {
        throw Mistake(reason: "it contains a password, which other users can see; leave it out, and give it in a file")
      }
      user = String(name).removingPercentEncoding
      server = authority[authority.index(after: at)...]
    }
    let isBracketed = server.hasPrefix("[")
    let name = isBracketed ? server.dropFirst().prefix { $0 != "]" } : server.prefix { $0 != ":" }
    host = String(name)
    let after = server.dropFirst(name.count + (isBracketed ? 2 : 0))
    if after.hasPrefix(":") {
      guard let number = UInt16(after.dropFirst()), 0 < number else {
        throw Mistake(reason: "'\(after.dropFirst())' is no port; write a number from 1 to 65535")
      }
      port = number
    } else if !after.isEmpty {
      throw Mistake(reason: "write it like \(form)")
    }
    let hasControls = [host, path, user ?? ""].contains {
      $0.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }
    if host.isEmpty || path.isEmpty || hasControls { throw Mistake(reason: "write it like \(form)") }
  }

  /// Host and port as in an address.
  package static func text(_ host: String, _ port: UInt16?) -> String {
    (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
  }
}
