import SessionFiles
import Sounds

/// A time that depends on the factor by which a session is stretched: `slope · factor + fixed`, in seconds.
struct FitTime: Hashable {
  var slope = 0.0
  var fixed = 0.0

  /// The time in the session as it is planned, whose factor is 1.
  var planned: Double { slope + fixed }

  func stretched(by factor: Double) -> Double { slope * factor + fixed }

  static func + (one: FitTime, other: FitTime) -> FitTime {
    FitTime(slope: one.slope + other.slope, fixed: one.fixed + other.fixed)
  }
}

/// The times of a session's stages when it is stretched: some stages keep their lengths.
struct SessionTimes {
  /// The beginning and the length of each stage.
  let begins: [FitTime]
  let lengths: [FitTime]
  /// The length of the session.
  let whole: FitTime
  /// The names of the stages that keep their lengths.
  let kept: [String]

  /// - Parameter lengths: those of the stages in seconds, as planned.
  init(of session: Session, lengths: [Double]) {
    self.lengths = zip(session.stages, lengths).map { stage, length in
      stage.isStretchable ? FitTime(slope: length) : FitTime(fixed: length)
    }
    var (begins, end) = ([FitTime](), FitTime())
    for length in self.lengths {
      begins.append(end)
      end = end + length
    }
    (self.begins, whole) = (begins, end)
    kept = session.stages.filter { !$0.isStretchable }.map(\.name)
  }

  /// The factor with which the session lasts so many seconds; nil if no positive one does.
  func factor(for seconds: Double) -> Double? {
    guard 0 < whole.slope, whole.fixed < seconds else { return nil }
    return (seconds - whole.fixed) / whole.slope
  }

  /// A time that counts from the beginning of the session: it moves with the stage in which it is.
  func time(of seconds: Double) -> FitTime {
    guard let index = begins.lastIndex(where: { $0.planned <= seconds }) else { return FitTime(slope: seconds) }
    // So that a session whose stages all stretch has no rounding errors.
    if kept.isEmpty { return FitTime(slope: seconds) }
    let within = seconds - begins[index].planned
    return begins[index] + (lengths[index].slope == 0 ? FitTime(fixed: within) : FitTime(slope: within))
  }
}

extension Session.Stage {
  /// Whether the stage may get another length. A text that a stage speaks from its beginning to its end would be repeated
  /// or cut off.
  var isStretchable: Bool {
    let isSpoken = tracks.allSatisfy { if case .spoken = $0.source.origin { true } else { false } }
    return stretches && !(duration == .natural && isSpoken)
  }
}
