import Engine
import Markup
import Signal
import Sounds

/// Reads sounds: names, paths, addresses, built-in sounds, and groups that add a part, a volume and a title.
///
/// Nothing is opened here. A sound becomes a `SoundSource` with an absolute path, an address or a recipe.
extension SessionParser {
  /// The keys that state the origin of a sound. A group has exactly one of them.
  private static let origins = ["file", "generate", "url"]
  /// The keys that any sound group may have.
  private static let common = ["start", "end", "volume", "title"]

  /// Reads the `sounds` group. The title of a sound without a title is its name in the group.
  mutating func define(_ node: Node?) {
    guard let node, let fields = anyFields(node, "'sounds'") else { return }
    for entry in fields.entries.values.sorted(by: { $0.location < $1.location }) {
      checkName(entry)
      sounds.updateValue(sound(entry.value, origins: Self.origins), forKey: entry.key)
      // Only a title that was derived from the source is replaced, not one that the file gives.
      if let title = sounds[entry.key]??.title, title == sounds[entry.key]??.source.label {
        sounds[entry.key]??.title = entry.key
      }
    }
  }

  /// Reports a name that would be read as a path or an address where it is used.
  private mutating func checkName(_ entry: Node.Entry) {
    let isEmpty = entry.key.allSatisfy(\.isWhitespace)
    guard isEmpty || entry.key.contains(where: \.isNewline) || Self.looksLikePath(entry.key) || entry.key.contains(":")
    else { return }
    report(
      entry.location,
      isEmpty ? "a sound has no name" : "the sound name '\(shown(entry.key))' looks like a path or an address",
      fix: "use a plain word without '/', ':' or a file extension")
  }

  /// Warns of definitions that nothing refers to. Runs after all stages and cues are read.
  mutating func warnOfUnused(_ node: Node?) {
    guard case .map(let entries)? = node?.content else { return }
    for entry in entries where !usedSounds.contains(entry.key) {
      problems.warn(entry.location, "the sound '\(shown(entry.key))' is never used", fix: "use it, or remove it")
    }
  }

  /// Reports a key of a sound that is written directly in a cue, as in `"overlays": [{"file": "a.wav"}]`.
  ///
  /// - Returns: false, without a report, if the key does not describe a sound.
  mutating func reportOrigin(_ entry: Node.Entry, in name: String) -> Bool {
    guard Self.origins.contains(entry.key), let text = entry.value.string else { return false }
    let needsGroup = entry.key == "file" && !Self.looksLikePath(text)
    let word = entry.key == "generate" ? "generate:" + text : text
    let sound = needsGroup ? "{\"file\": \"\(shown(text))\"}" : "\"\(shown(word))\""
    report(entry.location, "unknown key '\(entry.key)' in \(name)", fix: "write \"sound\": \(sound)")
    return true
  }

  /// Reads a sound in any of its notations; nil, with an error reported, if it is not valid.
  mutating func sound(_ node: Node?) -> Session.Sound? {
    guard let node else { return nil }
    return sound(node, origins: ["sound"] + Self.origins)
  }

  /// Reads a sound in any of its notations.
  ///
  /// - Parameter origins: the keys that may state its origin. A definition in `sounds` can't refer to another one, so
  ///   `sound` is not among its keys.
  private mutating func sound(_ node: Node, origins: [String]) -> Session.Sound? {
    if case .map = node.content { return soundGroup(node, origins: origins) }
    guard let text = node.string, !text.allSatisfy(\.isWhitespace) else {
      report(
        node.location, "a sound is \(node.string == nil ? node.kind : "empty")",
        fix: "write a name, a path, an address or \"generate:NAME\"")
      return nil
    }
    if origins.contains("sound") { return reference(text, at: node.location) }
    return origin(text, at: node.location, isDefinition: true)
  }

  /// Reads a sound that is written as a group of keys.
  private mutating func soundGroup(_ node: Node, origins: [String]) -> Session.Sound? {
    guard let fields = anyFields(node, "a sound") else { return nil }
    if !origins.contains("sound"), fields["sound"] != nil, !origins.contains(where: { fields[$0] != nil }) {
      reportReference(at: fields.location(of: "sound"))
      return nil
    }
    let given = origins.filter { fields[$0] != nil }
    guard let key = given.first, given.count == 1 else {
      let names = origins.map { "'\($0)'" }.joined(separator: ", ")
      let unknown = fields.entries.values.filter { !(origins + Self.common).contains($0.key) }
      for entry in unknown { reportUnknown(entry, in: "a sound", keys: origins + Self.common) }
      // The key was probably mistyped or is in the wrong group, which has been reported.
      let isMeant = { (key: String) in key == "sound" || Suggestion.nearest(to: key, among: origins) != nil }
      if given.isEmpty, unknown.contains(where: { isMeant($0.key) }) { return nil }
      report(
        node.location, "a sound has \(given.isEmpty ? "none" : "several") of \(names)", fix: "give exactly one of them")
      return nil
    }
    // The settings of a generator are checked against the catalogue, by `recipe`.
    if key != "generate" {
      for entry in fields.entries.values where !([key] + Self.common).contains(entry.key) {
        reportUnknown(entry, in: "a sound", keys: [key] + Self.common)
      }
    }
    let base = base(fields, key: key)
    return refine(base, by: fields)
  }

  /// The sound that a group refers to, without the group's part, volume and title.
  private mutating func base(_ fields: Fields, key: String) -> Session.Sound? {
    guard let node = fields[key], let text = name(node, key) else { return nil }
    switch key {
    case "sound": return reference(text, at: node.location)
    case "url": return remote(text, at: node.location)
    case "file": return local(text, at: node.location)
    default: return recipe(text, at: node.location, fields).map { plain(.generated($0), at: fields.location) }
    }
  }

  /// Applies a group's part (in seconds), volume and title to the sound that it refers to. Volumes are multiplied.
  private mutating func refine(_ base: Session.Sound?, by fields: Fields) -> Session.Sound? {
    let start = duration(fields["start"], "start")
    let end = interval(fields["end"], "end")
    let volume = volume(fields["volume"], upTo: VolumeSpelling.decibels.upperBound)
    let title = name(fields["title"], "title")
    guard var sound = base else { return nil }
    sound.location = fields.location
    sound.source.start = start ?? sound.source.start
    sound.source.end = end ?? sound.source.end
    sound.volume = sound.volume * (volume ?? .unity)
    sound.title = title ?? sound.title
    if let end = sound.source.end, end <= sound.source.start {
      report(
        fields.location(of: end == sound.source.end && fields["end"] != nil ? "end" : "start"),
        "'end' at \(TimeSpelling.text(end)) is not after 'start' at \(TimeSpelling.text(sound.source.start))",
        fix: "choose a later 'end'")
    }
    return sound
  }

  /// A whole sound at 0 dB, titled after its source.
  private func plain(_ origin: SoundSource.Origin, at location: SourceLocation) -> Session.Sound {
    let source = SoundSource(origin)
    return Session.Sound(source: source, volume: .unity, title: shown(source.label), location: location)
  }
}

extension SessionParser {
  /// A sound written as a string: a name from `sounds`, or else an origin.
  private mutating func reference(_ text: String, at location: SourceLocation) -> Session.Sound? {
    guard let definition = sounds[text] else { return origin(text, at: location) }
    usedSounds.insert(text)
    var sound = definition
    sound?.location = location
    return sound
  }

  /// Reports a definition in `sounds` that names another one.
  private mutating func reportReference(at location: SourceLocation) {
    report(
      location, "a sound in 'sounds' can't refer to another one",
      fix: "write the path, the address or \"generate:NAME\" of the sound")
  }

  /// A string that is not a name: a built-in sound, an address or a path.
  ///
  /// - Parameter isDefinition: whether the string stands in `sounds`, where it can't be a name.
  private mutating func origin(
    _ text: String, at location: SourceLocation, isDefinition: Bool = false
  ) -> Session.Sound? {
    if text.hasPrefix("generate:") {
      return recipe(String(text.dropFirst(9)), at: location, nil).map { plain(.generated($0), at: location) }
    }
    if Self.hasScheme(text) { return address(text, at: location) }
    if Self.looksLikePath(text) { return local(text, at: location) }
    if !knowsNames { return plain(.file(path: text), at: location) }
    let isBuiltIn = catalogue.contains { $0.name == text }
    if isDefinition, !isBuiltIn, Suggestion.nearest(to: text, among: catalogue.map(\.name)) == nil {
      reportReference(at: location)
      return nil
    }
    // Copies, because `report` changes the parser while it evaluates its texts.
    let (sounds, catalogue) = (sounds, catalogue)
    report(
      location, isDefinition ? "'\(shown(text))' is not a sound" : "there is no sound '\(shown(text))' in 'sounds'",
      fix: isBuiltIn ? "for the built-in sound, write 'generate:\(text)'" : Self.undefinedFix(text, sounds, catalogue))
    return nil
  }

  /// The most similar name, with or without its `generate:`.
  private static func undefinedFix(
    _ text: String, _ sounds: [String: Session.Sound?], _ catalogue: [GeneratorDescription]
  ) -> String {
    let names = Array(sounds.keys) + catalogue.map { "generate:" + $0.name }
    let bare = Suggestion.nearest(to: text, among: catalogue.map(\.name)).map { "generate:" + $0 }
    if let near = Suggestion.nearest(to: text, among: names) ?? bare { return "did you mean '\(shown(near))'?" }
    return "define it there, or write a path with its extension"
  }

  /// `file://` addresses become paths; all others must be HTTP or HTTPS.
  private mutating func address(_ text: String, at location: SourceLocation) -> Session.Sound? {
    if text.lowercased().hasPrefix("file://") { return fileAddress(text, at: location) }
    return remote(text, at: location)
  }

  /// An HTTP or HTTPS address. Only its shape is checked.
  private mutating func remote(_ text: String, at location: SourceLocation) -> Session.Sound? {
    let rest = ["http://", "https://"].first(where: text.lowercased().hasPrefix).map { text.dropFirst($0.count) }
    if let first = rest?.first, !"/?#".contains(first), !text.contains(where: \.isWhitespace) {
      return plain(.remote(address: text), at: location)
    }
    report(
      location, "'\(shown(text))' is not an http or https address",
      fix: "write an address such as https://example.org/bell.flac")
    return nil
  }

  /// The path of a `file://` address on this computer.
  private mutating func fileAddress(_ text: String, at location: SourceLocation) -> Session.Sound? {
    let rest = text.dropFirst("file://".count)
    let path = rest.lowercased().hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
    if path.hasPrefix("/"), let decoded = percentDecoded(path) { return local(decoded, at: location) }
    report(
      location, "'\(shown(text))' is not the address of a local file",
      fix: "write file:///folder/name, or the path alone"
    )
    return nil
  }

  /// The text with its `%XX` escapes decoded; nil if an escape is malformed or the bytes are not UTF-8.
  private func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A local file. A relative path starts at `folder`, or at the session's folder if a script's folder has no such
  /// file.
  private mutating func local(_ text: String, at location: SourceLocation) -> Session.Sound? {
    if text.unicodeScalars.contains(where: \.isControl) || text.isEmpty {
      report(location, "'\(shown(text))' is not a path", fix: "write the path of a sound file")
      return nil
    }
    if text.hasPrefix("~/"), let home { return plain(.file(path: home + text.dropFirst(1)), at: location) }
    if text.hasPrefix("/") { return plain(.file(path: text), at: location) }
    let relative = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
    let first = Self.path(relative, in: folder)
    // The sounds of a script's commands are searched in the script's folder first, then in the session's. Commands from
    // elsewhere have only the session's folder; reading them must not wait for a disk.
    guard let second = scope?.folder, second != folder, Session.fileProblem(first) != nil else {
      return plain(.file(path: first), at: location)
    }
    return plain(.file(path: Self.path(relative, in: second)), at: location)
  }

  /// Joins a folder, which may be the root, and a relative path.
  private static func path(_ relative: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + relative : folder + "/" + relative
  }

  /// Whether a string contains a separator, starts with `~`, or ends with an extension that has a letter in it.
  static func looksLikePath(_ text: String) -> Bool {
    if text.contains("/") || text.hasPrefix("~") { return true }
    guard let dot = text.lastIndex(of: ".") else { return false }
    let suffix = text[dot...].dropFirst()
    return 1...5 ~= suffix.count && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      && suffix.contains(where: \.isLetter)
  }

  /// Whether a string begins like an address. A regular expression would be compiled for each string of the file.
  private static func hasScheme(_ text: String) -> Bool {
    guard text.contains("://"), let scheme = text.split(separator: ":", omittingEmptySubsequences: false).first else {
      return false
    }
    return text.dropFirst(scheme.count).hasPrefix("://") && scheme.first?.isLetter == true
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
  }
}

extension Node.Entry {
  /// An entry whose value is a group that contains only this entry. With it, `check` reads a misplaced `file` as if it
  /// were in a `sound` group.
  var inGroup: Node.Entry {
    Node.Entry(key: key, location: location, value: Node(location: value.location, content: .map([self])))
  }
}
