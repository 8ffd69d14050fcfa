import Engine
package import Schedule
import Signal

/// The session as its file has it now.
package struct ReloadedSession: Sendable {
  /// Reads the file; may wait. The error says what is wrong with the file, or why there is none.
  package typealias Reading = @Sendable () -> Result<ReloadedSession, PlayerError>

  /// At the rate at which the session plays.
  package var programme: Programme
  /// Called when the player has taken over the programme, or when it is the same. On the control thread; must not wait.
  package var adopt: @Sendable () -> Void

  package init(programme: Programme, adopt: @escaping @Sendable () -> Void) {
    (self.programme, self.adopt) = (programme, adopt)
  }
}

/// Reads the session file again, and replaces what is still to come.
struct ReloadCommand: Sendable {
  let visits: ControlVisits
  /// Nil if the session was not read from a file.
  let read: ReloadedSession.Reading?
  /// The voices that the player has.
  let voices: Engine.Voices
  /// Downloads may take long, so reading has no time limit. `pause` and `stop` don't wait for it.
  private let loader = Loader(alarm: nil)

  init(visits: ControlVisits, read: ReloadedSession.Reading?, voices: Engine.Voices) {
    (self.visits, self.read, self.voices) = (visits, read, voices)
  }

  func reload(_ run: CommandRun) async -> CommandOutcome {
    guard let read else { return .rejected(.notFromFile) }
    do throws(LoadError) {
      switch try await loader.load(for: run.context, { read() }).value {
      case .success(let session): return await replace(session, run)
      case .failure(let error): return .rejected(error)
      }
    } catch { return error.outcome(loading: "the session file") }
  }

  private func replace(_ session: ReloadedSession, _ run: CommandRun) async -> CommandOutcome {
    let needed = VoicePlan(session.programme)
    if needed.excess != nil || !voices.suffice(for: needed.voices) { return .rejected(.tooManyVoices) }
    return await visits.visit(run) { control in
      let update = SessionUpdate(from: control.programme, to: session.programme)
      return .edit(.reload(Reload(update))) { result, _ in
        let isSame = if case .rejected(let error) = result.outcome { error.code == "noEffect" } else { false }
        if result.outcome == .done || isSame { session.adopt() }
        return .ended(result.outcome)
      }
    }
  }
}

extension Engine.Voices {
  /// Whether these voices are enough for a plan. Each plan has some for commands, which need not be free.
  fileprivate func suffice(for plan: Engine.Voices) -> Bool {
    let spare = VoicePlan.forListener
    return plan.music <= music + spare && plan.overlays <= overlays + spare && plan.effects <= effects + spare
  }
}

extension PlayerError {
  fileprivate static let notFromFile = PlayerError(
    code: "invalidState", description: "the session was not read from a file, so it can't be read again",
    isRecoverable: false)
  fileprivate static let tooManyVoices = PlayerError(
    code: "invalidConfiguration",
    description: "more sounds now play at once than the player has prepared; start the session again",
    isRecoverable: false)
}
