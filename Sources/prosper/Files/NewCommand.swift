import ArgumentParser
import ProsperKit

extension SessionTemplate: ExpressibleByArgument {}

/// `prosper new`: writes a session file from a template or from sound files.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Writes a new session file, with comments that explain it.",
    usage: """
      prosper new FILE
      prosper new FILE --template zazen --minutes 40
      prosper new FILE AUDIO... --voice talk.flac
      prosper new FILE LIST
      prosper new FILE guide.txt --voice anna
      """,
    discussion: """
      Without sound files, the session is a template with built-in sounds. With sound files, those of two minutes or \
      more become the tracks of stages, those under half a minute that begin loud and decay, or are steady, become \
      gongs, and all others, such as spoken phrases, become overlays, under which the music is lowered. \
      Loud ones are lowered, and titles are taken from their tags.

      LIST is a file of another program: a playlist (.m3u, .m3u8), whose sounds become the tracks of a stage; a cue \
      sheet (.cue), whose tracks become stages; labels of Audacity (.txt), which become stages of the sound that has \
      the same name or is given, too; a program of SBaGen (.sbg); or a guide (.md, or a .txt without labels), a text \
      whose parts become stages that speak it. What can't be carried over is printed, and stands as a comment in the \
      new file.

      Exit codes: 0 written · 64 wrong usage · 65 the list has errors · 66 it can't be read, or its sounds are missing \
      · 73 the file can't be created
      """)

  @Argument(
    help: "The file to write: .yaml (with comments) or .json; - writes YAML to stdout.",
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var file: String

  @Argument(
    help: """
      Sound files to make a session of, or a list: a playlist, a cue sheet, labels, a program of SBaGen, or a text to \
      speak.
      """,
    completion: .file(extensions: [
      "wav", "flac", "ogg", "opus", "mp3", "m4a", "aac", "wma", "wv", "mka", "aiff", "aif", "caf", "m3u", "m3u8", "cue",
      "txt", "sbg", "md", "markdown",
    ]))
  var audio: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      """
      A sound file that becomes an overlay, such as a talk of two minutes or more. May be repeated. With a guide: the \
      name of the voice that speaks it, from voices.yaml.
      """,
      valueName: "audio"),
    completion: .file())
  var voice: [String] = []

  @Option(help: "Length of the session in minutes. (default: that of the template, or of the sounds)")
  var minutes: Double?

  @Option(
    help: ArgumentHelp("The template. (default: sit)", valueName: "name"))
  var template: SessionTemplate?

  @Flag(name: .shortAndLong, help: "Replaces the file if it exists.")
  var force = false

  func validate() throws {
    if template != nil, !(audio + voice).isEmpty { throw ValidationError("give either --template or sound files") }
    if try ImportArguments(audio, voices: voice) != nil, minutes != nil {
      throw ValidationError("--minutes needs sound files; a list has its own times")
    }
    if let minutes, !SessionTemplate.minutes.contains(minutes) {
      throw ValidationError("--minutes must be a number from 1 to 1440")
    }
  }

  func run() throws {
    do {
      _ = try SessionFileWriter.format(of: file)
      let existing = force ? TextFile.Existing.replace : .keepUnlessForced
      if let imported = try ImportArguments(audio, voices: voice)?.session(title: title), let session = imported.session
      {
        return try SessionFileWriter.write(
          session, to: file, existing, notes: imported.comments, parameters: imported.parameters)
      }
      let session = try session()
      let parameters = isOfTemplate ? (template ?? .sit).parameters(of: session) : []
      try SessionFileWriter.write(session, to: file, existing, parameters: parameters)
    } catch let refusal as Refusal {
      StandardError.say(refusal.reason)
      throw ExitStatus.usage.code
    }
  }

  private var isOfTemplate: Bool { (audio + voice).isEmpty }

  private func session() throws -> Session {
    if isOfTemplate {
      let template = template ?? .sit
      return template.session(minutes: minutes ?? template.minutes)
    }
    let draft = SoundDraft(of: try AudioArguments.examined(audio, voices: voice), title: title)
    do throws(DraftError) { return try draft.session(minutes: minutes) } catch { throw Refusal(error.description) }
  }

  /// The title of a session of sound files, from the name of its file.
  private var title: String {
    let name = stem(of: file)
    let words = name.titleWords(dividedAt: "-_")
    return file == "-" || words.isEmpty ? "A session" : words.prefix(1).uppercased() + words.dropFirst()
  }
}
