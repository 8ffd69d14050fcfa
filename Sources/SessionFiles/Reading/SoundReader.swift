import Engine
import Markup
import Signal
import Sounds

/// Reads sounds: names, origins, and groups that add a part, a volume and a title.
///
/// It knows the names of a session's sounds, which are defined first and then referred to.
final class SoundReader {
  private var origins: OriginReader
  let problems: Problems
  /// The sounds that have a name. Nil for one whose definition is wrong: the error is reported there, and not at each
  /// use.
  private var named: [String: Session.Sound?] = [:]
  /// The names that have been referred to, for the warning about unused sounds.
  private var used: Set<String> = []
  /// False for commands that are read without a session: any word may then be the name of a sound.
  private let knowsNames: Bool

  /// - Parameters:
  ///   - catalogue: the generators that `"generate:NAME"` may name.
  ///   - folder: the absolute folder at which relative paths start.
  ///   - home: the absolute path that replaces the `~` of `~/`.
  ///   - scope: the session whose sounds commands may name. A file that `folder` does not contain is searched in its
  ///     folder.
  init(
    catalogue: [GeneratorDescription], folder: String, home: String?, scope: CommandScope? = nil,
    knowsNames: Bool = true, _ problems: Problems
  ) {
    let second = scope?.folder == folder ? nil : scope?.folder
    origins = OriginReader(
      catalogue: catalogue, folder: folder, secondFolder: second, home: home, language: scope?.language,
      problems: problems)
    (named, self.knowsNames, self.problems) = (scope?.sounds.mapValues(Optional.some) ?? [:], knowsNames, problems)
  }

  /// The language in which texts are spoken, unless their voice has its own. Set before sounds are read.
  func speak(_ language: String?) { origins.language = language }

  /// Reads the `sounds` group. The title of a sound without a title is its name in the group.
  ///
  /// - Returns: the valid ones.
  func define(_ value: Value?) -> [String: Session.Sound] {
    guard let value, let fields = Fields(value.node, "'sounds'", problems) else { return [:] }
    for entry in fields.others(than: []) {
      checkName(entry)
      var sound = sound(entry.value, isDefinition: true)
      // Only a title that was derived from the source is replaced, not one that the file gives.
      if let title = sound?.title, title == sound?.source.label { sound?.title = entry.key }
      named.updateValue(sound, forKey: entry.key)
    }
    return named.compactMapValues(\.self)
  }

  /// Reports a name that would be read as a path or an address where it is used.
  private func checkName(_ entry: Node.Entry) {
    let isEmpty = entry.key.allSatisfy(\.isWhitespace)
    guard
      isEmpty || entry.key.contains(where: \.isNewline) || OriginReader.looksLikePath(entry.key)
        || entry.key.contains(":")
    else { return }
    problems.report(
      .invalidValue, entry.location,
      isEmpty ? "a sound has no name" : "the sound name '\(shown(entry.key))' looks like a path or an address",
      fix: "use a plain word without '/', ':' or a file extension")
  }

  /// Warns of definitions that nothing refers to. Called after all stages and cues are read. An included file may define
  /// more sounds than a session needs.
  func warnOfUnused(_ value: Value?) {
    guard case .map(let entries)? = value?.node.content else { return }
    for entry in entries where !used.contains(entry.key) && entry.location.includedFrom.isEmpty {
      problems.warn(
        .unused, entry.location, "the sound '\(shown(entry.key))' is never used", fix: "use it, or remove it")
    }
  }

  /// Whether a sound plays until something stops it.
  func isEndless(_ sound: Session.Sound) -> Bool { origins.isEndless(sound) }

  /// Reports a sound that never ends, because a gong sounds until it has decayed.
  func checkGong(_ sound: Session.Sound) {
    guard isEndless(sound) else { return }
    problems.report(
      .endless, sound.location, "'\(shown(sound.title))' never ends, so it can't be a gong",
      fix: "use an overlay, or give the sound an 'end'")
  }

  /// Reads a sound in any of its notations; nil, with an error reported, if it is not valid.
  ///
  /// - Parameter isDefinition: whether it stands in `sounds`, where it can't refer to another one.
  func sound(_ node: Node, isDefinition: Bool = false) -> Session.Sound? {
    if case .map = node.content { return group(node, isDefinition: isDefinition) }
    if let text = node.string, !text.allSatisfy(\.isWhitespace) {
      return sound(text, at: node.location, isDefinition: isDefinition)
    }
    problems.report(
      .invalidValue, node.location, "a sound is \(node.string == nil ? node.kind : "empty")",
      fix: "write a name, a path, an address or \"generate:NAME\"")
    return nil
  }

  /// The absolute path of a picture, which is written like that of a sound; nil, with an error reported, if the value is
  /// no path.
  func picture(_ value: Value) -> String? {
    guard let text = value.name else { return nil }
    let isPath = text.contains("://") ? text.lowercased().hasPrefix("file://") : !text.hasPrefix("generate:")
    guard isPath, !text.unicodeScalars.contains(where: \.isControl) else {
      return value.refused(fix: "write the path of a JPEG or PNG file")
    }
    return origins.origin(text, at: value.location)?.path
  }

  /// Reads the sounds of a list, and leaves out those that are not valid.
  func sounds(_ nodes: [Node]) -> [Session.Sound] { nodes.compactMap { sound($0) } }

  /// Reads a sound that is written as a group of keys.
  private func group(_ node: Node, isDefinition: Bool) -> Session.Sound? {
    guard let fields = Fields(node, "a sound", problems) else { return nil }
    let origins = (isDefinition ? [] : ["sound"]) + OriginReader.keys
    let given = origins.filter { fields[$0] != nil }
    if isDefinition, given.isEmpty, fields["sound"] != nil {
      return reportReference(at: fields.location(of: "sound"))
    }
    guard let key = given.first, given.count == 1 else {
      return reportOrigins(of: fields, given: given.count, among: origins)
    }
    // The settings of a generator are checked against the catalogue.
    if key != "generate" {
      let keys = [key] + (key == "say" ? OriginReader.speechKeys : []) + OriginReader.commonKeys
      for entry in fields.others(than: keys) { fields.reportUnknown(entry, keys: keys) }
    }
    // A spoken text may have several lines.
    let base = (key == "say" ? fields[key]?.text : fields[key]?.name).flatMap { name in
      let location = fields[key]?.location ?? fields.location
      return key == "sound"
        ? sound(name, at: location, isDefinition: false)
        : self.origins.origin(name, of: key, at: location, fields).map { Session.Sound($0, at: fields.location) }
    }
    return refine(base, by: fields)
  }

  /// Reports a group without an origin, or with several.
  private func reportOrigins(of fields: Fields, given: Int, among origins: [String]) -> Session.Sound? {
    let keys = origins + OriginReader.commonKeys
    let unknown = fields.others(than: keys)
    for entry in unknown { fields.reportUnknown(entry, keys: keys) }
    // The key was probably mistyped or is in the wrong group, which has been reported.
    let isMeant = { (key: String) in key == "sound" || Suggestion.nearest(to: key, among: origins) != nil }
    if given == 0, unknown.contains(where: { isMeant($0.key) }) { return nil }
    let names = origins.map { "'\($0)'" }.joined(separator: ", ")
    problems.report(
      .conflict, fields.location, "a sound has \(given == 0 ? "none" : "several") of \(names)",
      fix: "give exactly one of them")
    return nil
  }

  /// Applies a group's part (in seconds), volume and title to the sound that it refers to. Volumes are multiplied.
  private func refine(_ base: Session.Sound?, by fields: Fields) -> Session.Sound? {
    let start = fields["start"]?.duration
    let end = fields["end"]?.interval
    let volume = fields["volume"]?.volume(upTo: VolumeSpelling.decibels.upperBound)
    let title = fields["title"]?.name
    let loudness = fields["loudness"].flatMap(\.loudnessTarget)
    guard var sound = base else { return nil }
    sound.location = fields.location
    sound.source.start = start ?? sound.source.start
    sound.source.end = end ?? sound.source.end
    sound.volume = sound.volume * (volume ?? .unity)
    sound.title = title ?? sound.title
    sound.loudness = loudness ?? sound.loudness
    if let end = sound.source.end, end <= sound.source.start {
      problems.report(
        .invalidValue, fields.location(of: fields["end"] == nil ? "start" : "end"),
        "'end' at \(TimeSpelling.text(end)) is not after 'start' at \(TimeSpelling.text(sound.source.start))",
        fix: "choose a later 'end'")
    }
    return sound
  }

  /// A sound that is written as a string: a name from `sounds`, or else an origin.
  private func sound(_ text: String, at location: SourceLocation, isDefinition: Bool) -> Session.Sound? {
    if !isDefinition, let definition = named[text] {
      used.insert(text)
      var sound = definition
      sound?.location = location
      return sound
    }
    if OriginReader.isOrigin(text) {
      return origins.origin(text, at: location).map { Session.Sound($0, at: location) }
    }
    if !knowsNames { return Session.Sound(.file(path: text), at: location) }
    let builtIn = origins.catalogue.map(\.name)
    if isDefinition, !builtIn.contains(text), Suggestion.nearest(to: text, among: builtIn) == nil {
      return reportReference(at: location)
    }
    problems.report(
      .unknownName, location,
      isDefinition ? "'\(shown(text))' is not a sound" : "there is no sound '\(shown(text))' in 'sounds'",
      fix: builtIn.contains(text) ? "for the built-in sound, write 'generate:\(text)'" : undefinedFix(text, builtIn))
    return nil
  }

  /// Reports a definition in `sounds` that names another one.
  private func reportReference(at location: SourceLocation) -> Session.Sound? {
    problems.report(
      .conflict, location, "a sound in 'sounds' can't refer to another one",
      fix: "write the path, the address or \"generate:NAME\" of the sound")
    return nil
  }

  /// The most similar name, with or without its `generate:`.
  private func undefinedFix(_ text: String, _ builtIn: [String]) -> String {
    let names = Array(named.keys) + builtIn.map { "generate:" + $0 }
    let bare = Suggestion.nearest(to: text, among: builtIn).map { "generate:" + $0 }
    if let near = Suggestion.nearest(to: text, among: names) ?? bare { return "did you mean '\(shown(near))'?" }
    return "define it there, or write a path with its extension"
  }
}
