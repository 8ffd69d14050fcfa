import Foundation
import Sounds

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The built-in sounds for the tests, as far as a session file refers to them.
let catalogue: [GeneratorDescription] = {
  let ringing = [setting("pitch", 20...4000), setting("decay", 0.1...60), setting("strike", 0...1)]
  let sounds: [(String, Bool, [GeneratorDescription.Setting])] = [
    ("bowl", false, ringing), ("gong", false, ringing), ("bell", false, ringing), ("wood", false, ringing),
    ("beep", false, [setting("pitch", 20...4000), setting("length", 0.01...10)]),
    ("white", true, []), ("pink", true, []), ("brown", true, []), ("rain", true, []), ("ocean", true, []),
    ("drone", true, [setting("pitch", 20...4000)]),
    ("binaural", true, [setting("carrier", 0...10_000), setting("beat", -100...100)]),
  ]
  return sounds.map { name, isEndless, settings in
    let tones = settings.filter { ["carrier", "beat"].contains($0.name) }
    return GeneratorDescription(
      name: name, summary: "", isEndless: isEndless, settings: settings,
      changing: isEndless ? tones + [setting("volume", 0...1)] : [])
  }
}()

private func setting(_ name: String, _ range: ClosedRange<Double>) -> GeneratorDescription.Setting {
  .init(name: name, range: range, standard: range.lowerBound, summary: "")
}

let reader = SessionReader(catalogue: catalogue, home: "/people/someone")

enum Examples {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Examples")
  static let sessions = folder.appending(path: "../../../sessions").standardized

  static func files(_ folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { name in
      ["json", "yaml"].contains { name.hasSuffix("." + $0) } && !name.hasSuffix(".schema.json")
    }.map { folder.appending(path: $0) }
  }

  static let good = files(folder.appending(path: "good")) + files(sessions)
  static let bad = files(folder.appending(path: "bad"))

  /// Reads a file as if its path were its name alone, so that expectations contain no folder.
  static func read(_ file: URL) throws -> SessionReader.Reading {
    let bytes = [UInt8](try Data(contentsOf: file))
    let name = file.lastPathComponent
    do throws(Diagnostic) {
      return reader.read(text: try TextBytes.text(bytes, file: name), path: name, folder: "/sessions")
    } catch {
      return SessionReader.Reading(
        session: nil, diagnostics: [error])
    }
  }
}
