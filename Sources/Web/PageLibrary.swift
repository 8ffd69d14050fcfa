/// The sessions that `serve` can play.
package protocol PageLibrary: Sendable {
  /// The sessions as a JSON array.
  func sessions() async -> String
  /// Plays a session, after the current one has faded out; returns why it can't.
  func play(_ session: WantedSession) async -> PageProblem?
}

/// The session that a page wants to play.
package struct WantedSession: Sendable, Hashable, Decodable {
  /// Its path or its name in the list of sessions.
  package var session: String
  /// The length to which it is stretched or shortened, such as `12m`; nil for its own one.
  package var duration: String?
  /// Whether it goes on where it was interrupted.
  package var resume: Bool?
}

/// Why a request of the page can't be answered, as a sentence.
package struct PageProblem: Error, Hashable {
  package var text: String
  /// Whether there is no such session.
  package var isUnknown: Bool

  package init(_ text: String, isUnknown: Bool = false) { (self.text, self.isUnknown) = (text, isUnknown) }
}
