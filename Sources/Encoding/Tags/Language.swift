/// The codes of languages in ID3 tags, which have three letters (ISO 639-2).
enum Language {
  /// The code of a language such as `en` or `pt-BR`; `XXX`, unknown, for one of two letters that has none.
  static func code(of language: String) -> String {
    let short = language.prefix { $0 != "-" }.lowercased()
    return short.count == 3 ? short : codes[short] ?? "XXX"
  }

  private static let codes = pairs.split(whereSeparator: \.isWhitespace).reduce(into: [:]) { codes, pair in
    codes[String(pair.prefix(2))] = String(pair.dropFirst(2))
  }

  /// The codes with two letters of ISO 639-1, each before its code with three letters.
  private static let pairs = """
    aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam
    bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe
    elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj
    gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl
    itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor
    kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa
    mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs
    papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk
    slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl
    tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid
    yoyor zazha zhzho zuzul
    """
}
