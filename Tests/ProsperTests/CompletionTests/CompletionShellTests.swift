import Foundation
import Synchronization
import TestSupport
import Testing

/// The completion scripts in the shells themselves: what is on the line after a user has pressed Tab.
struct CompletionShellTests {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  /// What is typed before Tab, and the line after it.
  private static let lines = [
    ("prosper pl", "prosper play "),
    ("prosper play thr", "prosper play three-stages "),
    ("prosper check late", #"prosper check late\ sit.yaml "#),
    (#"prosper play late\ sit.yaml --stage Se"#, #"prosper play late\ sit.yaml --stage Settle\ \$\(touch\ ran\) "#),
    ("prosper show mi", "prosper show mine/"),
    ("prosper play zazen -o null:f", "prosper play zazen -o null:fast "),
    ("prosper play zazen --output pulse:hea", "prosper play zazen --output pulse:headphones "),
    ("prosper sit 25m --no-mp", "prosper sit 25m --no-mpris "),
    ("prosper sit 25m --output null:f", "prosper sit 25m --output null:fast "),
    ("prosper sounds --play bow", "prosper sounds --play bowl "),
    ("prosper ctl overlay play generate:bow", "prosper ctl overlay play generate:bowl "),
    ("prosper ctl crossfade 3s eq", "prosper ctl crossfade 3s equalPower "),
  ]

  @Test(arguments: Shell.allCases)
  func `Tab completes values of every kind, and runs nothing that they contain`(shell: Shell) async throws {
    let scratch = try Scratch()
    let server = try await onOwnThread { try PulseServer(sink: "speakers", more: ["headphones"]) }
    try prepare(scratch, for: shell)
    let script = try await Prosper.run(["--generate-completion-script", shell.rawValue])
    #expect(script.status == 0)
    _ = try scratch.write(Self.place(of: shell), script.out)
    let terminal = try Terminal(columns: 200)
    let seen = Seen()
    _ = try await Prosper.run(
      Self.options(of: shell, in: scratch),
      environment: [
        "PATH": "\(Prosper.executable.deletingLastPathComponent().path):/usr/bin:/bin", "LANG": "C.UTF-8",
        "TERM": shell == .fish ? "xterm" : "dumb", "ZDOTDIR": scratch.path(""), "PULSE_SERVER": server.address,
      ], in: scratch,
      program: ["/usr/bin/setsid", "--ctty", "--wait", "/usr/bin/\(shell.rawValue)"], on: terminal, takesKeys: true
    ) { running in
      type(into: terminal, noting: seen)
      terminal.type("exit\r")
      if !eventually({ !running.isThere }) { running.send(SIGKILL) }
    }
    #expect(seen.all == Self.lines.map(\.1))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("ran")))
  }

  @Test func `fish also completes for programs that ask it without a terminal`() async throws {
    let scratch = try Scratch()
    let script = try await Prosper.run(["--generate-completion-script", "fish"], in: scratch)
    let path = try scratch.write("prosper.fish", script.out)
    let asked = "source '\(path)'; complete -C 'prosper sit 25m --bell bow'; complete -C 'prosper ctl volu'"
    let fish = try await Prosper.run(
      ["-c", asked], environment: ["PATH": "\(Prosper.executable.deletingLastPathComponent().path):/usr/bin:/bin"],
      in: scratch, program: ["/usr/bin/fish", "--no-config"])
    #expect(fish.lines.map { $0.prefix { $0 != "\t" } } == ["bowl", "volume"] && fish.err.isEmpty, "\(fish.err)")
  }

  /// Types each line with Tab, and notes what the line has become.
  private func type(into terminal: Terminal, noting seen: Seen) {
    guard eventually({ Self.plain(terminal.text).contains("ready>") }) else { return }
    for (typed, wanted) in Self.lines {
      let before = terminal.text.unicodeScalars.count
      terminal.type(typed + "\t")
      let end = { Self.plain(String(String.UnicodeScalarView(terminal.text.unicodeScalars.dropFirst(before)))) }
      let isComplete = eventually { Self.line(in: end()).contains(wanted) }
      seen.note(isComplete ? wanted : end())
      // Without this line, the others would wait in vain, too.
      guard isComplete else { return }
      // Empties the line; the mark shows that the shell has done so.
      terminal.type("\u{15}echo done>&2\r")
      _ = eventually { end().contains("done\r\n") || end().contains("done\n") }
    }
  }

  /// The line that fish redraws word by word, put together.
  private static func line(in text: String) -> String { text.replacing("\r", with: "") }

  /// Text without escape sequences.
  private static func plain(_ text: String) -> String {
    text.replacing(#/\u{1B}(\[[0-9;?]*[a-zA-Z]|\(B|\][^\u{07}]*\u{07})/#, with: "")
  }
}

/// The lines after Tab.
private final class Seen: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func note(_ line: String) { lines.withLock { $0.append(line) } }
}

extension CompletionShellTests {
  private func prepare(_ scratch: Scratch, for shell: Shell) throws {
    for folder in ["mine", ".config/fish/completions", "functions"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    let stage = "{name: \"Settle $(touch ran)\", duration: 1m}"
    _ = try scratch.write("late sit.yaml", "{prosper: 1, title: Late, stages: [\(stage)]}")
    _ = try scratch.write(
      "bashrc",
      "cd '\(scratch.path(""))'; source ./\(Self.place(of: .bash)); bind 'set bell-style none'; PS1='ready>'\n")
    _ = try scratch.write(
      ".zshrc",
      """
      cd '\(scratch.path(""))'; fpath=("$PWD/functions" $fpath); autoload -Uz compinit; compinit -u -D
      unsetopt zle_bracketed_paste beep; PS1='ready>'

      """)
    _ = try scratch.write(
      ".config/fish/config.fish", "cd '\(scratch.path(""))'; function fish_prompt; echo -n 'ready>'; end\n")
  }

  private static func place(of shell: Shell) -> String {
    switch shell {
    case .bash: "prosper.bash"
    case .zsh: "functions/_prosper"
    case .fish: ".config/fish/completions/prosper.fish"
    }
  }

  private static func options(of shell: Shell, in scratch: Scratch) -> [String] {
    shell == .bash ? ["--noprofile", "--rcfile", scratch.path("bashrc"), "-i"] : ["-i"]
  }
}
