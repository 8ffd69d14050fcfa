package import Player
package import SessionFiles

extension SessionParameter {
  /// The parameter for a list: its name, value, default and choices, and what it means.
  package var line: String {
    var notes: [String] = []
    if let standard, standard != value { notes.append("default \(standard)") }
    if standard == nil, value == nil { notes.append("no default") }
    if !choices.isEmpty { notes.append("of \(choices.joined(separator: ", "))") }
    let head = "\(name) = \(value ?? "?")" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    return ReportWords.line(head + (summary.map { ": \($0)" } ?? ""))
  }

  /// `name`, `value`, `default`, `description` and `values`.
  package var json: JSONLine {
    [
      "name": name, "value": value, "default": standard,
      "description": summary, "values": choices,
    ]
  }
}
