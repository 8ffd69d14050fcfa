import ArgumentParser
import ProsperKit

/// `prosper serve`: plays the sessions that are chosen on its page, one after the other.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves a page on which a phone chooses and controls sessions.",
    usage: """
      prosper serve
      prosper serve ~/Sessions --view
      prosper serve --listen 192.168.1.20:7007
      """,
    discussion: """
      Lists the sessions of the folders and those of 'prosper sessions', and plays one at a time. It prints the \
      address of the page, a picture that pairs the phone whose camera sees it, and a code of six digits that pairs \
      any device. A device stays paired until --new-links.

      The page is plain HTTP, for a network at home that you trust. Ctrl-C ends the session, and the page with it.

      Exit codes: 0 ended by a signal · 64 wrong usage · 69 the page can't be served.
      """)

  @Argument(help: "Folders with sessions, whose folders are searched, too.", completion: .directory)
  var folders: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where the page is served: a numeric address, a port or both. (default: all addresses, port \(ListenAddress.standardPort))",
      valueName: "address:port"), transform: ListenAddress.argument)
  var listen = ListenAddress.standard

  @Flag(help: "Prints a second link, for participants: it shows the session, and commands nothing.")
  var view = false

  @Flag(help: "Ends all earlier links: every device must be paired again.")
  var newLinks = false

  @OptionGroup var output: OutputOptions

  @OptionGroup var desktop: DesktopOptions

  func validate() throws {
    if !output.output.isLive {
      throw ValidationError("serve plays live; choose --output pulse, pulse:SINK, pipe:PATH or null")
    }
  }

  func run() async throws {
    try await SessionPlayback.reportingRefusals { try await serve() }
  }

  private func serve() async throws {
    for folder in folders where SessionFolder.sessions(in: folder) == nil {
      throw Refusal("\(folder.withoutControls): there is no such folder; name a folder with sessions")
    }
    let interruptions = try Interruptions()
    let playing = NowPlaying()
    let sessions = ServedSessions(folders: folders, playing)
    let page = try await PageService.started(
      playing, at: listen, library: sessions, showsView: view, isRenewed: newLinks)
    page.announce()
    repeat {
      interruptions.setHandler { _, _ in sessions.close() }
      guard let choice = await sessions.next() else { break }
      try await play(choice, page, interruptions)
    } while interruptions.first == nil
    await page.stop()
  }

  /// Plays one session. What goes wrong with it has been said, and ends only this session.
  private func play(_ choice: ServedSessions.Choice, _ page: PageService, _ interruptions: Interruptions) async throws {
    var options = PlaybackOptions(session: try PlayOptions.parse([]), output: output, desktop: desktop)
    options.session.resume = choice.resumes
    let playback = SessionPlayback(options: options, page: page, folders: folders)
    do {
      try await SessionPlayback.reportingRefusals {
        try await playback.play(choice.plan, at: choice.path, until: interruptions)
      }
    } catch is ExitCode {}
  }
}

extension ListenAddress {
  /// Reads the argument of an option.
  static let argument: @Sendable (String) throws -> ListenAddress = { text in
    guard let address = ListenAddress(text) else {
      throw ValidationError("it is not a numeric address with a port; write it like 0.0.0.0:7007, 192.168.1.20 or 7007")
    }
    return address
  }
}
