/// Words after which a full stop does not end a sentence.
///
/// The list has only words that are no common last word of a sentence in any of its languages.
enum Abbreviations {
  private static let words: Set<String> = [
    // English
    "dr", "mr", "mrs", "prof", "st", "sr", "jr", "vs", "rev", "capt", "approx", "dept",
    // German
    "bzw", "ca", "nr", "vgl", "evtl", "ggf", "inkl", "sog", "hr", "fr", "frl", "str", "bd", "kap", "usf", "zzgl",
    // French
    "mm", "mme", "mmes", "mlle", "mgr", "cf", "env",
    // Spanish and Italian
    "sra", "srta", "sres", "uds", "ud", "núm", "dott", "ing",
  ]

  /// The German months, before which a number with a full stop is a day.
  private static let months: Set<String> = [
    "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
  ]

  /// - Parameters:
  ///   - word: the word before a full stop.
  ///   - next: the word that follows.
  static func isAbbreviation(_ word: String, before next: String) -> Bool {
    let small = word.lowercased()
    if words.contains(small) { return true }
    if 1...2 ~= word.count, word.allSatisfy({ $0.isASCII && $0.isNumber }) { return months.contains(next.lowercased()) }
    // The English pronoun is the one word of a single letter that often ends a sentence.
    if word.count == 1 { return word.first?.isLetter == true && word != "I" }
    let parts = small.split(separator: ".", omittingEmptySubsequences: false)
    return 1 < parts.count && parts.allSatisfy { 1...2 ~= $0.count && $0.allSatisfy(\.isLetter) }
  }
}
