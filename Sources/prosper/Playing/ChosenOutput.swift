import ProsperKit

/// The outputs that two groups of options select, and the form of the files among them.
struct ChosenOutput {
  var options: OutputOptions
  var form: FileOptions

  /// Whether all options have their default values.
  var isStandard: Bool { options.areStandard && form.areStandard }

  /// A setup that plays a programme into the output, in the session mode of these options. It records no metrics.
  func setup(of programme: Programme, library: Sounds) throws(Refusal) -> PlaybackSetup {
    var programme = programme
    programme.tags.date = programme.tags.date ?? SourceDate.day()
    var setup = PlaybackSetup(programme: programme, library: library, output: try destination())
    setup.manager = AudioSessionManager(
      mode: options.sessionMode, giveUpAfter: options.giveUpAfter.seconds, waitForServer: options.waitForServer.seconds)
    setup.loadTimeout = options.loadTimeout?.seconds
    setup.options.blockLength = options.blockFrames
    if let jobs = options.jobs { setup.options.jobs = jobs }
    if let pieceFrames = options.pieceFrames { setup.options.pieceLength = pieceFrames }
    (setup.measures, setup.writesChapters) = (false, !form.noChapters)
    return setup
  }

  /// Refuses a file of an unknown format, and settings that its format does not have.
  func checkFile() throws(Refusal) {
    do throws(SinkError) { for output in options.files.map(file) { try output.check() } } catch {
      throw Refusal(error.description)
    }
  }

  /// The outputs that these options select. Reads the passwords.
  private func destination() throws(Refusal) -> AudioOutput {
    let files = options.passwordFile
    var passwords = try options.mounts.enumerated().map { (index, mount) throws(Refusal) in
      try MountPassword.read(files.count == 1 ? files[0] : files.dropFirst(index).first, for: mount)
    }[...]
    let outputs = options.choices.map { choice -> AudioOutput in
      switch choice {
      case .pulse(let sink): .pulse(device: sink)
      case .file(let path): file(path)
      case .standardOutput: .standardOutput(encoding: options.encoding ?? .s24)
      case .pipe(let path): .pipe(path, encoding: options.encoding ?? .s24)
      case .null(let pace): .null(isRealTime: pace == .listener)
      case .snapcast(let source): .snapcast(assigned(source))
      case .icecast(let mount):
        .icecast(mount, password: passwords.removeFirst(), compression: compression(of: "\(mount)"))
      }
    }
    return outputs.count == 1 ? outputs[0] : .several(outputs)
  }

  private func file(_ path: String) -> AudioOutput {
    .file(path, encoding: options.encoding, compression: compression(of: path), delivery: form.delivery)
  }

  /// The compression of an output. If its format does not have the chosen one, that was meant for another output.
  private func compression(of name: String) -> Compression? {
    guard let chosen = form.compression else { return nil }
    let others = options.choices.filter { $0.isEncoded && $0.description != name }
    let isForOthers = !chosen.fits(name) && others.contains { chosen.fits($0.description) }
    return isForOthers ? nil : chosen
  }

  /// The source, with the groups that listen to it.
  private func assigned(_ source: SnapcastSource) -> SnapcastSource {
    var source = source
    source.groups = options.groupNames
    return source
  }
}
