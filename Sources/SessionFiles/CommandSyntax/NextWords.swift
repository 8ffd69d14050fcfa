/// What can follow the first words of a command, in the notation of the command line.
package struct NextWords {
  /// Verbs or operations; empty if a value or nothing follows.
  package private(set) var words: [String] = []
  /// The key whose value follows; nil if none does.
  package private(set) var key: String?
  /// The options of the command, without dashes in front.
  package private(set) var options: [String] = []

  package init(after words: [String]) {
    let (verb, rest) = (CommandWords.camel(words.first ?? ""), words.dropFirst())
    if words.isEmpty {
      self.words = CommandWords.known.sorted()
    } else if let form = CommandForm.verbs[verb] {
      fill(from: form, after: rest)
    } else if let operations = CommandForm.operations[verb] {
      if rest.isEmpty { self.words = operations.keys.sorted() }
      if let form = rest.first.flatMap({ operations[$0] }) { fill(from: form, after: rest.dropFirst()) }
    }
  }

  /// What can follow the values of a command.
  private mutating func fill(from form: CommandForm, after words: ArraySlice<String>) {
    let flags = CommandWords.flags
    if let option = words.last.flatMap(Self.key), form.keys.contains(option), !flags.contains(option) {
      return key = option
    }
    var (unnamed, rest) = (0, words)
    while let word = rest.popFirst() {
      guard let option = Self.key(word) else {
        unnamed += 1
        continue
      }
      if !flags.contains(option), !word.contains("=") { rest = rest.dropFirst() }
    }
    key = unnamed < form.positional ? form.keys[unnamed] : form.list
    options = form.keys.map(CommandWords.kebab)
  }

  /// The key of an option such as `--fade-in`; nil for any other word.
  private static func key(_ word: String) -> String? {
    guard word.hasPrefix("--"), 2 < word.count else { return nil }
    return CommandWords.camel(String(word.dropFirst(2).prefix { $0 != "=" }))
  }
}
