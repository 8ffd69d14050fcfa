import ArgumentParser
import ProsperKit

/// `prosper outputs`: lists the sinks of the sound server, and the sources and mounts of servers on the network.
struct OutputsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outputs",
    abstract: "Lists the outputs of the sound server by name, and those of Snapcast and Icecast; * marks the default.",
    discussion: """
      The Snapcast and Icecast servers of this computer are asked, the Snapcast servers that announce themselves on \
      the local network (where Avahi runs), and those whose addresses are given, such as snapcast://hall or \
      icecast://radio.example:8000. Sources, groups and mounts of those that answer are listed.

      Play to one of them with --output pulse:NAME. Each line shows how much sound a session requests in the buffers \
      of the output, and how soon a command is then heard: at once if the server can replace sound that it has not \
      played yet, otherwise after the sound that the device holds. The server may grant other buffers; prosper play \
      --log-level debug prints what it has granted.
      """)

  @Argument(help: ArgumentHelp("Servers to ask: snapcast://HOST[:PORT] or icecast://HOST[:PORT].", valueName: "server"))
  var servers: [String] = []

  @Flag(help: "Prints one JSON object per line.")
  var json = false

  func run() throws {
    let asked = try servers.map { try ServerSurvey(address: $0) }
    let found = ServerSurvey.found().filter { server in !asked.contains { server.isSame(as: $0) } }
    let servers = list(found + asked)
    do throws(SinkError) {
      let survey = try PulseSurvey.ofServer()
      for output in survey.outputs { print(json ? line(for: output, survey) : text(for: output, survey)) }
    } catch {
      // A computer may have no sound server, and send all sound elsewhere.
      if servers.failure == nil, servers.count == 0 {
        if case .noServer(let cause) = error {
          StandardError.say("no sound server answers (\(cause)); start PulseAudio or PipeWire")
        } else {
          StandardError.say(error.description)
        }
        throw ExitStatus(error).code
      }
    }
    if let failure = servers.failure { throw ExitStatus(failure).code }
  }

  /// Prints what servers offer.
  ///
  /// - Returns: how many things were listed, and why the first of the servers that were named does not answer.
  private func list(_ servers: [ServerSurvey]) -> (count: Int, failure: SinkError?) {
    var (count, failure) = (0, SinkError?.none)
    for survey in servers {
      do throws(SinkError) {
        let found = try survey.outputs()
        for output in found { print(json ? output.json.description : output.text.withoutControls) }
        count += found.count
      } catch  where survey.isGuess {
        // Of this computer, a server is listed if there is one.
      } catch {
        StandardError.say(error.description)
        failure = failure ?? error
      }
    }
    return (count, failure)
  }

  /// The line for people: name, format, state, buffer and delay of commands.
  private func text(for output: PulseOutput, _ survey: PulseSurvey) -> String {
    let mark = output.isDefault ? "*" : " "
    let (stream, device) = milliseconds(of: output, survey)
    let seconds = OutputGrant.commandDelay(
      device: survey.asked(of: output).device, isRewindable: survey.isRewindable(output))
    let delay = seconds == 0 ? "commands heard at once" : "commands heard within \(Int(1_000 * seconds)) ms"
    let muted = output.isMuted ? ", muted" : ""
    return
      ("\(mark) \(output.name)  \(output.description) (\(output.rate) Hz, \(output.channels) channels, "
      + "\(output.state)\(muted); \(survey.server.title): buffer \(stream + device) ms, \(delay))").withoutControls
  }

  private func line(for output: PulseOutput, _ survey: PulseSurvey) -> String {
    var line = JSONLine()
    line.add("name", output.name)
    line.add("description", output.description)
    line.add("sampleRate", output.rate)
    line.add("channels", output.channels)
    line.add("state", output.state.rawValue)
    line.add("default", output.isDefault)
    line.add("muted", output.isMuted)
    line.add("server", survey.server.title)
    line.add("rewinds", survey.isRewindable(output))
    let (stream, device) = milliseconds(of: output, survey)
    line.add("streamMilliseconds", stream)
    line.add("deviceMilliseconds", device)
    return line.description
  }

  /// The latencies that a session requests of an output: of its own buffer, and of the device.
  private func milliseconds(of output: PulseOutput, _ survey: PulseSurvey) -> (stream: Int, device: Int) {
    let asked = survey.asked(of: output)
    return (Int((1_000 * asked.stream).rounded()), Int((1_000 * asked.device).rounded()))
  }
}
