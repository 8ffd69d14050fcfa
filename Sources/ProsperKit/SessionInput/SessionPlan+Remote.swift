package import AudioFiles
package import Markup
import SessionFiles
package import Sounds
import Speech

extension SessionPlan {
  /// Downloads the session's remote sounds into the cache in parallel. Blocks until all downloads are complete. If the
  /// library plays sounds while they download, blocks only until these downloads have begun.
  func fetch(announcing: (String) -> Void) {
    Self.fetch(
      sounds.map(\.source), playsWhileDownloading: library.playsWhileDownloading, announcing: announcing,
      progress: library.progress)
  }

  /// Downloads the remote sounds among `sources`. Blocks like the method without sources.
  ///
  /// - Parameters:
  ///   - announcing: called with each address whose sound is not in the cache.
  ///   - progress: called while a sound is downloaded, on any thread.
  package static func fetch(
    _ sources: some Sequence<SoundSource>, playsWhileDownloading: Bool, announcing: (String) -> Void,
    progress: (@Sendable (DownloadProgress) -> Void)? = nil
  ) {
    var (addresses, known): ([String], Set<String>) = ([], [])
    for case .remote(let address) in sources.map(\.origin) where known.insert(address).inserted {
      addresses.append(address)
    }
    for address in addresses where !RemoteSounds.shared.hasCopy(of: address) {
      announcing(SoundSource.withoutCredentials(address))
    }
    RemoteSounds.shared.fetch(addresses, playsWhileDownloading: playsWhileDownloading, progress: progress)
  }

  /// Speaks the texts of the session that have not been spoken before. Blocks until all are spoken.
  func speak() {
    let texts = sounds.compactMap { sound in if case .spoken(let text) = sound.source.origin { text } else { nil } }
    library.speech.prepare(texts, progress: library.speaking)
  }

  /// A warning for each address in this computer's own network: a session of somebody else could use it to send
  /// requests to devices that only this computer can access.
  package var localAddresses: [Diagnostic] {
    var seen: Set<String> = []
    return sounds.compactMap { sound in
      guard case .remote(let address) = sound.source.origin, RemoteAddress.isPlainlyLocal(address),
        seen.insert(address).inserted
      else { return nil }
      return Diagnostic(
        .warning, .localAddress, sound.location,
        "\(SoundSource.withoutCredentials(address)) is on this computer or in its local network", of: sound.source,
        fix: "play the session only if you expect it to send requests there")
    }
  }

  /// Warns of cached copies that are played although their server can't be asked whether they are current.
  mutating func noteCopies() {
    var seen: Set<String> = []
    for sound in sounds {
      guard case .remote(let address) = sound.source.origin, seen.insert(address).inserted,
        let cause = RemoteSounds.shared.staleness(of: address)
      else { continue }
      let parts = cause.split(separator: "; ", maxSplits: 1)
      found.append(
        Diagnostic(
          .warning, .staleCopy, sound.location,
          "\(SoundSource.withoutCredentials(address)): the cached copy is played instead: \(parts[0])",
          of: sound.source,
          fix: parts.count == 2 ? String(parts[1]) : "check the address"))
    }
  }
}
