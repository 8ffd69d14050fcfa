import Engine
import Glibc

/// A short text that a server publishes, such as its statistics.
package enum RemoteText {
  /// Collects the body of a response.
  private final class Body: BodyReceiver {
    private(set) var bytes: [UInt8] = []

    func begin(_ head: ResponseHead) { bytes = [] }

    func receive(_ new: UnsafeRawBufferPointer) throws(FetchFailure) {
      guard bytes.count + new.count <= RemoteText.limit else {
        throw .invalidResponse(reason: "it is too long; check the address")
      }
      bytes.append(contentsOf: new)
    }
  }

  fileprivate static let limit = 4 << 20

  /// Waits for the text at an `http` or `https` address.
  ///
  /// - Parameter seconds: the time limit for all of it.
  /// - Returns: nil if the server does not answer with a text.
  package static func read(_ address: String, within seconds: Double) -> String? {
    guard let address = RemoteAddress(address) else { return nil }
    let body = Body()
    let deadline = monotonicNanoseconds() + Int64(1e9 * seconds)
    guard (try? Fetch(address: address, limits: FetchLimits(), deadline: deadline).ask([], to: body)) != nil else {
      return nil
    }
    return String(decoding: body.bytes, as: UTF8.self)
  }
}
