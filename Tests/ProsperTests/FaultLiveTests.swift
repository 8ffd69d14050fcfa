import Foundation
import TestSupport
import Testing

/// Compares the table in the article "When something goes wrong" with what happens.
struct FaultLiveTests {
  private static let article = "Sources/ProsperKit/ProsperKit.docc/WhenSomethingGoesWrong.md"

  /// The rows of the table, by their first cell.
  private static func promised() throws -> [String: String] {
    let text = try String(contentsOf: Prosper.root.appendingPathComponent(article), encoding: .utf8)
    let table = text.components(separatedBy: "| what goes wrong |").last ?? ""
    let rows = table.split(separator: "\n").dropFirst(2).prefix { $0.hasPrefix("| ") }
    return Dictionary(rows.map { (name(of: $0), String($0)) }) { first, _ in first }
  }

  private static func name(of row: Substring) -> String { row.dropFirst(2).components(separatedBy: " | ")[0] }

  @Test func `each fault behaves as its row of the table says`() async throws {
    let promised = try Self.promised()
    try await withThrowingTaskGroup(of: (String, String).self) { rows in
      for (count, fault) in Fault.all.enumerated() {
        // Four run at the same time, because they wait for most of their time.
        if 4 <= count, let (name, row) = try await rows.next() { expect(row, promised[name]) }
        rows.addTask { (fault.name, try await row(of: fault, promised[fault.name])) }
      }
      for try await (name, row) in rows { expect(row, promised[name]) }
    }
  }

  /// The actual row. On a busy machine, an output may underrun that otherwise would not; the fault is then repeated.
  private func row(of fault: Fault, _ promised: String?) async throws -> String {
    var last = ""
    do {
      try await best(where: { $0 == promised }) {
        last = try await fault.row()
        return last
      }
    } catch is Unwanted {}
    return last
  }

  private func expect(_ row: String, _ promised: String?) {
    #expect(promised == row, "\(Self.article) should have the row: \(row)")
  }

  @Test func `the table has no other rows`() throws {
    #expect(try Set(Self.promised().keys) == Set(Fault.all.map(\.name)))
  }
}
