extension CommandWords {
  /// What can follow the first words of a command.
  package struct Next: Hashable, Sendable {
    /// Verbs or operations; empty if a value or nothing follows.
    package var words: [String] = []
    /// The key whose value follows; nil if none does.
    package var key: String?
    /// The options of the command, without dashes in front.
    package var options: [String] = []
  }

  /// What can follow the first words of a command, in the notation of the command line.
  package static func next(after words: [String]) -> Next {
    guard let first = words.first else { return Next(words: (CommandForm.names + remoteVerbs).map(kebab).sorted()) }
    let verb = camel(first)
    if let form = CommandForm.verbs[verb] { return next(in: form, after: words.dropFirst()) }
    guard let operations = CommandForm.operations[verb] else { return Next() }
    guard let operation = words.dropFirst().first else { return Next(words: operations.keys.sorted()) }
    return operations[operation].map { next(in: $0, after: words.dropFirst(2)) } ?? Next()
  }

  /// What can follow the values of a command.
  private static func next(in form: CommandForm, after words: ArraySlice<String>) -> Next {
    let options = form.keys.map(kebab)
    if let option = words.last.flatMap(key), form.keys.contains(option), !flags.contains(option) {
      return Next(key: option)
    }
    var (unnamed, rest) = (0, words)
    while let word = rest.popFirst() {
      guard let option = key(word) else {
        unnamed += 1
        continue
      }
      if !flags.contains(option), !word.contains("=") { rest = rest.dropFirst() }
    }
    return Next(key: unnamed < form.positional ? form.keys[unnamed] : form.list, options: options)
  }

  /// The key of an option such as `--fade-in`; nil for any other word.
  private static func key(_ word: String) -> String? {
    guard word.hasPrefix("--"), 2 < word.count else { return nil }
    return camel(String(word.dropFirst(2).prefix { $0 != "=" }))
  }
}
