import Markup
package import Player
import Schedule
package import Signal
import Sounds
import Synchronization

/// Reads the file of a session again while it plays. May be used from any thread.
package final class SessionReload: Sendable {
  private let current: Mutex<SessionPlan>
  /// What identifies the session for `--resume`; nil if its position is not saved.
  private let sounds = Mutex<SessionSounds?>(nil)
  /// The files that the session included when it was last read, also if it could not be played then.
  private let lastIncluded = Mutex<[String]>([])
  /// The master volume that replaces that of the file; nil to use the file's.
  private let master: Gain?

  /// Nil if the session was not read from a file that can be read again.
  package init?(_ plan: SessionPlan, master: Gain? = nil) {
    guard plan.canBeReadAgain, plan.layout != nil else { return nil }
    current = Mutex(plan)
    self.master = master
  }

  /// The absolute paths of the files that the session includes, as it plays and as it was last read.
  package var includedFiles: [String] {
    let read = lastIncluded.withLock { $0 }
    return Set(plan.includedFiles + read).sorted()
  }

  /// The session as it plays.
  package var plan: SessionPlan { current.withLock { $0 } }

  /// Lets the saved position belong to the file as the player has read it last.
  func follow(_ sounds: SessionSounds) { self.sounds.withLock { $0 = sounds } }

  /// The session as the file has it now. Blocks while it downloads and opens the sounds.
  package var reading: ReloadedSession.Reading {
    { [self] in
      let old = plan
      do throws(PlayerError) {
        let new = try old.readAgain { files in self.lastIncluded.withLock { $0 = files } }
        guard var programme = new.programme else { throw .refused(by: new) }
        programme.master = master ?? programme.master
        let fingerprint = SessionSounds(of: programme, SessionIdentity(new, at: new.path))
        return .success(ReloadedSession(programme: programme) { self.adopt(new, fingerprint) })
      } catch { return .failure(error) }
    }
  }

  private func adopt(_ plan: SessionPlan, _ sounds: SessionSounds) {
    current.withLock { $0 = plan }
    self.sounds.withLock { $0?.replace(by: sounds) }
  }
}

extension SessionPlan {
  /// The session as its file has it now, with the length and the sample rate of this plan.
  ///
  /// - Parameter including: called with the files that it includes, before anything is refused.
  fileprivate func readAgain(including: ([String]) -> Void) throws(PlayerError) -> SessionPlan {
    var plan = SessionPlan(path: path, settings: settings, library: library)
    including(plan.includedFiles)
    if let failure = plan.failure { throw .invalidConfiguration(reason: failure.description) }
    guard plan.verdict == .playable, let rate = layout?.rate else { throw .refused(by: plan) }
    do throws(FitError) { if let fittedLength { try plan.fit(to: fittedLength) } } catch {
      throw .invalidConfiguration(reason: error.description)
    }
    guard let wanted = plan.layout?.rate, wanted != rate else { return plan }
    if plan.session?.sampleRate != nil {
      throw .invalidConfiguration(
        reason: "'sampleRate' is now \(wanted.hertz), but the session plays at \(rate.hertz); start it again")
    }
    // Nothing in the file asks for another rate: other sounds have become the longest.
    do throws(TimelineFailure) { try plan.setRate(rate) } catch { throw .refused(by: plan) }
    return plan
  }
}

extension PlayerError {
  /// The first error of a session file, at its place.
  fileprivate static func refused(by plan: SessionPlan) -> PlayerError {
    guard let first = plan.diagnostics.first(where: { $0.severity == .error }) ?? plan.diagnostics.first else {
      return .invalidConfiguration(reason: "\(plan.path): can't be played")
    }
    return .invalidConfiguration(reason: "\(first.location): \(first.advice)")
  }
}
