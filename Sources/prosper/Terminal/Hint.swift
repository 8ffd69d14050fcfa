import ProsperKit

/// Completes messages of the library, which say what would help, with the option or command of prosper that does it.
enum Hint {
  /// The end of a message, and what follows it.
  static let all = [
    "render to a file": " with --output FILE.flac",
    "use another output": ": --output pulse:NAME",
    "continue when it is back": " with 'prosper play --resume'",
    "; start one": " with 'prosper play SESSION'",
    "; name one": " with --player",
    "start it with metrics": ", without --no-metrics",
    "start the player with metrics": ", without --no-metrics",
    "the session has ended; start it again": " with 'prosper play'",
    "correct its name": "; 'prosper sounds' lists them",
    "reduce their number or spacing": " with --strikes or --spacing",
    "leave out the fade-out, or add music": ", for example --music rain",
    "give it a default, or set it": " with --set",
    "start from an example": "; 'prosper new' writes one",
    "a session is a JSON or YAML file": "; 'prosper new' writes one",
    "or schedule the day": " with 'prosper schedule add'",
    "make a session of it": " with 'prosper new FILE.yaml LIST'",
    "write its sounds as the tracks of a session": "; 'prosper new' makes one of sound files",
  ]

  static func added(to message: String) -> String {
    // What a file was included from follows the fix.
    let begins = Markup.Diagnostic.trailBegins.compactMap { message.firstRange(of: $0)?.lowerBound }
    let trail = begins.min() ?? message.endIndex
    let advice = String(message[..<trail])
    return advice + (all.first { advice.hasSuffix($0.key) }?.value ?? "") + String(message[trail...])
  }
}
