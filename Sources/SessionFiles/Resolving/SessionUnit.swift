import Markup

/// A file with stages, and the files of its `include` at the top: they share their parameters.
struct SessionUnit {
  private let part: SessionPart
  /// The files of `include` at the top, each after those that it includes itself.
  private let libraries: [SessionPart]
  private let resolving: Resolving
  private let scope: ParameterScope
  /// The parameters with their values, in the order in which they are declared.
  let parameters: [SessionParameter]

  /// - Parameter given: the value that is given for a parameter; nil if its default applies.
  init(
    _ part: SessionPart, _ resolving: Resolving, given: (String) -> ParameterScope.Filled??
  ) throws(Diagnostic) {
    (self.part, self.resolving) = (part, resolving)
    var libraries = SessionLibraries(resolving)
    try libraries.collect(from: part)
    self.libraries = libraries.parts
    var declarations = ParameterList(resolving)
    for part in libraries.parts + [part] { declarations.add(part) }
    try declarations.fill(given)
    (scope, parameters) = (declarations.scope, declarations.parameters)
  }

  /// The first unit of a session, whose parameters have the values that were given when it is read.
  init(_ part: SessionPart, _ resolving: Resolving, settings: (String) -> Node?) throws(Diagnostic) {
    try self.init(part, resolving) { name in
      guard let node = settings(name) else { return nil }
      return ParameterScope.Filled(node: node, prefix: "")
    }
  }

  /// Fills in the values of the file with stages.
  var filling: PartFilling { filling(of: part) }

  private func filling(of part: SessionPart) -> PartFilling {
    PartFilling(scope: scope, prefix: part.prefix, resolving: resolving)
  }

  /// Adds the sounds of the unit to those of the session.
  ///
  /// - Returns: their names, which are new ones for those that have another meaning than at an earlier include.
  @discardableResult
  func defineSounds() throws(Diagnostic) -> [String: String] {
    var names: [String: String] = [:]
    for part in libraries + [part] {
      guard let value = part.entry("sounds")?.value, case .map(let entries) = value.content else { continue }
      var known: Set<String> = []
      for entry in try filling(of: part).filled(entries, in: .definitions, depth: 2) {
        guard known.insert(entry.key).inserted else {
          resolving.sounds.addRepeated(entry)
          continue
        }
        names[entry.key] = resolving.sounds.add(entry, resolving.problems)
      }
    }
    return names
  }

  /// The stages, with those of included files in their places.
  ///
  /// - Parameters:
  ///   - names: the names of the sounds that have another one here than in the file.
  ///   - session: the entries of the session as a whole.
  func stages(
    _ value: Node, names: [String: String] = [:], sessionWide session: [Node.Entry]
  ) throws(Diagnostic) -> Node {
    var filling = filling
    filling.renamed = names
    guard case .list(let elements) = value.content else { return try filling.filled(value, depth: 1) }
    var stages: [Node] = []
    for element in elements {
      if element.isInclude {
        stages += try included(element, names: names, sessionWide: session)
      } else {
        stages.append(try filling.filled(element, depth: 2))
      }
    }
    return Node(location: value.location, content: .list(stages))
  }

  /// The stages of a file that stands in the place of a stage.
  private func included(
    _ element: Node, names: [String: String], sessionWide session: [Node.Entry]
  ) throws(Diagnostic) -> [Node] {
    let problems = resolving.problems
    guard
      let fields = Fields(
        element, "a stage with 'include'", keys: ["include", "set"], required: ["include"], problems),
      let path = fields["include"]?.node,
      let inner = try resolving.part(
        try filling.filled(path, as: .path, depth: 3), includedIn: part)
    else { return [] }
    let values = try settings(fields["set"]?.node)
    let place = path.location
    let unit = try SessionUnit(inner, resolving) { name in
      if let value = values[name] { return value }
      guard let value = scope.values[name] else { return nil }
      // A mistake in the value is one of this include.
      return value.map { value in
        var value = value
        value.node.location = place
        return value
      }
    }
    unit.reportUnknown(fields["set"]?.node)
    guard inner.check(asPartOf: resolving.isNew(inner) ? session : nil, requires: "stages", problems),
      let stages = inner.entry("stages")?.value
    else { return [] }
    // A sound that the file does not define is that of the file around it.
    let inside = names.merging(try unit.defineSounds()) { $1 }
    guard case .list(let nodes) = try unit.stages(stages, names: inside, sessionWide: session).content else {
      problems.report(
        .invalidValue, stages.location, "'stages' is \(stages.kind)", fix: "write a list of stages")
      return []
    }
    return nodes
  }

  /// The values of `set`, with the parameters of this file filled in; nil for one that can't be filled in.
  private func settings(_ node: Node?) throws(Diagnostic) -> [String: ParameterScope.Filled?] {
    guard let node, let fields = Fields(node, "'set'", resolving.problems) else { return [:] }
    var values: [String: ParameterScope.Filled?] = [:]
    for entry in fields.others(than: []) {
      values.updateValue(
        try ParameterList.filled(entry.value, in: scope, prefix: part.prefix, resolving), forKey: entry.key)
    }
    return values
  }

  /// Reports names of `set` that this file, which it is for, does not have.
  private func reportUnknown(_ node: Node?) {
    guard case .map(let entries)? = node?.content else { return }
    let names = Set(parameters.map(\.name))
    for entry in entries where !names.contains(entry.key) {
      resolving.problems.report(
        .unknownName, entry.location, "the included file has no parameter '\(shown(entry.key))'",
        fix: Suggestion.fix(for: entry.key, among: names.sorted()))
    }
  }
}

/// Collects the files of `include` at the top of a file, and of the files that they include.
private struct SessionLibraries {
  let resolving: Resolving
  private(set) var parts: [SessionPart] = []
  private var known: Set<String> = []

  init(_ resolving: Resolving) { self.resolving = resolving }

  mutating func collect(from part: SessionPart) throws(Diagnostic) {
    guard let entry = part.entry("include") else { return }
    for node in Value(entry.value, of: "include", resolving.problems).elements(ofWords: true) {
      if let text = node.plainText, text.contains("${") {
        resolving.problems.report(
          .invalidValue, node.location, "'include' at the top has a parameter",
          fix: "write the path itself: the file may define parameters")
        resolving.isIncomplete = true
        continue
      }
      let path = node.string.map { Node(location: node.location, content: .text(part.path($0))) }
      guard let inner = try resolving.part(path ?? node, includedIn: part) else { continue }
      guard let identity = inner.trail.last?.path, known.insert(identity).inserted else { continue }
      guard inner.check(asPartOf: nil, requires: nil, resolving.problems) else {
        resolving.isIncomplete = true
        continue
      }
      try collect(from: inner)
      parts.append(inner)
    }
  }
}

extension SessionPart {
  /// The first entry of the file with a key.
  func entry(_ key: String) -> Node.Entry? {
    guard case .map(let entries) = root.content else { return nil }
    return entries.first { $0.key == key }
  }

  /// Checks the keys of an included file.
  ///
  /// - Parameters:
  ///   - session: the entries of the session for whose stages it is included; nil if only its sounds and parameters are
  ///     used.
  ///   - key: the key that it must have beside its version.
  /// - Returns: false if it is no group of keys.
  fileprivate func check(asPartOf session: [Node.Entry]?, requires key: String?, _ problems: Problems) -> Bool {
    guard
      let fields = Fields(
        root, "the included file", keys: SessionParser.keys, required: ["prosper"] + [key].compactMap(\.self), problems)
    else { return false }
    SessionParser.checkVersion(fields["prosper"], problems)
    if let session { warnOfLost(in: session, problems) }
    return true
  }

  /// Warns of values for a session as a whole, which change the sound when the file is played by itself, and not here.
  private func warnOfLost(in session: [Node.Entry], _ problems: Problems) {
    for key in ["sampleRate", "volume", "crossfade", "fadeIn", "fadeOut", "loudness", "language", "overlays", "gongs"] {
      guard let entry = entry(key), entry.value.meaning != session.first(where: { $0.key == key })?.value.meaning
      else { continue }
      problems.warn(
        .noEffect, entry.location, "'\(key)' of an included file has no effect",
        fix: "write it in the session that includes it"
          + (key == "language" ? "; a 'voice' beside 'say' has its own language" : ", or in the stages"))
    }
  }
}
