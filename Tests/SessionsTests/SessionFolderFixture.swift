import Foundation

@testable import Markup
@testable import SessionFiles

/// A folder with the files of a session, which exists as long as the value.
final class SessionFolderFixture {
  let path: String

  /// - Parameter files: the texts of the files by their paths in the folder.
  init(_ files: [String: String] = [:]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Reads a file as the user would name it in this folder.
  func read(_ name: String = "s.yaml", _ settings: [String: String] = [:]) throws -> SessionReader.Reading {
    let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    var given = SessionSettings()
    for (number, value) in settings.sorted(by: { $0.key < $1.key }).enumerated() {
      given.set(value.key, to: value.value, at: SourceLocation(file: "given", line: number + 1))
    }
    return reader.read(text: text, path: name, folder: path, settings: given)
  }

  /// The diagnostics of a file, without the path of this folder.
  func problems(_ name: String = "s.yaml", _ settings: [String: String] = [:]) throws -> [String] {
    try read(name, settings).diagnostics.map { $0.description.replacing(path + "/", with: "") }
  }

  /// The session as one file; nil if it has errors.
  func resolved(_ name: String = "s.yaml", _ settings: [String: String] = [:]) throws -> Node.Meaning? {
    try read(name, settings).resolved?.root.meaning
  }
}

extension SessionFolderFixture {
  /// A session in YAML with one stage.
  ///
  /// - Parameter body: the keys before the stages, and with `stages:` the stages.
  static func session(_ body: String) -> String {
    "prosper: 1\ntitle: T\n" + body + (body.contains("stages:") ? "" : "stages: [{name: A, duration: 1m}]\n")
  }
}

/// What a text in YAML means, without its positions.
func meaning(_ text: String) throws -> Node.Meaning { try YAMLReader.read(text, file: "expected.yaml").meaning }
