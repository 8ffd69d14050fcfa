import ArgumentParser
import Engine
import Player
import PulseAudio

struct OutputsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outputs", abstract: "Lists the sound server's outputs by name; * marks the default.",
    discussion: "Play to one of them with --output pulse:NAME.")

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    do throws(SinkError) {
      let survey = try PulseSurvey.ofServer()
      for output in survey.outputs {
        let isDefault = survey.isDefault(output)
        print(json ? line(for: output, isDefault) : text(for: output, isDefault))
      }
    } catch {
      if case .noServer(let cause) = error {
        Complaint.say("no sound server answers (\(cause)); start PulseAudio")
      } else {
        Complaint.say(error.description)
      }
      throw ExitStatus(error).code
    }
  }

  private func text(for output: PulseOutput, _ isDefault: Bool) -> String {
    let mark = isDefault ? "*" : " "
    return
      "\(mark) \(output.name)  \(output.description) (\(output.rate) Hz, \(output.channels) channels, \(output.state))"
      .withoutControls
  }

  private func line(for output: PulseOutput, _ isDefault: Bool) -> String {
    var line = JSONLine()
    line.add("name", output.name)
    line.add("description", output.description)
    line.add("sampleRate", output.rate)
    line.add("channels", output.channels)
    line.add("state", output.state.rawValue)
    line.add("default", isDefault)
    return line.description
  }
}
