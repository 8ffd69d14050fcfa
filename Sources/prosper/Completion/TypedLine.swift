import ProsperKit

/// The command line that is being typed, as a shell passes it on for completion.
struct TypedLine {
  /// All words without quotes; the first is the program.
  let words: [String]
  /// The index of the word that is completed.
  let index: Int
  /// What has been typed of the value that is completed, up to the cursor.
  let prefix: String

  init(_ words: [String], _ index: Int, _ prefix: String) {
    self.words = words.map { Self.unquoted($0) }
    self.index = index
    // Shells pass on `--output=pul` as one word, and ask for the part after the equals sign.
    let value = prefix.hasPrefix("--") ? prefix.firstIndex(of: "=").map { prefix[prefix.index(after: $0)...] } : nil
    self.prefix = Self.unquoted(value.map(String.init) ?? prefix)
  }

  /// The words between the program's command and the cursor, without the options of prosper itself.
  var wordsOfCommand: [String] {
    var rest = words.prefix(max(0, index)).dropFirst(2)
    var result: [String] = []
    while let word = rest.popFirst() {
      switch word {
      case "--json": continue
      case "--player": rest = rest.dropFirst()
      default: result.append(word)
      }
    }
    return result
  }

  /// The value of `--player` of `ctl`; nil without the option.
  var player: String? {
    guard let option = words.firstIndex(of: "--player"), option + 1 < words.count, option + 1 != index else {
      return nil
    }
    return words[option + 1]
  }

  /// The session that the line names: the first word that is the path or the name of a session file.
  var session: String? {
    words.indices.dropFirst(2).lazy.filter { $0 != index }.map { Self.expanded(words[$0]) }.first { word in
      SessionLibrary.isSession(SessionLibrary.file(word))
    }.map(SessionLibrary.file)
  }

  /// A path with the home folder in place of a leading `~/`.
  static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = ProcessInput.variable("HOME") else { return path }
    return home + path.dropFirst()
  }

  /// A word without the quotes and backslashes of a shell.
  static func unquoted(_ word: String) -> String {
    var (text, quote, isEscaped) = ("", Character?.none, false)
    for character in word {
      switch character {
      case _ where isEscaped: (isEscaped, text) = (false, text + String(character))
      case "\\" where quote != "'": isEscaped = true
      case "'", "\"":
        if quote == nil { quote = character } else if quote == character { quote = nil } else { text.append(character) }
      default: text.append(character)
      }
    }
    return text
  }
}
