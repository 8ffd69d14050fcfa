import ArgumentParser

/// A value that a shell offers when the user presses Tab.
struct Candidate: Hashable {
  /// The value as the program takes it, without quotes.
  var value: String
  /// What it is; shells that show descriptions show it. Empty for none.
  var note: String

  init(_ value: String, note: String = "") { (self.value, self.note) = (value, note) }

  /// The form in which the completion script of a shell takes a candidate; nil for a value that no shell can take.
  ///
  /// bash expands the text like a word of a script, so everything that it could interpret is escaped: the name of a
  /// file or of a stage must never run as a command.
  func text(for shell: CompletionShell?) -> String? {
    guard value == value.withoutControls else { return nil }
    let note = note.withoutControls
    return switch shell?.rawValue {
    case "bash": value.escaping { !$0.isPlain }
    case "zsh": value.escaping { $0 == "\\" || $0 == ":" } + (note.isEmpty ? "" : ":\(note)")
    case "fish": note.isEmpty ? value : "\(value)\t\(note)"
    default: value
    }
  }
}

extension String {
  /// The text with a backslash before each character that needs one.
  fileprivate func escaping(_ needsIt: (Character) -> Bool) -> String {
    reduce(into: "") { text, character in
      if needsIt(character) { text.append("\\") }
      text.append(character)
    }
  }
}

extension Character {
  /// Whether bash takes the character literally wherever it stands in a word.
  fileprivate var isPlain: Bool { !isASCII || isLetter || isNumber || "_./:=@%+,-".contains(self) }
}
