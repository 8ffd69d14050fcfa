import ArgumentParser
import ProsperKit

/// Plays a session from the command line: what `play` and `sit` share after the session has been read or made.
struct SessionPlayback {
  let options: PlaybackOptions
  /// The page that shows the session; nil for none.
  var page: PageService?
  /// The folders whose sounds the page may play, beside those of the library.
  var folders: [String] = []

  /// Runs `body`, prints a `Refusal` or a `ResumePoint.Failure` as one line, and throws the exit code.
  static func reportingRefusals(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let refusal as Refusal {
      StandardError.say(refusal.reason)
      throw ExitStatus.usage.code
    } catch let failure as ResumePoint.Failure {
      StandardError.say(failure.message)
      throw failure.status.code
    }
  }

  /// Prepares everything that can fail before the output is opened, and then plays.
  ///
  /// - Parameters:
  ///   - path: the session's file, which a later `--resume` reads again; nil for a session without a file.
  ///   - watches: whether the session is read again when its file changes.
  ///   - interruptions: the signals that end the session.
  /// - Throws: the exit code, also after a session that was played to its end.
  func play(_ plan: SessionPlan, at path: String?, watches: Bool = false, until interruptions: Interruptions)
    async throws
  {
    let hooks = try options.desktop.hooks(isLive: options.output.isLive)
    var (setup, commands, results) = try reportingInvalidFiles(plan, path) {
      try prepared(plan, at: path, resumes: options.session.resume)
    }
    let isLive = options.output.isLive
    if isLive, let path {
      setup.positionSaver = PositionSaver(
        of: setup.programme, SessionIdentity(plan, at: path), fittedTo: plan.fittedLength,
        resumes: options.session.resume,
        reload: setup.reload, report: StandardError.say)
      setup.positionSaver?.reportOlder(of: setup.programme, at: path)
    }
    var run = PlaybackRun(
      setup: setup, options: options.output, isStrict: options.isStrict, interruptions: interruptions,
      target: options.form.target)
    (run.commands, run.results) = (commands, results)
    run.watched =
      watches ? path.map { (path: $0, included: { [reload = setup.reload] in reload?.includedFiles ?? [] }) } : nil
    run.hasControl = !options.session.noControl
    run.desktop = options.desktop.features(isLive: isLive)
    run.logLevel = options.session.logLevel.level
    run.hooks = HookRunner(hooks, title: setup.programme.title)
    if isLive, !options.session.noLog { run.log = SitRecord() }
    run.report = options.session.report.map { RunReport(path: $0, plan: plan, inputs: plan.inputs) }
    if isLive, let path {
      run.resumeCommand =
        path == LastSit.path ? "prosper sit --resume" : "prosper play --resume \(shellWord(ofPath: path))"
    }
    let own = try await ownPage(isLive: isLive)
    if let shown = page ?? own { run.page = (shown.playing, pageSession(of: plan, setup)) }
    own?.announce()
    let status: ExitStatus
    do throws(SinkError) { status = try await run.run() } catch {
      await own?.stop()
      throw error
    }
    await own?.stop()
    throw status.code
  }

  /// Prepares what `play` would play at another time, and plays nothing.
  ///
  /// - Throws: what `play` would throw before it opens the output.
  func check(_ plan: SessionPlan, at path: String?) throws -> PlaybackSetup {
    try options.chosenOutput.checkFile()
    // The position of an interrupted session will be another one by then.
    return try prepared(plan, at: path, resumes: false).setup
  }

  /// Runs `body`. If it fails because of the session or the script, their problems become the results of `--junit`.
  private func reportingInvalidFiles<Value>(
    _ plan: SessionPlan, _ path: String?, _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch let code as ExitCode {
      guard let junit = options.session.junit else { throw code }
      var files = [CheckedFile(plan, isStrict: false)]
      if let script = options.session.script, plan.scope != nil {
        files.append(CheckedFile(script: script, of: plan, isStrict: false))
      }
      let cases = files.filter { $0.status != .finished }.map(\.testCase)
      let inputs = [path, options.session.script].compactMap(\.self) + plan.inputs + files.flatMap(\.inputs)
      if !cases.isEmpty { try JUnitReport(name: "prosper play", cases: cases).write(to: junit, sparing: inputs) }
      throw code
    }
  }

  /// The page of `--web`; nil without the option.
  private func ownPage(isLive: Bool) async throws -> PageService? {
    guard let address = options.session.web else { return nil }
    if !isLive { throw Refusal("--web controls a session that is heard; leave it out, or play live") }
    return try await PageService.started(at: address, showsView: options.session.view)
  }

  /// What the page shows of a session, and may command.
  private func pageSession(
    of plan: SessionPlan, _ setup: PlaybackSetup
  ) -> @Sendable (AudioPlayerService) -> NowPlaying.Session {
    let commands = PageCommands(folders: folders + SessionLibrary().folders) { [reload = setup.reload] in
      reload?.plan ?? plan
    }
    return { player in
      NowPlaying.Session(
        player: player, leave: { player.finish(fade: $0, reason: .interrupted) },
        understand: commands.understand
      ) {
        await player.currentProgramme().flatMap { Timelines.Timeline(planning: $0)?.json }
      }
    }
  }

  private func prepared(
    _ plan: SessionPlan, at path: String?, resumes: Bool
  ) throws -> (setup: PlaybackSetup, commands: Commands, results: ScriptResults?) {
    // A mistake on the command line is reported before those of the session.
    try options.session.checkValues()
    plan.printProblems()
    guard let programme = plan.programme, let reader = plan.commandReader else { throw plan.status.code }
    let script = try options.session.script.map { try plan.readScript(at: $0) }
    let isLive = options.output.isLive
    if isLive, script?.sound.isEmpty == false {
      throw Refusal("the script expects facts about the sound, which only a render can check; add --output null:fast")
    }
    var setup = try options.chosenOutput.setup(of: programme, library: Sounds(playsWhileDownloading: isLive))
    if resumes, let path {
      let point = try ResumePoint(
        in: programme, SessionIdentity(plan, at: path), fittedTo: plan.fittedLength, isStrict: options.isStrict,
        announcing: SessionPlan.announceDownload)
      point?.announce(path)
      if let point { setup.resume(at: point) }
    } else if let (stage, frame) = try options.session.start(in: programme) {
      (setup.stage, setup.start) = (stage, frame)
    }
    if let volume = try options.session.masterVolume() { setup.setMaster(volume) }
    setup.options.leadIn = try options.session.leadInSeconds()
    setup.reload = SessionReload(plan, master: try options.session.masterVolume())
    setup.measures = !options.session.noMetrics
    setup.metersSound = options.session.report != nil
    setup.name(plan)
    setup.sound = script?.sound ?? []
    setup.script = try options.session.withMetricsEvents(around: script.map { ScriptRunner($0) })
    let files =
      [path, options.session.script].compactMap(\.self) + plan.inputs
      + (script?.sources ?? []).compactMap(\.origin.path)
    try refuseOverwriting(by: setup, inputs: files)
    try options.checkReports(sparing: files)
    // A script may end an open stage.
    if script == nil { try refuseEndlessRender(setup) }
    let results = options.session.junit.map { junit in
      ScriptResults(
        path: junit, script: options.session.script ?? "", expectations: script?.expectations ?? [], inputs: files)
    }
    return (setup, Commands(reader, of: setup.reload), results)
  }

  /// Refuses to render into one of the files that are read, which would destroy it.
  private func refuseOverwriting(
    by setup: PlaybackSetup, inputs paths: [String]
  ) throws(Refusal) {
    guard let path = setup.overwrittenInput(among: paths) else { return }
    throw Refusal("--output \(path.withoutControls) is a file that the session uses; choose another name")
  }

  /// Refuses to render an open stage, which only a command can end.
  private func refuseEndlessRender(_ setup: PlaybackSetup) throws(Refusal) {
    guard let name = setup.endlessStage?.withoutControls else { return }
    throw Refusal(
      "stage '\(name)' is open and would never end in a file; give it a duration, or a --script with a 'nextStage' for it, or play it live"
    )
  }
}

extension PlaybackOptions {
  /// Refuses a page or results that can't be written, or would replace another file of the run.
  fileprivate func checkReports(sparing inputs: [String]) throws {
    let reports = [session.report, session.junit].compactMap(\.self)
    let files = output.files
    if files.isEmpty { try TextFile.check(reports, beside: nil, sparing: inputs) }
    for file in files { try TextFile.check(reports, beside: file, sparing: inputs) }
  }
}

extension PlayOptions {
  /// Adds periodic `metrics` events to the script, if `--metrics-every` is given.
  fileprivate func withMetricsEvents(around script: (any CommandSource)?) throws(Refusal) -> (any CommandSource)? {
    try metricsInterval().map { PeriodicMetrics(every: $0, around: script) } ?? script
  }
}
