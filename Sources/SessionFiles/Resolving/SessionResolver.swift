import Markup

/// Puts a session together from its files: fills in its parameters and replaces its includes, so that all later code
/// reads one file.
///
/// A file without the keys `parameters` and `include` stays as it is. Values keep their locations, so mistakes are
/// reported where they are written.
struct SessionResolver {
  private let resolving: Resolving
  private let settings: SessionSettings
  /// The parameters of the session with their values, in the order of its files.
  private(set) var parameters: [SessionParameter] = []

  /// - Parameters:
  ///   - file: the session file as the user named it.
  ///   - folder: its absolute folder.
  init(file: String, folder: String, home: String?, settings: SessionSettings, _ problems: Problems) {
    resolving = Resolving(file: file, folder: folder, home: home, problems)
    self.settings = settings
  }

  /// The absolute paths of the included files, also of those that could not be read.
  var files: [String] { resolving.parts.files }

  /// Whether something is missing because of an error that has been reported. What would be reported about the rest would
  /// mislead.
  var isIncomplete: Bool { resolving.isIncomplete }

  /// Whether all values could be filled in.
  var isFilled: Bool { resolving.unfilled.isEmpty && parameters.allSatisfy { $0.value != nil } }

  /// Whether each parameter without a default was given a value.
  var isGiven: Bool {
    parameters.allSatisfy { $0.value != nil || $0.standard != nil || settings.values[$0.name] != nil }
  }

  /// The places of values that could not be filled in, which has been reported.
  var unfilled: Set<SourceLocation> { resolving.unfilled }

  /// The session as one file. Problems are reported.
  ///
  /// - Throws: if it becomes too large.
  mutating func resolved(_ root: Node) throws(Diagnostic) -> Node {
    guard case .map(let entries) = root.content, Self.hasParts(entries) else {
      reportUnknownSettings([])
      return root
    }
    let first = resolving.parts.first(root)
    let unit = try SessionUnit(first, resolving, settings: settings.node)
    parameters = unit.parameters
    reportUnknownSettings(parameters.map(\.name))
    try unit.defineSounds()
    var resolved: [Node.Entry] = []
    let own = Set(entries.map(\.key))
    for entry in entries where !["parameters", "include", "sounds"].contains(entry.key) {
      var entry = entry
      entry.value =
        entry.key == "stages"
        ? try unit.stages(entry.value, sessionWide: entries)
        : try unit.filling.filled([entry], in: .plain, depth: 1)[0].value
      resolved.append(entry)
    }
    let index = Self.place(ofSoundsIn: resolved, before: entries)
    if own.contains("sounds") || !resolving.sounds.entries.isEmpty {
      resolved.insert(soundsEntry(in: entries, at: root.location), at: index)
    }
    return Node(location: root.location, content: .map(resolved))
  }

  /// Whether a session has parameters or includes.
  private static func hasParts(_ entries: [Node.Entry]) -> Bool {
    entries.contains { entry in
      if ["parameters", "include"].contains(entry.key) { return true }
      guard entry.key == "stages", case .list(let stages) = entry.value.content else { return false }
      return stages.contains { $0.isInclude }
    }
  }

  private func reportUnknownSettings(_ known: [String]) {
    if settings.isForSeveral { return }
    for (name, location) in settings.names where !known.contains(name) {
      resolving.problems.report(
        .unknownName, location,
        known.isEmpty ? "the session has no parameters" : "the session has no parameter '\(shown(name))'",
        fix: known.isEmpty ? "set none" : Suggestion.fix(for: name, among: known))
    }
  }

  /// Where the group `sounds` stands: where it is in the file, or before the stages.
  private static func place(ofSoundsIn resolved: [Node.Entry], before entries: [Node.Entry]) -> Int {
    let place = entries.first { $0.key == "sounds" } ?? entries.first { $0.key == "stages" }
    guard let place else { return resolved.count }
    return resolved.firstIndex { place.location <= $0.location } ?? resolved.count
  }

  private func soundsEntry(in entries: [Node.Entry], at location: SourceLocation) -> Node.Entry {
    var entry =
      entries.first { $0.key == "sounds" }
      ?? Node.Entry(key: "sounds", location: location, value: Node(location: location, content: .map([])))
    if case .map = entry.value.content { entry.value.content = .map(resolving.sounds.entries) }
    return entry
  }
}

extension Node {
  /// Whether an element of `stages` stands for the stages of another file.
  var isInclude: Bool {
    guard case .map(let entries) = content else { return false }
    return entries.contains { $0.key == "include" }
  }
}
