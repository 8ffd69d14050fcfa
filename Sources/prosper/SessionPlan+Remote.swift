import AudioFiles
import Engine
import Glibc
import Sessions

extension SessionPlan {
  /// Fetches the sounds of other machines side by side, so that those that follow find them at hand.
  ///
  /// - Parameter takesArriving: whether those that can be played while they come are left to come.
  func fetch(takesArriving: Bool) { Self.fetch(sounds.map(\.source), takesArriving: takesArriving) }

  static func fetch(_ sources: some Sequence<SoundSource>, takesArriving: Bool) {
    var addresses: [String] = []
    for case .remote(let address) in sources.map(\.origin) where !addresses.contains(address) {
      addresses.append(address)
    }
    if isatty(2) == 1 {
      for address in addresses where !RemoteSounds.shared.hasCopy(of: address) {
        Complaint.say("fetches \(SoundSource.withoutCredentials(address))")
      }
    }
    RemoteSounds.shared.fetch(addresses, takesArriving: takesArriving)
  }

  /// Tells of what plays although its server does not stand by it now.
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
          "\(SoundSource.withoutCredentials(address)): its copy in the cache is played: \(parts[0])",
          mend: parts.count == 2 ? String(parts[1]) : "check the address"))
    }
    diagnostics.sort { $0.place < $1.place }
  }
}
