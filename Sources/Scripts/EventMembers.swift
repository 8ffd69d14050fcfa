import SessionFiles

extension Facts.Event {
  /// Takes the facts that this event has as members. `null` is no value of a member.
  mutating func takeMembers(from fields: Fields, _ read: (Value) -> Member?) {
    for key in ScriptWords.ownFacts(of: name) {
      guard let value = fields[key], case let member? = read(value), member != .word("null") else { continue }
      members[key] = member
    }
  }
}

extension Facts {
  /// Leaves out the facts that are members of the event.
  mutating func leaveOut(_ members: [String]) {
    for key in members {
      switch key {
      case "outcome": outcome = nil
      case "state": state = nil
      case "index": index = nil
      case "track": track = nil
      case "position": position = nil
      case "progress": progress = nil
      case "stage": stage = nil
      default: break
      }
    }
  }
}
