import Glibc

/// The systemd user manager, which runs the user's timers and services. Every call waits for `systemctl`.
enum UserManager {
  /// systemd does not answer, or refuses a request. `problem` is one sentence with the fix.
  struct Failure: Error {
    let problem: String
    /// Whether there is no systemd, so that another scheduler is needed.
    var isAbsent = false
  }

  /// Throws if there is no systemd, or if it does not answer this user.
  static func check() throws(Failure) { _ = try ask(["show-environment"]) }

  /// Makes systemd read the unit files again.
  static func reload() throws(Failure) { _ = try ask(["daemon-reload"]) }

  /// Starts units now and at each later start of the manager.
  ///
  /// - Parameter restarts: whether units that run already are stopped first.
  static func enable(_ units: [String], restarts: Bool) throws(Failure) {
    if !restarts { return _ = try ask(["enable", "--now"] + units) }
    _ = try ask(["enable"] + units)
    _ = try ask(["restart"] + units)
  }

  /// Makes systemd forget units whose files were removed, and their failures.
  static func forget(_ units: [String]) {
    _ = try? ask(["daemon-reload"])
    _ = try? ask(["reset-failed"] + units)
  }

  /// Stops units, now and for later starts of the manager. A service that a timer has started continues.
  static func disable(_ units: [String]) throws(Failure) { _ = try ask(["disable", "--now"] + units) }

  /// Whether each of the units is active.
  static func areActive(_ units: [String]) throws(Failure) -> [Bool] {
    if units.isEmpty { return [] }
    // The exit status only states whether all of them are active.
    guard let result = run(["is-active"] + units) else { throw .missing }
    let states = result.output.split(separator: "\n")
    guard states.count == units.count, !states.contains(where: { $0.contains(" ") }) else { throw refusal(result) }
    return states.map { $0 == "active" }
  }

  /// The time at which a timer last started its service, in seconds since 1970; nil if it never did.
  static func lastTrigger(of timer: String) throws(Failure) -> time_t? {
    let answer = try ask(["show", "--property=LastTriggerUSec", timer])
    // systemd 252 writes this property as `Mon 2026-03-02 06:30:00 CET`, whatever `--timestamp` says.
    let numbers = answer.split { !$0.isNumber }.compactMap { Int32($0) }
    guard 6 <= numbers.count else { return nil }
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (moment.tm_hour, moment.tm_min, moment.tm_sec) = (numbers[3], numbers[4], numbers[5])
    moment.tm_isdst = -1
    return mktime(&moment)
  }

  /// Whether a unit of this user runs without a login, and what changes that, as a sentence.
  ///
  /// - Parameter verb: what it does, such as `plays`.
  static func lingerHint(_ verb: String) -> String {
    let result = SystemCommand.run("loginctl", ["show-user", "--property=Linger", "--value", "\(getuid())"])
    if let result, result.status == 0, result.output.hasPrefix("yes") {
      return "it \(verb) even if you are not logged in"
    }
    return "it \(verb) only while you are logged in; to change that, run: loginctl enable-linger"
  }

  private static func ask(_ words: [String]) throws(Failure) -> String {
    guard let result = run(words) else { throw .missing }
    guard result.status == 0 else { throw refusal(result) }
    return result.output
  }

  private static func run(_ words: [String]) -> SystemCommand.Result? {
    SystemCommand.run("systemctl", ["--user", "--no-ask-password", "--no-pager"] + words)
  }

  private static func refusal(_ result: SystemCommand.Result) -> Failure {
    // The last line is the cause; the lines before it report progress.
    let cause = result.output.split(separator: "\n").last.map(String.init) ?? "exit code \(result.status)"
    let isBooted = access("/run/systemd/system", F_OK) == 0
    guard cause.contains("connect to bus") || cause.contains("not been booted") else {
      return Failure(problem: "systemd refuses the request (\(cause))")
    }
    let problem = "systemd does not answer (\(cause))"
    if !isBooted { return Failure(problem: problem, isAbsent: true) }
    return Failure(problem: "\(problem); log in as this user, or set XDG_RUNTIME_DIR=/run/user/\(getuid())")
  }
}

extension UserManager {
  /// Runs `body`, prints a `Refusal` or a failure of systemd as one line, and throws the exit code.
  ///
  /// - Parameter command: the command that prints lines for cron if there is no systemd.
  static func reporting(for command: String, _ body: () throws -> Void) throws {
    do { try body() } catch let refusal as Refusal {
      StandardError.say(refusal.reason)
      throw ExitStatus.usage.code
    } catch let failure as Failure {
      let fix = "; use another scheduler, such as cron, for which '\(command)' prints the line"
      StandardError.say(failure.problem + (failure.isAbsent ? fix : ""))
      throw ExitStatus.noSystemd.code
    }
  }
}

extension UserManager.Failure {
  static var missing: UserManager.Failure {
    UserManager.Failure(problem: "this needs systemd, but there is no systemctl", isAbsent: true)
  }

  /// The failure with the lines for cron that do the same.
  func offering(_ lines: [String]) -> UserManager.Failure {
    if !isAbsent { return self }
    let what = lines.count == 1 ? "the line" : "the lines"
    return UserManager.Failure(
      problem: "\(problem); use another scheduler, such as cron with \(what) '\(lines.joined(separator: "' and '"))'")
  }
}
