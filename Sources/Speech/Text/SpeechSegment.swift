/// A part of a spoken text: what an engine speaks at once, or silence.
package enum SpeechSegment: Hashable, Sendable {
  /// A sentence, on one line, or a piece of a very long one.
  case sentence(String)
  /// Silence in seconds.
  case pause(Double)
}

/// A mistake in a text, such as a mark that does not exist.
package struct SpeechMistake: Error, Hashable, Sendable {
  /// What is wrong, as a phrase that can follow a colon.
  package let problem: String
  /// What to write instead.
  package let fix: String
}
