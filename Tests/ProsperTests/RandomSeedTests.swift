import Foundation
import Glibc
import TestSupport
import Testing

/// The seed of random moments: chosen, named, given, saved.
@Suite struct RandomSeedTests {
  private static let bells = """
    prosper: 1
    title: Bells
    stages:
      - name: Sit
        duration: 20m
        gongs:
          - { sound: "generate:bell", random: 4, minimum: 90s }
          - { sound: "generate:bell", every: 5m, jitter: 20% }
    """
  private static let plain = bells.replacing("random: 4, minimum: 90s", with: "at: 1m")
    .replacing(", jitter: 20%", with: "")

  private static func strikes(_ run: Prosper, from second: Double = 0) throws -> [Double] {
    try run.events().filter { $0["event"] as? String == "gong" }.compactMap { $0["session"] as? Double }
      .filter { second <= $0 }
  }

  private static func seed(_ run: Prosper) throws -> Int? { try run.events().first?["seed"] as? Int }

  @Test func `each run has its own seed, which its first event names and which repeats the run`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.bells)
    let play = ["play", session, "-o", "null:fast"]
    let runs = [try await Prosper.run(play), try await Prosper.run(play)]
    let seeds = try runs.map { try #require(try Self.seed($0)) }
    #expect(seeds[0] != seeds[1])
    let moments = try runs.map { try Self.strikes($0) }
    #expect(moments[0].count == 7 && moments[0] != moments[1])
    let again = try await Prosper.run(play + ["--seed", "\(seeds[0])"])
    #expect(try Self.seed(again) == seeds[0] && Self.strikes(again) == moments[0])
    let shown = try await Prosper.run(["show", session, "--json", "--seed", "\(seeds[0])"])
    let report = try #require(try JSONSerialization.jsonObject(with: Data(shown.out.utf8)) as? [String: Any])
    let stages = try #require(report["stages"] as? [[String: Any]])
    let gongs = try #require(stages[0]["gongs"] as? [[String: Any]])
    #expect(report["seed"] as? Int == seeds[0] && gongs.compactMap { $0["at"] as? Double } == moments[0])
    let printed = try await Prosper.run(play + ["--seed", "7", "--events", "text"])
    #expect(printed.out.hasPrefix("0:00  Bells, 20:0") && printed.out.contains(", seed 7\n"), "\(printed.out)")
    let text = try await Prosper.run(["show", session])
    #expect(text.out.contains("random moments of the seed 0"))
    #expect(try await Prosper.run(["show", session, "--seed", "x"]).status == 64)
  }

  @Test func `a session without random moments has no seed`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.plain)
    let run = try await Prosper.run(["play", session, "-o", "null:fast"])
    let first = try #require(try run.events().first)
    #expect(run.status == 0 && first["seed"] == nil)
    let shown = try await Prosper.run(["show", session, "--json"])
    #expect(shown.status == 0 && !shown.out.contains("\"seed\""))
  }

  @Test func `a session that is killed is resumed with the bells that it would have had`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.bells)
    let killed = try await Prosper.run(["play", session, "-o", "null", "--no-control"], in: scratch) {
      $0.waitUntilItSays(#""session":2.0"#)
      $0.send(SIGKILL)
    }
    #expect(killed.status == -SIGKILL)
    let seed = try #require(try Self.seed(killed))
    let resumed = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(try resumed.status == 0 && Self.seed(resumed) == seed, "\(resumed.err)")
    let whole = try await Prosper.run(["play", session, "-o", "null:fast", "--seed", "\(seed)"])
    #expect(try Self.strikes(resumed) == Self.strikes(whole) && Self.strikes(whole).count == 7)
    let other = try await Prosper.run(["play", "--resume", "-o", "null:fast", "--seed", "\(seed + 1)"], in: scratch)
    #expect(try other.status == 0 && Self.seed(other) == seed + 1)
  }

  @Test func `compare gives both sides the same moments`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.bells.replacing("20m", with: "10m").replacing("5m", with: "3m"))
    let same = try await Prosper.run(["compare", session, session])
    #expect(same.status == 0, "\(same.out)\(same.err)")
    #expect(try await Prosper.run(["check", session]).status == 0)
  }
}
