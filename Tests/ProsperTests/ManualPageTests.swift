import Foundation
import TestSupport
import Testing

/// The man pages, which are made from the help of the commands and from the articles.
struct ManualPageTests {
  /// All pages, in a folder that exists as long as this value.
  private struct Pages {
    let scratch: Scratch
    var paths: [String]
  }

  private func pages() async throws -> Pages {
    let scratch = try Scratch()
    try await onOwnThread {
      _ = try run(
        "python3", "-B", Prosper.root.appendingPathComponent("scripts/package.d/manual.py").path,
        Prosper.executable.path, scratch.path(""))
    }
    let paths = try ["man1", "man5"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: scratch.path(folder)).map { scratch.path("\(folder)/\($0)") }
    }
    return Pages(scratch: scratch, paths: paths.sorted())
  }

  /// What a program prints.
  private func run(_ words: String...) throws -> String { try run(words) }

  private func run(_ words: [String]) throws -> String {
    try output(
      of: words[0], Array(words.dropFirst()),
      environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SOURCE_DATE_EPOCH": "0"])
  }

  @Test func `there is a page for the program, for each command and for each format`() async throws {
    let pages = try await pages()
    let names = pages.paths.map { URL(fileURLWithPath: $0).lastPathComponent }
    var commands = [["prosper"]]
    var index = 0
    while index < commands.count {
      commands += try await subcommands(of: commands[index])
      index += 1
    }
    #expect(15 <= commands.count)
    let expected = commands.map { $0.joined(separator: "-") + ".1" }
    #expect(names == expected.sorted() + ["prosper-script.5", "prosper-session.5"])
  }

  /// The commands that the help of a command lists, as words.
  private func subcommands(of command: [String]) async throws -> [[String]] {
    let help = try await Prosper.run(Array(command.dropFirst()) + ["--help"])
    return help.lines.drop { !$0.hasPrefix("SUBCOMMANDS") }.dropFirst().prefix { $0.hasPrefix("  ") }
      .compactMap { line in
        if line.hasPrefix("   ") || line.hasPrefix("  See") { return nil }
        return line.split(separator: " ").first.map { command + [String($0)] }
      }
  }

  @Test func `mandoc reports no warning about the pages`() async throws {
    let pages = try await pages()
    let findings = try await onOwnThread { try run(["mandoc", "-T", "lint", "-W", "warning"] + pages.paths) }
    #expect(findings.isEmpty)
  }

  @Test func `every line of a page fits into 80 columns`() async throws {
    let pages = try await pages()
    for path in pages.paths {
      let text = try await onOwnThread { try run("mandoc", "-T", "utf8", "-O", "width=80", path) }
      // Bold and underlined characters are written twice, with a backspace in between.
      let lines = text.replacing(#/.\u{08}/#, with: "").split(separator: "\n")
      #expect(5 < lines.count && lines.allSatisfy { $0.count <= 80 }, "\(path)")
    }
  }

  @Test func `a page lists the values of an option, and refers to the commands that it mentions`() async throws {
    let pages = try await pages()
    for (name, words) in [
      ("new", "Values: sit, zazen, body-scan, sleep, breath, choices."), ("sit", "prosper-play(1)"),
    ] {
      let path = pages.scratch.path("man1/prosper-\(name).1")
      let text = try await onOwnThread { try run("mandoc", "-T", "ascii", "-O", "width=80", path) }
      #expect(text.replacing(#/.\u{08}/#, with: "").replacing(#/\s+/#, with: " ").contains(words), "\(text)")
    }
  }

  @Test func `a page has the options, exit codes and examples of its command`() async throws {
    let pages = try await pages()
    let text = try await onOwnThread {
      try run("mandoc", "-T", "ascii", "-O", "width=80", pages.scratch.path("man1/prosper-metrics.1"))
    }.replacing(#/.\u{08}/#, with: "")
    #expect(text.contains("     --format format\n             table, json or prometheus"))
    #expect(
      text.contains("EXIT STATUS\n     0       printed\n")
        && text.contains("\n     64      wrong usage, or several players\n"))
    #expect(text.contains("EXAMPLES\n           prosper metrics\n           prosper metrics --watch\n"))
    #expect(text.contains("SEE ALSO\n     prosper(1), prosper-session(5)\n"))
  }
}
