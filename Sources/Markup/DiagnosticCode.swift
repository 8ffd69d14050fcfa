extension Diagnostic {
  /// A kind of problem. The codes of sounds that can't be played are those of the events of the player.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The text of the file is not plain UTF-8.
    case encoding
    /// The file is no valid JSON or YAML.
    case syntax
    /// The file is something other than a session.
    case notASession
    /// The file has a version of the format that this version of prosper can't read.
    case unsupportedVersion
    /// There is nothing in the file, in a list, or in the session.
    case empty
    /// The file or the session exceeds a limit.
    case tooLarge
    /// A key that does not exist here.
    case unknownKey
    /// A key that is written twice.
    case duplicateKey
    /// Something that has to be written is not.
    case missingKey
    /// Keys or values that exclude each other.
    case conflict
    /// A value that its key can't have.
    case invalidValue
    /// A stage, sound or command that does not exist.
    case unknownName
    /// A name that is given twice.
    case duplicateName
    /// A position outside the session or its stage.
    case outsideSpan
    /// Something has no end and needs one.
    case endless
    /// A fade is longer than what it fades.
    case fadeTooLong

    /// A file that does not exist.
    case fileNotFound
    /// A file or address that can't be read.
    case fileLoadFailed
    /// An address that did not answer in time.
    case networkTimeout
    /// A sound that can't be decoded, or contains none.
    case invalidFormat
    /// A sound that is damaged, or ends too early.
    case damaged
    /// The loudness of a sound is needed and can't be measured.
    case loudnessUnknown

    /// A sound that is never used.
    case unused
    /// A key that changes nothing.
    case noEffect
    /// Something that never plays, or less often than is written.
    case neverPlays
    /// A line of a script that is never reached.
    case neverReached
    /// A sound is cut off by the end of its stage.
    case cutOff
    /// A fade is shorter than is written.
    case shortened
    /// A stage is silent before its end.
    case silentEnd
    /// A stage is left out, because nothing of it can be played.
    case stageLeftOut
    /// A gong sounds over a voice.
    case covered
    /// An overlay ends because another one begins.
    case replaced
    /// A sound without any sound.
    case silentSound
    /// A sound that ends before its `end`.
    case shortSound
    /// Overlays that differ too much in loudness.
    case unevenLevels
    /// A sound that is hardly heard.
    case tooSoft
    /// A sound whose loudness can't be reached.
    case limitedGain
    /// A sample rate that removes high tones.
    case lowSampleRate
    /// An address in the local network.
    case localAddress
    /// A cached copy of a sound that may be old.
    case staleCopy
    /// How many problems are not listed.
    case notShown
  }
}
