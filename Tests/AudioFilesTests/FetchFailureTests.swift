import Sounds
import Testing

@testable import AudioFiles

/// What a failed download means for a sound: whether it may be tried again, and whether it only took too long.
@Suite struct FetchFailureTests {
  @Test func `a download that takes too long or finds no answer is a timeout, and can be repeated`() {
    let rows: [(FetchFailure, isTransient: Bool, isTimeout: Bool)] = [
      (.noResponse(host: "h"), true, true), (.tooSlow, true, true), (.unresolvedHost(host: "h"), true, false),
      (.connectionLost, true, false), (.refused(status: 503), true, false), (.refused(status: 404), false, false),
      (.insecure(cause: "c"), false, false), (.tooLarge(limit: 1), false, false),
      (.invalidResponse(reason: "r"), false, false), (.notStored(cause: "c"), false, false),
      (.other(cause: "c"), false, false),
    ]
    for (failure, isTransient, isTimeout) in rows {
      #expect(
        failure.sourceError(of: "a")
          == .remote(address: "a", cause: failure.cause, isTransient: isTransient, isTimeout: isTimeout))
    }
  }
}
