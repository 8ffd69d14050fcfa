import ProsperKit

/// The levels of one file, as `prosper measure` prints them.
struct LevelReport {
  /// As the user gave it.
  var file: String
  /// That of a session.
  var title: String?
  var measurement: Measurement
  /// What a target asks and the file is not.
  var problems: [String]

  /// One JSON object and the end of its line. Loudness is in LUFS and LU, the true peak in dBTP, other levels in dBFS;
  /// null stands for −∞.
  var json: String {
    var line: JSONLine = ["v": 1, "file": file, "title": IfAny(title), "sampleRate": measurement.sampleRate]
    line.add(Self.members(of: measurement.levels))
    if !measurement.stages.isEmpty {
      let stages = measurement.stages.map { (["name": $0.name] as JSONLine + Self.members(of: $0.levels)).description }
      line.add("stages", written: "[" + stages.joined(separator: ",") + "]")
    }
    line.add("problems", written: "[" + problems.map(JSONLine.quoted).joined(separator: ",") + "]")
    return line.description + "\n"
  }

  private static func members(of levels: SoundLevels) -> JSONLine {
    [
      "seconds": Rounded(levels.seconds), "channels": levels.channels, "integrated": level(levels.integrated),
      "range": level(levels.range), "momentary": level(levels.momentary), "shortTerm": level(levels.shortTerm),
      "truePeak": level(levels.truePeak ?? -.infinity), "samplePeak": level(levels.samplePeak),
      "rms": level(levels.rms), "noiseFloor": level(levels.noiseFloor),
      "longestSilence": Rounded(levels.longestSilence), "fullScaleSamples": levels.fullScaleSamples,
    ]
  }

  private static func level(_ level: Double) -> Rounded { Rounded(level.isFinite ? level : nil) }
}

/// Levels of files and stages as a table, with a line for each.
struct LevelTable {
  private let nameWidth: Int

  private static let columns = [
    ("LUFS", 6), ("LU", 5), ("M max", 6), ("S max", 6), ("dBTP", 6), ("dBFS", 6), ("RMS", 6), ("floor", 7),
    ("silence", 8), ("clipped", 8),
  ]
  private static let longestName = 32

  /// - Parameter files: those that are measured, as the user gave them.
  init(named files: [String]) {
    nameWidth = min(Self.longestName, max(12, files.map { Self.name(of: $0).count }.max() ?? 0))
  }

  /// The headings.
  var head: String { line("", Self.columns.map(\.0)) }

  /// The lines of a file: the whole, and each stage of a session.
  func lines(of report: LevelReport) -> String {
    let stages = report.measurement.stages.map { line("  " + $0.name, Self.values($0.levels)) }
    return line(Self.name(of: report.file), Self.values(report.measurement.levels)) + stages.joined()
  }

  private func line(_ name: String, _ values: [String]) -> String {
    let shown = name.count <= nameWidth ? name : name.prefix(nameWidth - 1) + "…"
    let cells = zip(Self.columns, values).map { column, value in
      String(repeating: " ", count: max(1, column.1 - value.count + 1)) + value
    }
    return shown.withoutControls + String(repeating: " ", count: max(0, nameWidth - shown.count)) + cells.joined()
      + "\n"
  }

  private static func values(_ levels: SoundLevels) -> [String] {
    let numbers = [
      levels.integrated, levels.range, levels.momentary, levels.shortTerm, levels.truePeak ?? -.infinity,
      levels.samplePeak, levels.rms, levels.noiseFloor,
    ]
    return numbers.map { Level.text($0) }
      + [Spelling.decimal(levels.longestSilence, digits: 1) + " s", "\(levels.fullScaleSamples)"]
  }

  private static func name(of file: String) -> String { FilePath.parts(of: file).last.map(String.init) ?? file }
}
