import ArgumentParser
import ProsperKit

/// `prosper ctl`: sends one command to a running player and prints the reply.
struct CtlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl", abstract: "Controls a running player.",
    usage: """
      prosper ctl pause
      prosper ctl seek +15
      prosper ctl extend 5m
      prosper ctl volume 80% 2s
      prosper ctl volume +3dB
      prosper ctl overlay play rain.flac --fade-in 2s
      prosper ctl say "Five minutes left."
      prosper ctl status --json
      prosper ctl '{"do":"goto","stage":"Practice","at":"2:00"}'
      """,
    discussion: """
      Commands:
      play, pause, resume, toggle, stop, finish [FADE]
      next, previous, next-stage, previous-stage, extend ±TIME, reload
      jump TRACK (counted from 0), goto STAGE [POSITION], seek POSITION|±TIME
      volume VOLUME [OVER], crossfade [DURATION] [CURVE]
      repeat off|track|playlist [COUNT]
      gong [SOUND] [VOLUME], say TEXT [--voice NAME]
      overlay play SOUND [VOLUME], overlay stop|pause|resume
      overlay volume VOLUME [OVER], overlay repeat TIMES [DELAY]
      effects volume VOLUME [OVER], effects stop, effects preload|unload SOUND...
      music pause|resume, music volume VOLUME [OVER]
      playlist replace|append TRACK..., playlist insert INDEX TRACK...
      playlist remove INDEX, playlist move FROM TO
      cache clear, metrics, status, events

      A VOLUME is 0…1, 80% or -6dB. +3dB, +10%, -10% and --by -3dB change the current volume.

      Other settings of a command are options, as in overlay play rain.flac --fade-in 2s --duck -9dB. The article \
      ControllingAPlayer.md describes all commands; a package has it in /usr/share/doc/prosper.

      Looks for players in $XDG_RUNTIME_DIR/prosper, then in /run/user/UID/prosper and /tmp/prosper-UID.

      Exit codes: 0 done · 1 refused by the player, with the reason · 64 wrong usage, or several players · \
      69 no player.
      """)

  @Option(help: ArgumentHelp("The player to control, if several are running.", valueName: "pid"), completion: .player)
  var player: String?

  @Flag(help: "Prints the player's reply unchanged, as one JSON object.")
  var json = false

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The command and its arguments.", valueName: "command"),
    completion: .control)
  var words: [String] = []

  func run() throws {
    var command = self
    try command.takeOwnOptions()
    do {
      try command.perform()
    } catch let mistake as CommandWords.WordError {
      StandardError.say(mistake.problem)
      throw ExitStatus.usage.code
    } catch let error as ControlError {
      StandardError.say(error.reported)
      throw error.status.code
    }
  }

  /// Removes the options of `ctl` itself from `words`. They may be before or after the command, whose own options stay.
  private mutating func takeOwnOptions() throws {
    var rest = words[...]
    words = []
    while let word = rest.popFirst() {
      switch word {
      case "--json": json = true
      case "--help", "-h": throw CleanExit.helpRequest(CtlCommand.self)
      case "--player":
        guard let name = rest.popFirst() else { throw ValidationError("--player needs a value; give a process ID") }
        player = name
      case _ where word.hasPrefix("--player="): player = String(word.dropFirst("--player=".count))
      default: words.append(word)
      }
    }
    if words.isEmpty { throw ValidationError("Missing expected argument '<command>'") }
  }

  /// Sends the command. It is checked first without a player, because a mistyped command is wrong usage and not a
  /// refusal of the player.
  private func perform() throws {
    let line = try CommandWords.json(words, locate: Self.locate)
    let request = Commands.request(in: line)
    if case .refused(let mistake) = request {
      StandardError.say(mistake)
      throw ExitStatus.usage.code
    }
    let client = try ControlClient(player: player)
    // A command may wait for a load that takes long, and for other commands.
    let reply = try client.ask(line, within: 60)
    let answer = try ControlAnswer(reply)
    if request == .events, answer.ok { return try follow(client) }
    if let text = json ? reply + "\n" : answer.text { print(text, terminator: "") }
    guard !answer.ok else { return }
    if !json { StandardError.say(answer.error ?? "the player refused the command") }
    throw ExitStatus.refused.code
  }

  /// Prints events until the player ends, or until the output is closed.
  private func follow(_ client: ControlClient) throws {
    let out = LineWriter(descriptor: 1)
    while let line = try client.next() {
      out.write(line + "\n")
      guard out.flush() else { return }
    }
  }

  /// Converts a path of a file in the current folder into an absolute path, because the player may run in another
  /// folder.
  private static func locate(_ word: String) -> String {
    guard !word.hasPrefix("/"), !word.contains(":"), isFile(at: word) else { return word }
    return SessionFile.folder(of: "./x") + "/" + word
  }
}

extension ControlError {
  /// The exit status of `prosper ctl` for the error.
  var status: ExitStatus {
    switch self {
    case .severalPlayers: .usage
    case .refused: .refused
    case .noPlayer, .noSuchPlayer, .disconnected, .noAnswer: .noPlayer
    case .unsafeFolder, .cannotCreateFolder, .cannotListen, .cannotServe, .pathTooLong: .noPlayer
    }
  }

  /// The error message; if several players are running, with what each of them is playing.
  var reported: String {
    guard case .severalPlayers(let names) = self else { return description }
    let players = names.map { name in
      let reply = try? ControlClient(player: name).ask(#"{"do":"status"}"#, within: 1)
      return reply.flatMap { try? ControlAnswer($0).status }.map { "\(name) (\($0.title), \($0.state))" } ?? name
    }
    return ControlError.severalPlayers(players).description
  }
}

extension ControlAnswer {
  /// The reply as text for people; nil if there is nothing to print.
  fileprivate var text: String? {
    if let metrics { return MetricsReport(metrics: metrics, origin: .running).text(in: .table) }
    return status.map { $0.text + "\n" }
  }
}

extension ControlAnswer.Status {
  /// The status as text, one property per line. Properties without a value are omitted.
  var text: String {
    var lines = ["\(title), \(state)\(progress.map { " \(percentText($0)) %" } ?? "")"]
    lines.append("time    \(Self.span(session, duration))")
    if let stage { lines.append("stage   \(stage)") }
    if planned != session, let planned { lines.append("plan    \(Self.span(planned, plannedDuration))") }
    if let track {
      lines.append("track   \(named(track, tags))\(position.map { ", " + Self.span($0, trackDuration) } ?? "")")
    }
    if music == "paused" { lines.append("music   paused, the session continues") }
    if let next { lines.append("next    \(named(next.track, next.tags))") }
    for title in overlays ?? [] { lines.append("overlay \(title)") }
    for title in pausedOverlays ?? [] { lines.append("overlay \(title), paused") }
    lines.append("volume  \(percentText(volume)) %")
    if outputLost == true { lines.append("output  lost; the session waits until it is back") }
    for follower in followers ?? [] {
      let listeners = follower.listeners.map { ", \(counted($0, "listener", "listeners"))" } ?? ""
      lines.append("output  \(follower.output), \(follower.state)\(listeners)")
    }
    let shortfalls = Shortfalls(underruns: underruns ?? 0, starved: starved ?? 0, late: late ?? 0).words
    if !shortfalls.isEmpty { lines.append("missed  \(shortfalls.joined(separator: ", "))") }
    return lines.map(\.withoutControls).joined(separator: "\n")
  }

  /// A track with the title and artist from its file, if they differ from its title in the session.
  private func named(_ track: String, _ tags: ControlAnswer.Tags?) -> String {
    let words = [tags?.title, tags?.artist].compactMap { $0 }.filter { $0 != track }
    return words.isEmpty ? track : "\(track) (\(words.joined(separator: ", ")))"
  }

  /// A position and, if it is known, the duration.
  private static func span(_ position: Double, _ duration: Double?) -> String {
    clockText(position) + (duration.map { " / " + clockText($0) } ?? "")
  }
}
