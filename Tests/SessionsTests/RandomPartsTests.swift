import Foundation
import TestSupport
import Testing

@testable import Markup
@testable import SessionFiles

/// Random sessions with parameters and includes are the same as what a simple reference makes of them: one file, in which
/// every sound has its absolute path and its title.
struct RandomPartsTests {
  private static let perSuite = 270

  @Test(arguments: 0..<4) func `a random session in several files is that of the reference`(part: Int) throws {
    var compared = 0
    for seed in part * Self.perSuite..<(part + 1) * Self.perSuite {
      var model = RandomParts(seed: UInt64(seed))
      let fixture = try SessionFolderFixture(model.files)
      let (whole, settings) = model.reference(in: fixture.path)
      let reading = try fixture.read("s.yaml", settings)
      let expected = reader.read(text: whole, path: "whole.yaml", folder: "/")
      // A longer name is not shown as a whole.
      if whole.split(whereSeparator: { "/\"".contains($0) }).contains(where: { 80 < $0.count }) { continue }
      compared += 1
      let (session, single) = (reading.session, expected.session)
      try #require(session != nil && single != nil, "seed \(seed): \(reading.diagnostics) \(expected.diagnostics)")
      let (got, wanted) = (session.map(Self.stages), single.map(Self.stages))
      try #require(got == wanted, "seed \(seed)")
      #expect(session?.title == single?.title)
      // The session as one file is the same again.
      let text = reading.resolved.map { SessionWriter.text(ofResolved: $0.root, $0.format) } ?? ""
      let again = reader.read(text: text, path: "again.yaml", folder: fixture.path)
      try #require(again.session.map(Self.stages) == wanted, "seed \(seed): \(again.diagnostics)")
    }
    #expect(250 <= compared)
  }

  private static func stages(of session: Session) -> [Session.Stage] { session.withoutLocations.stages }
}

/// A random session in up to seven files, in which a part can include the parts after it.
private struct RandomParts {
  /// A text with references to parameters.
  private enum Piece {
    case text(String)
    case parameter(String)
    /// `${` as text.
    case literal
  }

  private typealias Text = [Piece]

  /// What a parameter is: text with or without quotes, and the folder at which it starts if it is a path.
  private struct Filled {
    var text: String
    var isQuoted: Bool
    var folder: String
  }

  private struct File {
    var folder: String
    var name: String
    var libraries: [Int]
    /// Nil for one that each include sets.
    var parameters: [(name: String, standard: Text?)]
    var sounds: [(name: String, path: Text)]
    var stages: [Stage] = []
    var path: String { (folder.isEmpty ? "" : folder + "/") + name }
  }

  private enum Stage {
    case own(name: Text, duration: Text, tracks: [Track])
    case include(Int, set: [(name: String, value: Text)])
  }

  private enum Track {
    case path(Text)
    case sound(String)
  }

  private var random: Random
  /// The first file, the parts, and the libraries.
  private var all: [File] = []
  private var settings: [String: String] = [:]
  private static let folders = ["", "a", "a/b", "c"]

  init(seed: UInt64) {
    random = Random(seed: seed)
    let (parts, libraries) = (random.next(0...3), random.next(0...3))
    for index in 0...(parts + libraries) {
      let isLibrary = parts < index
      var file = File(
        folder: index == 0 ? "" : Self.folders[random.next(0...3)], name: index == 0 ? "s.yaml" : "f\(index).yaml",
        libraries: [], parameters: [], sounds: [])
      let last = parts + libraries
      // A library includes those after it, and a part any of them.
      let choices = isLibrary ? Array((index + 1)..<(last + 1)) : Array((parts + 1)..<(last + 1))
      file.libraries = choices.filter { _ in random.next(0...2) == 0 }
      // Without parameters and includes, the first file would stay as it is.
      for number in 0..<random.next((index == 0 ? 1 : 0)...3) {
        file.parameters.append((isLibrary ? "l\(index)x\(number)" : "p\(number)", nil))
      }
      if index != 0, !isLibrary { file.parameters.append(("id", nil)) }
      all.append(file)
    }
    for index in all.indices.reversed() { fill(index, parts: parts) }
    for parameter in visible(0) where random.next(0...3) == 0 { settings[parameter.name] = "\(random.next(0...9))" }
  }

  /// The parameters of a file and its libraries, in the order in which they get their values.
  private func visible(_ index: Int) -> [(name: String, standard: Text?, file: Int)] {
    unit(index).flatMap { file in all[file].parameters.map { ($0.name, $0.standard, file) } }
  }

  /// The libraries of a file, each once and after its own libraries, and the file.
  private func unit(_ index: Int) -> [Int] {
    var known: [Int] = []
    func add(_ file: Int) {
      for library in all[file].libraries where !known.contains(library) { add(library) }
      if !known.contains(file) { known.append(file) }
    }
    add(index)
    return known
  }

  private mutating func fill(_ index: Int, parts: Int) {
    let isLibrary = parts < index
    var names = unit(index).dropLast().flatMap { all[$0].parameters.map(\.name) }
    for number in all[index].parameters.indices where all[index].parameters[number].name != "id" {
      all[index].parameters[number].standard = text(of: names, "v\(index)")
      names.append(all[index].parameters[number].name)
    }
    if all[index].parameters.contains(where: { $0.name == "id" }) { names.append("id") }
    for number in 0..<random.next(0...2) {
      all[index].sounds.append(("s\(index)x\(number)", [.text("audio/")] + text(of: names, "x") + [.text(".wav")]))
    }
    if isLibrary { return }
    let id: Text = index == 0 ? [] : [.parameter("id")]
    for number in 0..<random.next(1...3) {
      let name = id + [.text("/\(number) ")] + text(of: names, "stage")
      let sounds = unit(index).flatMap { all[$0].sounds.map(\.name) }
      let tracks = (0..<random.next(1...3)).map { _ in
        if !sounds.isEmpty, random.next(0...1) == 0 { return Track.sound(sounds[random.next(0...sounds.count - 1)]) }
        // Alone, a parameter is no path; with "./" it is one in this file's folder.
        return .path([.text("./")] + text(of: names, "t") + [.text(".wav")])
      }
      all[index].stages.append(.own(name: name, duration: [.text("\(random.next(1...90))")], tracks: tracks))
    }
    for inner in 0..<(index < parts ? random.next(0...2) : 0) {
      let part = random.next((index + 1)...parts)
      var set: [(String, Text)] = [("id", id + [.text("\(inner)")])]
      for parameter in visible(part) where parameter.name != "id" && random.next(0...2) == 0 {
        set.append((parameter.name, text(of: names, "set")))
      }
      all[index].stages.insert(.include(part, set: set), at: random.next(0...all[index].stages.count))
    }
  }

  private mutating func text(of names: [String], _ word: String) -> Text {
    if random.next(0...4) == 0, let name = names.last { return [.parameter(name)] }
    return (0..<random.next(1...2)).map { index in
      if !names.isEmpty, random.next(0...1) == 0 { return .parameter(names[random.next(0...names.count - 1)]) }
      return random.next(0...9) == 0 ? .literal : .text("\(word)\(index)")
    }
  }
}

/// The files.
extension RandomParts {
  var files: [String: String] {
    Dictionary(uniqueKeysWithValues: all.indices.map { (all[$0].path, text(of: $0)) })
  }

  private func text(of index: Int) -> String {
    let file = all[index]
    var lines = ["prosper: 1"]
    if index == 0 { lines.append("title: \"T ${\("p0")}\"") }
    if index == 0, !visible(0).contains(where: { $0.name == "p0" }) { lines[1] = "title: T" }
    if !file.libraries.isEmpty {
      lines.append("include: [\(file.libraries.map { Self.way(from: file, to: all[$0]) }.joined(separator: ", "))]")
    }
    if !file.parameters.isEmpty {
      let parameters = file.parameters.map { "\($0.name): \($0.standard.map(Self.written) ?? "{description: needed}")" }
      lines.append("parameters: {\(parameters.joined(separator: ", "))}")
    }
    if !file.sounds.isEmpty {
      lines.append("sounds: {\(file.sounds.map { "\($0.name): \(Self.written($0.path))" }.joined(separator: ", "))}")
    }
    if !file.stages.isEmpty { lines.append("stages:") }
    return (lines + file.stages.map { "  - " + line(of: $0, in: file) }).joined(separator: "\n") + "\n"
  }

  private func line(of stage: Stage, in file: File) -> String {
    switch stage {
    case .include(let part, let set):
      let values = set.map { "\($0.name): \(Self.written($0.value))" }.joined(separator: ", ")
      return "{include: \(Self.way(from: file, to: all[part])), set: {\(values)}}"
    case .own(let name, let duration, let tracks):
      let sounds = tracks.map { track in
        switch track {
        case .path(let path): Self.written(path)
        case .sound(let name): name
        }
      }
      return "{name: \(Self.written(name)), duration: \(duration.isEmpty ? "" : Self.bare(duration)), "
        + "tracks: [\(sounds.joined(separator: ", "))]}"
    }
  }

  private static func bare(_ text: Text) -> String { String(written(text).dropFirst().dropLast()) }

  private static func written(_ text: Text) -> String {
    let body = text.map { piece in
      switch piece {
      case .text(let text): text
      case .parameter(let name): "${\(name)}"
      case .literal: "$${"
      }
    }.joined()
    return "\"\(body)\""
  }

  private static func way(from file: File, to other: File) -> String {
    let depth = file.folder.isEmpty ? 0 : file.folder.split(separator: "/").count
    return "\"" + String(repeating: "../", count: depth) + other.path + "\""
  }
}

/// The reference.
extension RandomParts {
  /// The session as one file, and the values that are given when it is read.
  mutating func reference(in folder: String) -> (text: String, settings: [String: String]) {
    let values = values(of: 0, given: settings.mapValues { Filled(text: $0, isQuoted: false, folder: "") }, outer: [:])
    let title = visible(0).contains { $0.name == "p0" } ? "T " + (values["p0"]?.text ?? "") : "T"
    let stages = stages(of: 0, values, in: folder)
    return (
      "prosper: 1\ntitle: \(Self.quoted(title))\nstages:\n" + stages.map { "  - \($0)\n" }.joined(), settings
    )
  }

  private func values(
    of index: Int, given: [String: Filled], outer: [String: Filled]
  ) -> [String: Filled] {
    var values: [String: Filled] = [:]
    for (name, standard, file) in visible(index) {
      values[name] =
        given[name] ?? outer[name] ?? standard.map { Self.filled($0, values, all[file].folder) }
    }
    return values
  }

  private static func filled(_ text: Text, _ values: [String: Filled], _ folder: String) -> Filled {
    if text.count == 1, case .parameter(let name) = text[0], let value = values[name] { return value }
    let body = text.map { piece in
      switch piece {
      case .text(let text): text
      case .parameter(let name): values[name]?.text ?? "?"
      case .literal: "${"
      }
    }.joined()
    return Filled(text: body, isQuoted: true, folder: folder)
  }

  private func stages(of index: Int, _ values: [String: Filled], in folder: String) -> [String] {
    let file = all[index]
    return file.stages.flatMap { stage -> [String] in
      switch stage {
      case .include(let part, let set):
        let given = Dictionary(set.map { ($0.name, Self.filled($0.value, values, file.folder)) }) { $1 }
        return stages(of: part, self.values(of: part, given: given, outer: values), in: folder)
      case .own(let name, let duration, let tracks):
        let sounds = tracks.map { track in
          switch track {
          case .path(let path):
            return Self.quoted(Self.absolute(Self.filled(path, values, file.folder), folder))
          case .sound(let name):
            guard let owner = unit(index).first(where: { all[$0].sounds.contains { $0.name == name } }),
              let sound = all[owner].sounds.first(where: { $0.name == name })
            else { return "?" }
            let path = Self.absolute(Self.filled(sound.path, values, all[owner].folder), folder)
            return "{file: \(Self.quoted(path)), title: \(Self.quoted(name))}"
          }
        }
        let title = Self.filled(name, values, file.folder).text
        return [
          "{name: \(Self.quoted(title)), duration: \(Self.bare(duration)), tracks: [\(sounds.joined(separator: ", "))]}"
        ]
      }
    }
  }

  private static func absolute(_ value: Filled, _ folder: String) -> String {
    let path = value.text.hasPrefix("./") ? String(value.text.dropFirst(2)) : value.text
    return folder + "/" + (value.folder.isEmpty ? "" : value.folder + "/") + path
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
