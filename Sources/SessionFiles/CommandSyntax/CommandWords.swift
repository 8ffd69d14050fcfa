import Markup
import Player

/// Converts the words of a command line, such as `seek +15` or `overlay play rain --fade-in 2s`, into a JSON command.
///
/// Only the shape is checked here, against `CommandForm`. The player checks names and values, because it knows the
/// session.
package enum CommandWords {
  /// What is wrong with the words, followed by how to fix it.
  package struct WordError: Error, Hashable, Sendable {
    package var problem: String
    init(_ problem: String) { self.problem = problem }
  }

  /// Converts a command.
  ///
  /// - Parameters:
  ///   - words: the verb first. A single word that starts with `{` or `[` is read as JSON and passed on, with spaces
  ///     in place of its line breaks.
  ///   - locate: converts a path of a sound into an absolute path if it names a file in the caller's folder, because
  ///     the player may run in another folder. Words that can only be names are not passed to it.
  /// - Returns: one JSON object on one line.
  package static func json(
    _ words: [String], locate: @escaping (String) -> String = { $0 }
  ) throws(WordError) -> String {
    guard let first = words.first else { throw WordError("no command; \(Suggestion.fix(for: "", among: known))") }
    if first.hasPrefix("{") || first.hasPrefix("["), words.count == 1 { return try checked(first) }
    var line = Line(verb: camel(first)) { OriginReader.looksLikePath($0) ? locate($0) : $0 }
    var rest = words.dropFirst()
    let form = try form(of: first, &line, &rest)
    try fill(&line, form, rest)
    if line.verb == "seek", line.given.isEmpty {
      throw WordError("'seek' has no position; write 'seek 1:30', 'seek +15' or 'seek -15'")
    }
    if form.keys.contains("by"), !form.required.contains("by"), line.given.isDisjoint(with: ["to", "by"]) {
      throw WordError(
        "'\(line.name)' has no volume; write '\(line.name) 80%', '\(line.name) -6dB' or '\(line.name) +3dB'")
    }
    if let missing = form.required.first(where: { !line.given.contains($0) }) {
      throw WordError("'\(line.name)' has no '\(missing)'; write '\(form.usage(of: line.name))'")
    }
    return line.json.description
  }

  /// Returns a text on one line if it is valid JSON; the player checks its meaning.
  private static func checked(_ line: String) throws(WordError) -> String {
    do throws(Diagnostic) { _ = try JSONReader.read(line, file: "command") } catch {
      throw WordError("column \(error.location.column): \(error.problem); \(error.fix)")
    }
    // Line breaks are only between the values, because JSON requires those in texts to be escaped.
    let scalars = line.unicodeScalars.map { (scalar: Unicode.Scalar) -> Unicode.Scalar in
      ["\n", "\r"].contains(scalar) ? " " : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The requests that only remote controls make.
  static let remoteVerbs = ["status", "events"]
  /// The options that may stand without a value.
  static let flags = ["layer", "reset"]
  /// All commands and requests, as words of a command line.
  static var known: [String] { (CommandForm.names + remoteVerbs).map(kebab) }

  /// The grammar of a verb. If the verb has operations, moves the operation from `rest` to the line.
  private static func form(
    of word: String, _ line: inout Line, _ rest: inout ArraySlice<String>
  ) throws(WordError) -> CommandForm {
    let verb = line.verb
    if remoteVerbs.contains(verb) { return CommandForm(["schema"], positional: 0) }
    if let form = CommandForm.verbs[verb] { return form }
    guard let operations = CommandForm.operations[verb] else {
      throw WordError(
        "there is no command '\(shown(word))'; \(Suggestion.fix(for: word, among: known))")
    }
    let names = operations.keys.sorted()
    guard let word = rest.popFirst() else {
      throw WordError("'\(verb)' has no operation; \(Suggestion.fix(for: "", among: names))")
    }
    guard let form = operations[word] else {
      throw WordError("'\(verb)' has no operation '\(shown(word))'; \(Suggestion.fix(for: word, among: names))")
    }
    line.json.add("op", word)
    line.name += " " + word
    return form
  }

  /// Assigns the words to keys: `--name value` anywhere, the others in the order of `form.keys`, the rest to the list.
  private static func fill(
    _ line: inout Line, _ form: CommandForm, _ words: ArraySlice<String>
  ) throws(WordError) {
    var (rest, open, list) = (words, form.keys.prefix(form.positional), [String]())
    if form.joinsWords, let key = open.popFirst() {
      let isPlain = rest.first == "--"
      if isPlain { rest = rest.dropFirst() }
      let text = rest.prefix { isPlain || !$0.hasPrefix("--") }
      rest = rest.dropFirst(text.count)
      if !text.isEmpty { line.add(key, text.joined(separator: " ")) }
    }
    var isPlain = false
    while let word = rest.popFirst() {
      if word == "--", !isPlain {
        isPlain = true
      } else if !isPlain, word.hasPrefix("--") {
        try line.add(option: word, form, &rest)
      } else if let key = open.popFirst() {
        line.add(key, word)
      } else if form.list != nil {
        list.append(word)
      } else {
        throw WordError("'\(shown(word))' is one argument too many for '\(line.name)'; remove it")
      }
    }
    if let key = form.list, !list.isEmpty { line.add(key, list) }
  }

  /// Converts `nextStage` to `next-stage`.
  static func kebab(_ word: String) -> String {
    word.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }

  /// Converts `next-stage` to `nextStage`; camel-case words stay as they are.
  static func camel(_ word: String) -> String {
    let parts = word.split(separator: "-", omittingEmptySubsequences: true)
    let tail = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return (parts.prefix(1).map(String.init) + tail).joined()
  }
}

extension CommandWords {
  /// A JSON command under construction.
  fileprivate struct Line {
    let verb: String
    /// The verb and its operation as words of a command line, for messages.
    var name: String
    let locate: (String) -> String
    var json = JSONLine()
    /// The keys that have been added.
    private(set) var given: Set<String> = []

    init(verb: String, locate: @escaping (String) -> String) {
      self.verb = verb
      name = CommandWords.kebab(verb)
      self.locate = locate
      json.add("do", verb)
    }

    /// Adds an option: `--fade-in 2s`, `--fade-in=2s`, or `--layer` and `--reset`, which may stand without a value.
    mutating func add(
      option: String, _ form: CommandForm, _ rest: inout ArraySlice<String>
    ) throws(WordError) {
      let parts = option.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
      let key = CommandWords.camel(parts.first ?? "")
      guard form.keys.contains(key) else {
        let options = form.keys.map { "--" + CommandWords.kebab($0) }
        throw WordError("'\(name)' has no option '\(shown(option))'; \(Suggestion.fix(for: option, among: options))")
      }
      if CommandWords.flags.contains(key) {
        guard parts.count == 1 || ["true", "false"].contains(parts[1]) else {
          throw WordError("'\(shown(option))' is neither true nor false; write --\(parts[0]), or leave it out")
        }
        return json.add(key, parts.count == 1 || parts[1] == "true")
      }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
        throw WordError("'\(shown(option))' needs a value; write it after the option")
      }
      add(key, value)
    }

    /// Adds a positional word or an option's value, in the form that the key expects.
    mutating func add(_ key: String, _ word: String) {
      given.insert(key)
      switch (verb, key) {
      case ("seek", "to") where word.hasPrefix("+") || word.hasPrefix("-"): add(value: word, of: "by")
      case ("volume", "to"), ("overlay", "to"), ("effects", "to"), ("music", "to"):
        add(value: word, of: VolumeSpelling.isChange(word) ? "by" : "to")
      case (_, "sound"), (_, "tracks"), (_, "sounds"): json.add(key, locate(word))
      case (_, "stage"): json.add(key, word)
      case ("overlay", "repeat"): json.add(key, group("times", word))
      case ("overlay", "duck"), ("say", "duck"): json.add(key, group("by", word))
      default: add(value: word, of: key)
      }
    }

    mutating func add(_ key: String, _ words: [String]) {
      given.insert(key)
      json.add(key, words.map(locate))
    }

    /// An object with a single key, for `repeat` and `duck`, which are groups in JSON.
    private func group(_ key: String, _ word: String) -> JSONLine {
      var line = Line(verb: verb, locate: locate)
      line.json = JSONLine()
      line.add(value: word, of: key)
      return line.json
    }

    /// Adds a number as a JSON number and any other word as text.
    private mutating func add(value word: String, of key: String) {
      if Node.isNumber(word), let number = Double(word), number.isFinite {
        if let whole = Int(exactly: number) { json.add(key, whole) } else { json.add(key, number) }
      } else {
        json.add(key, word)
      }
    }
  }
}
