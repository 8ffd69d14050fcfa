import Sounds

/// A program that speaks: it reads one sentence on stdin and writes a WAV file to stdout.
protocol SpeechEngine: Sendable {
  /// The name for messages.
  var name: String { get }
  /// The absolute path of the program.
  var program: String { get }
  /// The arguments. They come from the voice and the language, never from a text.
  var arguments: [String] { get }
  /// What identifies the edition of the program and of its data: with another one, speech is made again.
  var version: String { get }
}

extension SpeechEngine {
  /// What the cache distinguishes a sentence by.
  func key(of sentence: String) -> String {
    ([name, version] + arguments + [sentence]).joined(separator: "\0")
  }
}
