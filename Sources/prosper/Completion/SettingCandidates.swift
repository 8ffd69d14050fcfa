import ProsperKit

/// What can follow `--set`: the parameters of the session that the line names, and the values of one.
struct SettingCandidates {
  private let line: TypedLine

  init(of line: TypedLine) { self.line = line }

  var all: [Candidate] {
    guard let equals = line.prefix.firstIndex(of: "=") else {
      return parameters.map { Candidate($0.name + "=", note: $0.summary ?? "") }
    }
    let name = String(line.prefix[..<equals])
    guard let parameter = parameters.first(where: { $0.name == name }) else { return [] }
    let values = parameter.choices.isEmpty ? [parameter.standard].compactMap(\.self) : parameter.choices
    return values.map { Candidate("\(name)=\($0)", note: $0 == parameter.standard ? "default" : "") }
  }

  /// The parameters of the session; none if it can't be read.
  private var parameters: [SessionParameter] {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    return line.session.flatMap { try? reader.read(path: $0).parameters } ?? []
  }
}
