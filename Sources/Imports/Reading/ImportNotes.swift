import Markup
import SessionFiles

/// What there is to say about a file that becomes a session: the mistakes because of which it can't, and what can't be
/// carried over, which also stands as a comment in the new file.
struct ImportNotes {
  /// The path of the file as the user gave it.
  let file: String
  private let problems = Problems()
  private(set) var comments: [CommentPlace: [String]] = [:]
  private var commentCount = 0

  /// The number of comments that are kept. Nobody reads a longer list.
  private static let maximumComments = 1_000

  init(file: String) { self.file = file }

  /// The problems in order of position.
  var diagnostics: [Diagnostic] { problems.sorted }
  var hasErrors: Bool { problems.hasErrors }

  /// Reports a mistake because of which the file can't become a session.
  func refuse(_ code: Diagnostic.Code, line: Int, column: Int = 1, _ problem: String, fix: String) {
    problems.report(code, SourceLocation(file: file, line: line, column: column), problem, fix: fix)
  }

  /// Reports what can't be carried over, and puts it into the new file.
  mutating func leaveOut(
    _ code: Diagnostic.Code = .noEffect, line: Int, column: Int = 1, _ problem: String, fix: String,
    at place: CommentPlace
  ) {
    problems.warn(code, SourceLocation(file: file, line: line, column: column), problem, fix: fix)
    comment("line \(line): \(problem)", at: place)
  }

  /// Puts a comment into the new file.
  mutating func comment(_ text: some StringProtocol, at place: CommentPlace) {
    guard commentCount < Self.maximumComments, !text.allSatisfy(\.isWhitespace) else { return }
    commentCount += 1
    comments[place, default: []].append(String(text))
  }
}
