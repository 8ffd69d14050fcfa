import ProsperKit
import Testing

/// The session of a text at 8,000 Hz, whose sounds are counted.
func session(
  _ stages: String, reader: SessionReader = SessionReader(decoders: [CountingDecoder()])
) async throws -> PlayableSession {
  let text = "prosper: 1\ntitle: Counted\nsampleRate: 8000\nstages:\n" + stages
  let reading = await reader.read(text: text, folder: "/counts")
  #expect(reading.diagnostics.isEmpty)
  return try #require(reading.session)
}
