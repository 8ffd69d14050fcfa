import AudioFiles
import Engine
import Foundation
import Glibc
import Player
import Remote
import Schedule
import Synchronization

/// What a session is made of, as far as it is there: its file's text, of each sound's file the size and the time, and the
/// content of what was fetched. Each as it was when it was first looked at: what has changed since is another one.
final class SessionSounds: Sendable {
  private let text: Fingerprint
  private let planned: Set<SoundSource.Origin>
  private let seen = Mutex<[String: String?]>([:])

  init(of programme: Programme, at path: String) {
    text = Fingerprint((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
    planned = Set(programme.sources.map(\.origin))
    _ = print(after: nil)
  }

  /// - Parameter past: what has brought in others.
  func print(after past: Journal?) -> SessionPrint { SessionPrint(of: text, sounds: contents(after: past)) }

  func match(_ print: SessionPrint, after past: Journal?) -> Bool {
    print.holds(for: text, sounds: contents(after: past))
  }

  private func contents(after past: Journal?) -> [String: String?] {
    seen.withLock { seen in
      var contents: [String: String?] = [:]
      for origin in planned.union((past?.sources ?? []).map(\.origin)) {
        let (name, content): (String, String?)
        switch origin {
        case .generated: continue
        case .file(let path): (name, content) = (path, seen[path] ?? Self.facts(of: path))
        // It may have come meanwhile.
        case .remote(let address):
          (name, content) = (address, (seen[address] ?? nil) ?? RemoteSounds.shared.content(of: address))
        }
        seen.updateValue(content, forKey: name)
        contents.updateValue(content, forKey: name)
      }
      return contents
    }
  }

  private static func facts(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return "\(facts.st_size) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)"
  }
}
