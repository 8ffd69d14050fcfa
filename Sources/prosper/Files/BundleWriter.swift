import ArgumentParser
import ProsperKit

/// Writes a session with all its sounds into a folder, for `show --bundle`.
struct BundleWriter {
  let folder: String

  /// Writes the folder, and prints how to play it.
  ///
  /// - Throws: the exit code, after an error has been printed; also if a sound of the session can't be played.
  func write(_ plan: SessionPlan) throws {
    guard plan.status == .finished, let bundle = SessionBundle(plan) else { throw plan.status.code }
    let progress = ProgressLine("copying sounds")
    defer { progress.end() }
    do throws(SessionBundle.Failure) { try bundle.write(to: folder) { progress.show($0) } } catch {
      progress.end()
      StandardError.say(error.description)
      throw status(of: error).code
    }
    progress.end()
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    let slash = folder.hasSuffix("/") ? "" : "/"
    let file = shellWord(ofPath: "\(folder)\(slash)\(SessionBundle.sessionFile)")
    out.writeExactly("\(folder.withoutControls): \(bundle.title.withoutControls); play it with: prosper play \(file)\n")
    try out.finish()
  }

  private func status(of failure: SessionBundle.Failure) -> ExitStatus {
    switch failure {
    case .notEmpty: .cannotCreate
    case .output(let error): ExitStatus(error)
    case .input: .missingInput
    }
  }
}
