package import Markup
package import Sounds

extension Diagnostic {
  /// A problem of a sound, at the position where a session or script names it.
  ///
  /// The error's text is split at its first "; ", which separates the problem from the way to fix it. A missing file in
  /// the folder of the session file may be named by a relative path, so the fix says where such a path starts.
  package init(_ error: SourceError, of sound: SoundSource? = nil, at location: SourceLocation) {
    // An address may contain a semicolon, but no space.
    let parts = String(describing: error).split(separator: "; ", maxSplits: 1)
    var fix = parts.count == 2 ? String(parts[1]) : "replace it, or remove it from the session"
    if case .missing(let file) = error, file.hasPrefix(SessionFile.folder(of: location.file) + "/") {
      let folder = location.includedFrom.isEmpty ? "the session file's folder" : "the folder of the included file"
      fix += "; a relative path starts at \(folder)"
    }
    self.init(error.diagnosticCode, location, String(parts[0]), of: sound, fix: fix)
  }
}

extension SourceError {
  fileprivate var diagnosticCode: Diagnostic.Code {
    switch self {
    case .missing: .fileNotFound
    case .remote(_, _, _, isTimeout: true): .networkTimeout
    case .unreadable, .unavailable, .shortage, .notARegularFile, .remote: .fileLoadFailed
    case .empty, .unknownFormat, .unsupported, .emptyPart: .invalidFormat
    case .damaged: .damaged
    case .noSuchGenerator: .unknownName
    case .tooManySounds: .tooLarge
    case .speech(let failure): failure.diagnosticCode
    }
  }
}

extension SpeechFailure {
  fileprivate var diagnosticCode: Diagnostic.Code {
    switch self {
    case .text, .invalidVoice: .invalidValue
    case .unknownVoice, .unknownLanguage: .unknownName
    case .missingEngine, .missingModel: .fileNotFound
    case .engine, .notStored, .notRendered: .fileLoadFailed
    }
  }
}
