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
      prosper serve ~/Sessions --wait-for-server 2m --install
      """,
    discussion: """
      Lists the sessions of the folders and those of 'prosper sessions', and plays one at a time. It prints the \
      address of the page, a picture that pairs the phone whose camera sees it, and a code of six digits that pairs \
      any device. A device stays paired until --new-links.

      The page is plain HTTP, for a network at home that you trust. Ctrl-C ends the session, and the page with it.

      --install makes it a service of your systemd user manager, which starts again when it fails. It runs while you \
      are logged in, and from the start of the computer on after 'loginctl enable-linger'.

      Exit codes: 0 ended by a signal, or done · 64 wrong usage · 69 the page can't be served, or systemd does not \
      answer · 73 the file of the service can't be written.
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

  @Flag(help: "Makes a service that serves the page with the other options, starts it, and replaces an earlier one.")
  var install = false

  @Flag(help: "Stops and removes the service.")
  var uninstall = false

  @Flag(help: "Doesn't add the sessions to the log of 'prosper log'.")
  var noLog = false

  @OptionGroup var output: OutputOptions

  @OptionGroup var form: FileOptions

  @OptionGroup var desktop: DesktopOptions

  func validate() throws {
    try form.check(output.choices)
    if uninstall, install || !folders.isEmpty {
      throw ValidationError("--uninstall removes the service; leave out --install and the folders")
    }
    if !output.choices.allSatisfy(\.isLive) {
      throw ValidationError(
        "serve plays live; choose live outputs, such as pulse, pulse:SINK or snapcast://HOST/SOURCE")
    }
  }

  func run() async throws {
    if uninstall { return try ServeService.uninstall() }
    try await SessionPlayback.reportingRefusals {
      try check()
      if !install { return try await serve() }
      if newLinks { PageService.tokens(isRenewed: true) }
      try ServeService(words: serviceWords).install()
    }
  }

  /// Refuses what would fail later.
  private func check() throws(Refusal) {
    for folder in folders where SessionFolder.sessions(in: folder) == nil {
      throw Refusal("\(folder.withoutControls): there is no such folder; name a folder with sessions")
    }
    _ = try desktop.hooks(isLive: false)
  }

  private func serve() async throws {
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
    var options = PlaybackOptions(session: try PlayOptions.parse([]), output: output, form: form, desktop: desktop)
    (options.session.resume, options.session.noLog) = (choice.resumes, noLog)
    let playback = SessionPlayback(options: options, page: page, folders: folders)
    do {
      try await SessionPlayback.reportingRefusals {
        try await playback.play(choice.plan, at: choice.path, until: interruptions)
      }
    } catch is ExitCode {
    } catch let error as SinkError {
      StandardError.say(error.description)
    }
  }
}

extension ServeCommand {
  /// The arguments of the service: those of this command with the absolute paths of the folders, and without those that
  /// are for now only.
  private var serviceWords: [String] {
    var words = ProcessInput.arguments.dropFirst(2).filter { !["--install", "--new-links"].contains($0) }
    for (number, folder) in folders.enumerated() {
      let path = absolutePath(of: folder)
      // The same word may also be the value of an option.
      for place in words.indices where words[place] == folder {
        var changed = words
        changed[place] = path
        if (try? Self.parse(changed))?.folders.dropFirst(number).first == path {
          words = changed
          break
        }
      }
    }
    return words
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
