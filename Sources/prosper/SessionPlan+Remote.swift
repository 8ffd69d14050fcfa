import AudioFiles
import Engine
import Glibc
import Sessions

extension SessionPlan {
  /// Downloads the session's remote sounds in parallel, so that the steps after it find them in the cache. Blocks until
  /// they are there.
  ///
  /// - Parameter takesArriving: whether to return as soon as sounds that can be played while they arrive have begun to
  ///   arrive.
  func fetch(takesArriving: Bool) { Self.fetch(sounds.map(\.source), takesArriving: takesArriving) }

  static func fetch(_ sources: some Sequence<SoundSource>, takesArriving: Bool) {
    var addresses: [String] = []
    for case .remote(let address) in sources.map(\.origin) where !addresses.contains(address) {
      addresses.append(address)
    }
    if isatty(2) == 1 {
      for address in addresses where !RemoteSounds.shared.hasCopy(of: address) {
        Complaint.say("fetching \(SoundSource.withoutCredentials(address))")
      }
    }
    RemoteSounds.shared.fetch(addresses, takesArriving: takesArriving)
  }

  /// Warns of cached copies that are played because their server can't confirm them now.
  mutating func noteCopies() {
    var told: Set<String> = []
    for sound in sounds {
      guard case .remote(let address) = sound.source.origin, told.insert(address).inserted,
        let cause = RemoteSounds.shared.staleness(of: address)
      else { continue }
      let parts = cause.split(separator: "; ", maxSplits: 1)
      diagnostics.append(
        Diagnostic(
          .warning, path, sound.place,
          "\(SoundSource.withoutCredentials(address)): the cached copy is played instead: \(parts[0])",
          mend: parts.count == 2 ? String(parts[1]) : "check the address"))
    }
    diagnostics.sort { $0.place < $1.place }
  }
}
