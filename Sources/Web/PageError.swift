/// Why the page can't be served. The texts are single sentences.
package enum PageError: Error, Sendable, CustomStringConvertible {
  case cannotListen(ListenAddress, cause: String)
  case cannotServe(cause: String)

  package var description: String {
    switch self {
    case .cannotListen(let address, let cause):
      "the page can't be served at \(address): \(cause); choose another address or port"
    case .cannotServe(let cause): "the page can't be served: \(cause)"
    }
  }
}
