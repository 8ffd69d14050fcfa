/// Why a text can't be spoken. Each description is one sentence with what is wrong and a remedy.
public enum SpeechFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A mistake in the text, such as `[pase 2s]`.
  case text(problem: String, remedy: String)
  /// There is no voice with that name in `voices.yaml`.
  case unknownVoice(name: String, remedy: String)
  /// The voice is not described correctly. `problem` begins with the place in `voices.yaml`.
  case invalidVoice(problem: String)
  /// The engine has no voice for the language.
  case unknownLanguage(language: String, remedy: String)
  /// The program that speaks is not installed.
  case missingEngine(program: String, remedy: String)
  /// The model of a voice does not exist. `place` is that of the voice in `voices.yaml`.
  case missingModel(path: String, place: String)
  /// The program that speaks has failed.
  case engine(program: String, Fault)
  /// The speech can't be stored in the cache.
  case notStored(cause: String)
  /// The speech is not in the cache, and must not be made now.
  case notRendered(text: String)

  /// How an engine fails.
  public enum Fault: Error, Hashable, Sendable {
    /// It can't be started. `cause` says why.
    case notStarted(cause: String)
    /// It has ended with an exit code other than 0. `message` is its last line on stderr; empty for none.
    case exited(code: Int, message: String)
    /// A signal has ended it.
    case crashed(signal: Int)
    /// It has not ended in time, in seconds.
    case timedOut(seconds: Double)
    /// It has written more sound than a sentence can have, in bytes.
    case tooLong(bytes: Int)
    /// It has written nothing, or only silence.
    case silent
    /// It has written something other than a WAV file. `cause` says what is wrong.
    case notASound(cause: String)
  }

  /// What is wrong, and a remedy.
  public var description: String {
    switch self {
    case .text(let problem, let remedy): "\(problem); \(remedy)"
    case .unknownVoice(let name, let remedy): "there is no voice '\(name)' in voices.yaml; \(remedy)"
    case .invalidVoice(let problem): problem
    case .unknownLanguage(let language, let remedy): "espeak-ng has no voice for the language '\(language)'; \(remedy)"
    case .missingEngine(let program, let remedy): "the program \(program), which speaks, was not found; \(remedy)"
    case .missingModel(let path, let place):
      "\(path): no such file, which a voice needs; correct 'model' at \(place)"
    case .engine(let program, let fault): "\(program) \(fault.words); \(fault.remedy)"
    case .notStored(let cause): "speech can't be stored: \(cause)"
    case .notRendered(let text): "'\(text)' has not been spoken yet; play or check the session once"
    }
  }

  /// Whether the session or `voices.yaml` has to be corrected. Otherwise something is missing on this computer.
  package var isMistake: Bool {
    switch self {
    case .text, .unknownVoice, .invalidVoice, .unknownLanguage: true
    case .missingEngine, .missingModel, .engine, .notStored, .notRendered: false
    }
  }
}

extension SpeechFailure.Fault {
  fileprivate var words: String {
    switch self {
    case .notStarted(let cause): "can't be started: \(cause)"
    case .exited(let code, ""): "has ended with exit code \(code)"
    case .exited(let code, let message): "has ended with exit code \(code): \(message)"
    case .crashed(let signal): "has crashed with signal \(signal)"
    case .timedOut(let seconds): "has not ended within \(Int(seconds.rounded(.up))) s"
    case .tooLong(let bytes): "has written more than \(bytes >> 20) MiB for one sentence"
    case .silent: "has written no sound"
    case .notASound(let cause): "has written no valid WAV file: \(cause)"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .notStarted: "check that it is a program that you may run"
    case .exited, .crashed, .timedOut, .tooLong, .notASound: "try the voice alone, or choose another one"
    case .silent: "check that the text is in the language of the voice"
    }
  }
}
