import Glibc
import ProsperKit

extension ResumePoint.Failure {
  /// One line that says why nothing can be resumed, and which option of the command line helps.
  var message: String {
    switch self {
    case .nothingLeft: "there is no unfinished session to resume; start one with 'prosper play SESSION'"
    case .leftBefore(let session, let place):
      "the last session finished; \(session), played before it, was interrupted at \(place): "
        + "to resume it, give its path"
    case .changed(let session, let place, let stage, let time):
      "\(session) or one of its sounds has changed since it was interrupted at \(place); play it without --resume"
        + (stage.map { ", or start with that stage: --stage \(shellWord($0))" } ?? "")
        + (time.map { ", or at that time: --from \(clockText($0))" } ?? "")
    case .otherLength(let session, let place, let length):
      "\(session) was interrupted at \(place) with "
        + "\(length.map { "--duration \(TimeSpelling.text($0))" } ?? "its own length"); "
        + "to resume it, leave out --duration"
    case .otherSettings(let session, let place, let settings):
      "\(session) was interrupted at \(place) with "
        + (settings.isEmpty
          ? "the defaults of its parameters"
          : settings.sorted { $0.key < $1.key }.map { "--set \($0.key)=\(shellWord($0.value))" }.joined(separator: " "))
        + "; to resume it, leave out --set"
    case .journalLost(let session):
      "\(session): the changes made during playback can't be repeated; "
        + "leave out --strict, or add --lenient, to resume without them"
    }
  }

  var status: ExitStatus {
    switch self {
    case .nothingLeft, .leftBefore: .missingInput
    case .changed, .otherLength, .otherSettings, .journalLost: .invalidData
    }
  }
}

extension ResumePoint {
  /// Says where the session resumes, on a terminal, and warns of changes that were lost.
  func announce(_ path: String) {
    if isatty(2) == 1 { StandardError.say("resuming \(path) at \(place)") }
    guard isJournalLost else { return }
    StandardError.say(
      "\(path): the changes made during playback can't be repeated; the stage resumes as planned, at the last volumes")
  }
}

extension PositionSaver {
  /// Reports a position of an earlier run, if this run does not resume it but another one could.
  func reportOlder(of programme: Programme, at path: String) {
    guard let older else { return }
    StandardError.say(
      "\(path) was interrupted at \(ResumePoint.Place(older, in: programme)); to continue there, press Ctrl-C within a "
        + "minute and run: prosper play --resume \(shellWord(ofPath: path))")
  }
}
