import ProsperKit

extension CompareReport {
  /// One JSON object and the end of its line. Levels are in dBFS, times in seconds, gains in decibels; null stands for an
  /// infinity, or for what does not exist.
  var json: String {
    let output = comparison.output
    var line: JSONLine = [
      "v": 1, "a": comparison.a.name, "b": comparison.b.name, "same": comparison.isSame,
      "sampleRate": comparison.sampleRate, "limit": Rounded(output.limit), "secondsA": Rounded(output.lengthA),
      "secondsB": Rounded(output.lengthB), "addedSeconds": Rounded(output.addedSeconds),
    ]
    line.add(members(of: output))
    if !comparison.layers.isEmpty {
      line.add(
        "layers",
        comparison.layers.map { layer in
          ["name": layer.name, "same": layer.difference.isSame] as JSONLine + members(of: layer.difference)
        })
    }
    return line.description + "\n"
  }

  private func members(of difference: SoundDifference) -> JSONLine {
    [
      "residual": Self.level(difference.peak), "residualRms": Self.level(difference.rms),
      "first": difference.first.map(object), "worst": difference.worst.map(object),
      "explanation": difference.explanation.map(Self.object), "spans": difference.spans.map(object),
    ]
  }

  private func object(of place: SoundDifference.Place) -> JSONLine {
    ["second": Rounded(place.second), "stage": IfAny(stageName(place.second)), "residualRms": Self.level(place.level)]
  }

  private func object(of span: DifferenceSpan) -> JSONLine {
    [
      "from": Rounded(span.from), "to": Rounded(span.to), "stage": IfAny(stageName(span.from + 0.05)),
      "kind": span.kind.rawValue, "gain": Self.level(span.decibels), "residual": Self.level(span.peak),
    ]
  }

  private static func object(of explanation: DifferenceExplanation) -> JSONLine {
    [
      "from": Rounded(explanation.from), "to": Rounded(explanation.to), "gain": Rounded(explanation.decibels),
      "inverted": explanation.isInverted,
      "shift": explanation.shift, "residualRms": level(explanation.rest),
    ]
  }

  private static func level(_ level: Double) -> Rounded { Rounded(level.isFinite ? level : nil) }
}
