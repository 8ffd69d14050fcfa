import AudioFiles
import Files
import Glibc
import SavedState
import Schedule
import Sounds
import Speech
import Synchronization

/// Computes the fingerprint of a session from the text of its files, the values given for its parameters, the size and modification time of each sound file,
/// and the content of each downloaded sound.
///
/// Each file is examined only once. A file that changes while the session plays therefore does not change the
/// fingerprint, and the next run detects the change. May be used from any thread.
final class SessionSounds: Sendable {
  fileprivate struct State {
    var text: Fingerprint
    /// The sounds of the session file.
    var planned: Set<SoundSource.Origin>
    /// The texts that identify the content of the examined sounds, by path or address.
    var seen: [String: String?] = [:]
  }

  private let state: Mutex<State>

  init(of programme: Programme, _ identity: SessionIdentity) {
    state = Mutex(State(text: identity.fingerprint, planned: Set(programme.sources.map(\.origin))))
    _ = print(after: nil)
  }

  /// Becomes the fingerprint of a session file that was read again.
  func replace(by other: SessionSounds) {
    let new = other.state.withLock { $0 }
    state.withLock { $0 = new }
  }

  /// The fingerprint of the session.
  ///
  /// - Parameter journal: the listener's changes, which may have added sounds; nil for none.
  func print(after journal: Journal?) -> SessionFingerprint {
    state.withLock { SessionFingerprint(of: $0.text, sounds: $0.contents(after: journal)) }
  }

  /// Whether a saved fingerprint matches the session as it is now.
  func match(_ print: SessionFingerprint, after journal: Journal?) -> Bool {
    state.withLock { print.matches($0.text, sounds: $0.contents(after: journal)) }
  }
}

extension SessionSounds.State {
  /// A text that identifies the content of each sound, by path or address; nil for a missing sound.
  fileprivate mutating func contents(after journal: Journal?) -> [String: String?] {
    var contents: [String: String?] = [:]
    for origin in planned.union((journal?.sources ?? []).map(\.origin)) {
      let (name, content): (String, String?)
      switch origin {
      case .generated: continue
      case .file(let path): (name, content) = (path, seen[path] ?? Self.facts(of: path))
      // A download that was incomplete may be complete now.
      case .remote(let address):
        (name, content) = (address, (seen[address] ?? nil) ?? RemoteSounds.shared.content(of: address))
      // The text is known, but not how long another voice speaks it.
      case .spoken(let spoken):
        (name, content) = Self.facts(of: spoken, seen)
      }
      seen.updateValue(content, forKey: name)
      contents.updateValue(content, forKey: name)
    }
    return contents
  }

  /// A name for a spoken text, and what identifies its speech; nil if it can't be spoken.
  private static func facts(of spoken: Spoken, _ seen: [String: String?]) -> (String, String?) {
    let words = "\(spoken.breath) \(spoken.voice ?? "") \(spoken.language ?? "") \(spoken.text)"
    let name = "say:" + ContentHash(words).text
    if let known = seen[name] { return (name, known) }
    return (name, SpokenSounds.shared.identity(of: spoken).map { ContentHash($0).text })
  }

  /// The size and the modification time of a file; nil if there is no such file.
  private static func facts(of path: String) -> String? {
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0 else { return nil }
    return "\(facts.st_size) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)"
  }
}
