package import Schedule

/// The peaks of each layer over time, as they are heard: with volumes, fades and ducking, before the master volume.
package struct Waveforms: Sendable {
  /// The largest magnitude in each step.
  package var peaks: [Layer: [Float]]
  /// The length of a step in frames.
  package var step: Double

  package init(peaks: [Layer: [Float]], step: Double) { (self.peaks, self.step) = (peaks, step) }

  /// The largest magnitude of a layer in a span.
  func peak(of layer: Layer, from begin: Double, to end: Double) -> Float {
    guard let peaks = peaks[layer], 0 < step else { return 0 }
    let first = min(max(0, Int(begin / step)), peaks.count)
    let last = min(max(first, Int((end / step).rounded(.up))), peaks.count)
    return peaks[first..<last].max() ?? 0
  }
}

extension SVG {
  /// The waveform of a layer between two positions in pixels, drawn upwards from `floor`. The square root of the peaks
  /// shows soft sounds, too.
  ///
  /// - Parameter frame: the session frame at a position.
  static func wave(
    _ waveforms: Waveforms, of layer: Layer, from left: Double, to right: Double, frame: (Double) -> Double,
    floor: Double, height: Double
  ) -> String {
    let width = 2.0
    var path = ""
    for x in stride(from: left, to: right, by: width) {
      let end = min(x + width, right)
      let peak = waveforms.peak(of: layer, from: frame(x), to: frame(end))
      let top = floor - height * Double(min(1, peak)).squareRoot()
      path += "\(path.isEmpty ? "M" : "L")\(number((x + end) / 2)) \(number(top))"
    }
    if path.isEmpty { return "" }
    return "<path class=\"wave\" d=\"\(path)V\(number(floor))H\(number(left))Z\"/>\n"
  }
}
