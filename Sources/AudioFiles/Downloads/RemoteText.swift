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

  /// No server answers, or not in time.
  package struct NoAnswer: Error {
    /// Why: the end of a sentence.
    package var cause: String
  }

  /// Waits for the text at an `http` or `https` address.
  ///
  /// - Parameter seconds: the time limit for all of it.
  /// - Returns: nil if the server answers with something else.
  package static func read(_ address: String, within seconds: Double) throws(NoAnswer) -> String? {
    guard let address = RemoteAddress(address) else { return nil }
    let body = Body()
    let deadline = monotonicNanoseconds() + Int64(1e9 * seconds)
    do throws(FetchFailure) {
      _ = try Fetch(address: address, limits: FetchLimits(), deadline: deadline).ask([], to: body)
      return String(decoding: body.bytes, as: UTF8.self)
    } catch {
      switch error {
      case .unresolvedHost, .noResponse, .tooSlow, .connectionLost, .insecure, .other:
        throw NoAnswer(cause: error.cause)
      case .refused, .tooLarge, .invalidResponse, .notStored: return nil
      }
    }
  }
}
