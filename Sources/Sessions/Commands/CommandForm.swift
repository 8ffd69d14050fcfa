/// What may stand beside a command's verb: the grammar of commands, shared by their JSON and their words.
struct CommandForm: Sendable {
  /// In the order in which words without a name fill them.
  var keys: [String] = []
  var required: [String] = []
  /// How many of the keys can be given as mere words.
  var positional = 0
  /// The key whose value is a list: it takes all words that are left.
  var list: String?

  init(_ keys: [String] = [], required: [String] = [], positional: Int? = nil, list: String? = nil) {
    self.keys = keys
    self.required = required
    self.positional = positional ?? keys.count
    self.list = list
  }
}

extension CommandForm {
  private static let level = CommandForm(["to", "over"], required: ["to"])
  private static let plain = CommandForm()

  /// Verbs that stand alone or with keys.
  static let verbs: [String: CommandForm] = [
    "play": plain, "pause": plain, "resume": plain, "toggle": plain, "next": plain, "previous": plain, "stop": plain,
    "nextStage": plain, "previousStage": plain,
    "metrics": CommandForm(["reset"], positional: 0),
    "finish": CommandForm(["fade"]),
    "seek": CommandForm(["to", "by"], positional: 1),
    "jump": CommandForm(["track"], required: ["track"]),
    "volume": level,
    "crossfade": CommandForm(["duration", "curve"]),
    "repeat": CommandForm(["mode", "count"], required: ["mode"]),
    "goto": CommandForm(["stage", "at"], required: ["stage"]),
    "gong": CommandForm(["sound", "volume"]),
  ]

  /// Verbs with an `op`.
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
        ["sound", "volume", "fadeIn", "fadeOut", "curve", "repeat", "duck", "layer"], required: ["sound"],
        positional: 2),
      "stop": plain, "pause": plain, "resume": plain, "volume": level,
      "repeat": CommandForm(["times", "delay"], required: ["times"]),
    ],
    "effects": [
      "volume": level, "stop": plain,
      "preload": CommandForm(["sounds"], required: ["sounds"], positional: 0, list: "sounds"),
      "unload": CommandForm(["sounds"], required: ["sounds"], positional: 0, list: "sounds"),
    ],
    "music": ["pause": plain, "resume": plain],
    "cache": ["clear": plain],
  ]

  static let names = (Array(verbs.keys) + Array(operations.keys)).sorted()
}
