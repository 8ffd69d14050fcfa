import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// What a closure on another thread has found.
final class Note<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  var kept: Value? { value.withLock(\.self) }
  func keep(_ value: Value) { self.value.withLock { $0 = value } }
}

/// A folder with a session, and prosper with a page.
struct PageScene {
  let folder: Scratch
  let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write("sit.yaml", Self.text(title: "A sit <b>here</b>"))
    let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 80_000), rate: 8_000)
    try Data(wave).write(to: URL(fileURLWithPath: folder.path("own.wav")))
  }

  static func text(title: String) -> String {
    """
    prosper: 1
    title: \(title)
    sampleRate: 8000
    stages:
      - {name: One, duration: 30m, tracks: ["generate:rain", "generate:drone"], repeat: playlist}
      - {name: Two, duration: 30m, tracks: ["generate:ocean"]}

    """
  }

  /// Runs prosper with a page, and calls `body` with its port and the code that it prints. Ends it afterwards.
  func run(
    _ words: [String], _ body: @escaping @Sendable (UInt16, String) throws -> Void
  ) async throws -> Prosper {
    let failure = Note<any Error>()
    let run = try await Prosper.run(
      words,
      environment: [
        "XDG_RUNTIME_DIR": folder.path(""), "XDG_STATE_HOME": folder.path("state"),
        "XDG_DATA_HOME": folder.path("data"), "TZ": "UTC",
      ],
      in: folder
    ) { running in
      running.waitUntilItSaysOnError("with the code ")
      do {
        let told = running.saidOnError().firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/, with the code (\d{3}) (\d{3})/)
        let found = try #require(told)
        try body(try #require(UInt16(found.1)), String(found.2 + found.3))
      } catch { failure.keep(error) }
      running.send(SIGTERM)
    }
    if let failure = failure.kept { throw failure }
    return run
  }

  static func token(_ code: String, at port: UInt16) throws -> String {
    let answer = try Answer(of: "POST", "/api/pair", at: port, body: "{\"code\":\"\(code)\"}")
    return try #require(answer.member("token") as? String)
  }

  /// The token of a phone that was paired, once the session plays: the page is there a moment before.
  static func tokenOfSession(_ code: String, at port: UInt16) throws -> String {
    let token = try token(code, at: port)
    #expect(eventually { (try? status(token, at: port)["title"]) != nil })
    return token
  }

  static func command(_ text: String, _ token: String, at port: UInt16) throws -> Answer {
    try Answer(of: "POST", "/api/command", at: port, token: token, body: text)
  }

  static func status(_ token: String, at port: UInt16) throws -> [String: Any] {
    let answer = try Answer(of: "GET", "/api/status", at: port, token: token)
    return try #require(answer.member("status") as? [String: Any])
  }

  static func play(_ members: String, _ token: String, at port: UInt16) throws -> Answer {
    try Answer(of: "POST", "/api/play", at: port, token: token, body: "{\"session\":\(members)}")
  }
}
