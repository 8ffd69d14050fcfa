import AudioFiles
import Engine
import Foundation
import Glibc
import Player
import SavedState
import Schedule
import Synchronization

/// Fingerprints everything that a session consists of: the text of its file, the size and modification time of each
/// sound file, and the content of each downloaded sound.
///
/// Each file is examined once and remembered, so that a file that changes while the session plays does not change the
/// fingerprint: the next run detects the change. Any thread.
final class SessionSounds: Sendable {
  private let text: Fingerprint
  private let planned: Set<SoundSource.Origin>
  private let seen = Mutex<[String: String?]>([:])

  init(of programme: Programme, at path: String) {
    text = Fingerprint((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
    planned = Set(programme.sources.map(\.origin))
    _ = print(after: nil)
  }

  /// - Parameter past: the listener's changes, which may have added sounds; nil for none.
  func print(after journal: Journal?) -> SessionFingerprint {
    SessionFingerprint(of: text, sounds: contents(after: journal))
  }

  /// Whether a saved fingerprint matches the session as it is now.
  func match(_ print: SessionFingerprint, after journal: Journal?) -> Bool {
    print.holds(for: text, sounds: contents(after: journal))
  }

  /// What identifies the content of each sound, by path or address; nil for a sound that is not there.
  private func contents(after journal: Journal?) -> [String: String?] {
    seen.withLock { seen in
      var contents: [String: String?] = [:]
      for origin in planned.union((journal?.sources ?? []).map(\.origin)) {
        let (name, content): (String, String?)
        switch origin {
        case .generated: continue
        case .file(let path): (name, content) = (path, seen[path] ?? Self.facts(of: path))
        // A download may have been completed since the last look.
        case .remote(let address):
          (name, content) = (address, (seen[address] ?? nil) ?? RemoteSounds.shared.content(of: address))
        }
        seen.updateValue(content, forKey: name)
        contents.updateValue(content, forKey: name)
      }
      return contents
    }
  }

  /// The size and the modification time of a file; nil if there is no such file.
  private static func facts(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return "\(facts.st_size) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)"
  }
}
