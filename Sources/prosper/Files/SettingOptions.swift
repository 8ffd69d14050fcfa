import ArgumentParser
import ProsperKit

extension SessionSettings {
  /// The values with which a session was interrupted.
  static func saved(_ values: [String: String]) -> SessionSettings {
    var settings = SessionSettings()
    for (name, text) in values { settings.set(name, to: text, at: SourceLocation(file: "the saved position")) }
    return settings
  }
}

/// `--set`, with which commands that read sessions give values to their parameters.
struct SettingOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Gives a parameter of the session this value: --set minutes=20m. May be repeated.", valueName: "name=value"),
    completion: .setting)
  var set: [String] = []

  @Option(
    help: ArgumentHelp(
      "The same seed gives gongs at random moments the same moments. 'prosper play' chooses one by default, and its first event names it; other commands take 0.",
      valueName: "number"))
  var seed: UInt64?

  func validate() throws {
    for argument in set where Self.parts(of: argument) == nil {
      throw ValidationError("--set '\(argument)' has no name and value; write it like --set minutes=20m")
    }
  }

  /// The values for a command that does not play the session: the same moments at each run.
  var repeatableSettings: SessionSettings {
    var settings = settings
    settings.seed = seed ?? 0
    return settings
  }

  /// The values, each with the place `--set` and the number of the option as its line.
  var settings: SessionSettings {
    var settings = SessionSettings()
    for (number, argument) in set.enumerated() {
      guard let (name, value) = Self.parts(of: argument) else { continue }
      settings.set(name, to: value, at: SourceLocation(file: "--set", line: number + 1))
    }
    settings.seed = seed
    return settings
  }

  /// The options with which another command gets the seed, and the values of these parameters.
  func arguments(for names: Set<String>? = nil) -> [String] {
    let values = set.filter { argument in Self.parts(of: argument).map { names?.contains($0.name) ?? true } ?? false }
    return values.flatMap { ["--set", $0] } + (seed.map { ["--seed", "\($0)"] } ?? [])
  }

  /// The values for several sessions, each of which takes those that it has parameters for.
  var settingsForSeveral: SessionSettings {
    var settings = repeatableSettings
    settings.isForSeveral = true
    return settings
  }

  /// Refuses a name that none of several sessions has.
  ///
  /// - Throws: the exit code, after an error has been printed.
  func check(_ parameters: [SessionParameter]) throws {
    let names = parameters.map(\.name)
    guard let name = settings.values.keys.sorted().first(where: { !names.contains($0) }) else { return }
    let fix = names.isEmpty ? "leave it out" : Suggestion.fix(for: name, among: Set(names).sorted())
    StandardError.say("--set: no session has a parameter '\(name)'; \(fix)")
    throw ExitStatus.usage.code
  }

  private static func parts(of argument: String) -> (name: String, value: String)? {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }
}
