/// The grammar of one command: the keys that may accompany its verb.
///
/// The table is shared by both notations of a command: JSON objects (`CommandParser`) and the words of a
/// command line (`CommandWords`).
package struct CommandForm: Sendable {
  /// All keys that the command accepts, in the order in which unnamed words fill them.
  package var keys: [String] = []
  /// The keys that must be present.
  var required: [String] = []
  /// How many keys, counted from the start of `keys`, can be given as unnamed words.
  var positional = 0
  /// The key whose value is a list. It takes all remaining unnamed words.
  var list: String?
  /// Whether further unnamed words belong to the last key that was given without its name, after a space.
  var joinsWords = false

  /// - Parameter positional: nil if every key can be given without its name.
  init(_ keys: [String] = [], required: [String] = [], positional: Int? = nil, list: String? = nil) {
    (self.keys, self.required, self.positional, self.list) = (keys, required, positional ?? keys.count, list)
  }

  /// How the command is written on a command line, such as `goto STAGE [AT]`.
  func usage(of name: String) -> String {
    let words = keys.prefix(positional).map { required.contains($0) ? $0.uppercased() : "[\($0.uppercased())]" }
    // Every list is required.
    return ([name] + words + (list.map { ["\($0.uppercased())..."] } ?? [])).joined(separator: " ")
  }
}

extension CommandForm {
  private static let level = CommandForm(["to", "over", "by"], positional: 2)
  private static let plain = CommandForm()

  private var joining: CommandForm {
    var form = self
    form.joinsWords = true
    return form
  }

  /// Commands without an `op`, by verb.
  static let verbs: [String: CommandForm] = [
    "play": plain, "pause": plain, "resume": plain, "toggle": plain, "next": plain, "previous": plain, "stop": plain,
    "cancel": plain, "nextStage": plain, "previousStage": plain, "reload": plain,
    "metrics": CommandForm(["reset"], positional: 0),
    "finish": CommandForm(["fade"]),
    "seek": CommandForm(["to", "by"], positional: 1),
    "jump": CommandForm(["track"], required: ["track"]),
    "volume": level,
    "crossfade": CommandForm(["duration", "curve"]),
    "repeat": CommandForm(["mode", "count"], required: ["mode"]),
    "extend": CommandForm(["by"], required: ["by"]),
    "goto": CommandForm(["stage", "at"], required: ["stage"]),
    "gong": CommandForm(["sound", "volume"]),
    "say": CommandForm(["text", "volume", "voice", "breath", "duck"], required: ["text"], positional: 1).joining,
  ]

  /// Commands with an `op`, by verb and then by operation.
  static let operations: [String: [String: CommandForm]] = [
    "playlist": [
      "replace": CommandForm(["tracks"], required: ["tracks"], positional: 0, list: "tracks"),
      "append": CommandForm(["tracks"], required: ["tracks"], positional: 0, list: "tracks"),
      "insert": CommandForm(["at", "tracks"], required: ["at", "tracks"], positional: 1, list: "tracks"),
      "remove": CommandForm(["at"], required: ["at"]),
      "move": CommandForm(["from", "to"], required: ["from", "to"]),
    ],
    "overlay": [
      "play": CommandForm(
        ["sound", "volume", "fadeIn", "fadeOut", "curve", "repeat", "every", "gap", "count", "duck", "layer"],
        required: ["sound"], positional: 2),
      "stop": plain, "pause": plain, "resume": plain, "volume": level,
      "repeat": CommandForm(["times", "delay"], required: ["times"]),
    ],
    "effects": [
      "volume": level, "stop": plain,
      "preload": CommandForm(["sounds"], required: ["sounds"], positional: 0, list: "sounds"),
      "unload": CommandForm(["sounds"], required: ["sounds"], positional: 0, list: "sounds"),
    ],
    "music": ["pause": plain, "resume": plain, "volume": level],
    "cache": ["clear": plain],
  ]

  /// The keys of all commands.
  package static let keys = (verbs.values + operations.values.flatMap(\.values)).flatMap(\.keys)

  /// All verbs in alphabetical order, for suggestions and error messages.
  static let names = (Array(verbs.keys) + Array(operations.keys)).sorted()
}
