import ArgumentParser
import Glibc

@main
struct Prosper: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prosper",
    abstract: "Plays meditation sessions: stages, music, spoken overlays and gongs from one file.",
    usage: """
      prosper play first-sit
      prosper play SESSION --output sit.flac
      prosper sit 25m
      prosper new FILE
      prosper check SESSION...
      prosper show SESSION
      prosper ctl pause
      """,
    discussion: """
      A session file states what plays when; prosper-session(5) describes its format, and 'prosper sessions' lists \
      examples. Without a sound server, render the session to a file with --output FILE.

      'prosper --version --json' prints the version and how prosper was built.

      Exit codes: 0 finished · 1 a failed expectation of a script, or a command of ctl that the player refused · \
      64 wrong usage · 65 invalid session or script, or, with --strict, a damaged source · \
      66 missing or unplayable input · 69 no sound server, or no player · 70 a bug in prosper · \
      73 output can't be created · 74 output can't be written · 75 sound server lost · \
      129, 130 and 143 ended by SIGHUP, SIGINT and SIGTERM after a fade.
      """,
    version: "prosper \(BuildFacts.version)",
    subcommands: [
      PlayCommand.self, SitCommand.self, ServeCommand.self, NewCommand.self, CtlCommand.self, CheckCommand.self,
      ShowCommand.self,
      MeasureCommand.self, CompareCommand.self,
      SessionsCommand.self, LogCommand.self, MetricsCommand.self, SoundsCommand.self, VoicesCommand.self,
      OutputsCommand.self,
      ScheduleCommand.self,
    ])
}
