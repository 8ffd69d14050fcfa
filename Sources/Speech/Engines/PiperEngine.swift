import Files
import Sounds

/// Piper, whose voices are models of neural networks.
struct PiperEngine: SpeechEngine {
  let name = "piper"
  let program: String
  let arguments: [String]
  let version: String

  /// - Parameter place: where `voices.yaml` describes the voice.
  init(
    _ settings: Voice.PiperSettings, program wanted: String?, at place: String,
    folders: String? = ProcessInput.variable("PATH")
  ) throws(SpeechFailure) {
    guard let file = ProgramFile(program: wanted ?? "piper", folders: folders) else {
      throw .missingEngine(
        program: wanted ?? "piper",
        remedy: wanted == nil
          ? "install it with 'pip install piper-tts', or name its path as 'program' in voices.yaml"
          : "correct 'program' in voices.yaml")
    }
    guard let model = ProgramFile(path: settings.model) else { throw .missingModel(path: settings.model, place: place) }
    program = file.path
    // The noise makes each reading different; without it the same text sounds the same. Both editions of Piper, the one
    // in C++ and the one in Python, have these spellings.
    arguments =
      ["--model", model.path, "--output_file", "-", "--noise_scale", "0", "--noise_w", "0"]
      + (settings.speaker.map { ["--speaker", "\($0)"] } ?? [])
      + (settings.length.map { ["--length_scale", "\($0)"] } ?? [])
    // The edition in Python states no version, and takes a second to say so.
    let configuration = ProgramFile(path: settings.model + ".json")
    version = [file.state, model.state, configuration?.state ?? ""].joined(separator: " ")
  }
}
