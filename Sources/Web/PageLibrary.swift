/// The sessions that `serve` can play.
package protocol PageLibrary: Sendable {
  /// The sessions as a JSON array.
  func sessions() async -> String
  /// Plays a session, after the current one has faded out; returns why it can't.
  func play(_ session: WantedSession) async -> PageProblem?
}

/// The session that a page wants to play.
package struct WantedSession: Sendable, Hashable {
  /// Its path or its name in the list of sessions.
  package var session: String
  /// The length to which it is stretched or shortened, such as `12m`; nil for its own one.
  package var duration: String?
  /// Whether it goes on where it was interrupted.
  package var resume: Bool?
  /// Values for its parameters, as text, by name.
  package var set: [String: String] = [:]
}

/// Why a request of the page can't be answered, as a sentence.
package struct PageProblem: Error, Hashable {
  package var text: String
  /// Whether there is no such session.
  package var isUnknown: Bool

  package init(_ text: String, isUnknown: Bool = false) { (self.text, self.isUnknown) = (text, isUnknown) }
}

extension WantedSession: Decodable {
  private enum Member: String, CaseIterable, CodingKey { case session, duration, resume, set }

  /// Any member of a JSON object.
  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A value of a parameter: text, a number, true or false.
  private struct Setting: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let flag = try? value.decode(Bool.self) {
        text = "\(flag)"
      } else if let whole = try? value.decode(Int.self) {
        text = "\(whole)"
      } else if let number = try? value.decode(Double.self) {
        text = "\(number)"
      } else if let word = try? value.decode(String.self) {
        text = word
      } else {
        throw PageProblem("'set' has a value that is neither text nor a number; write {\"minutes\":\"20m\"}")
      }
    }
  }

  /// - Throws: a `PageProblem` for a member that would have no effect.
  package init(from decoder: any Decoder) throws {
    let names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue).sorted()
    if let unknown = names.first(where: { Member(rawValue: $0) == nil }) {
      let known = Member.allCases.map(\.rawValue).joined(separator: ", ")
      throw PageProblem("unknown member '\(unknown)'; a session is chosen with \(known)")
    }
    let members = try decoder.container(keyedBy: Member.self)
    session = try members.decode(String.self, forKey: .session)
    duration = try members.decodeIfPresent(String.self, forKey: .duration)
    resume = try members.decodeIfPresent(Bool.self, forKey: .resume)
    set = try members.decodeIfPresent([String: Setting].self, forKey: .set)?.mapValues(\.text) ?? [:]
  }
}
