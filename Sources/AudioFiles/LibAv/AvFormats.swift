/// The formats of files and of sound that libavformat and libavcodec may read. The others are left out because they open
/// other files, read pictures, text or devices, need a library of their own, or have no signature by which a sound can be
/// told from other data.
enum AvFormats {
  /// The names of demuxers.
  static let containers: Set<String> = [
    "aa", "aac", "aax", "ac3", "act", "adx", "aea", "aiff", "amr", "amrnb", "amrwb", "apc", "ape", "asf", "asf_o",
    "ast",
    "au", "avi", "avr", "bfstm", "brstm", "caf", "dsf", "dss", "dts", "dtshd", "eac3", "epaf", "flac", "flv", "g729",
    "hca", "hcom", "iff", "ircam", "ivr", "kvag", "live_flv", "loas", "matroska,webm", "mca", "mlp", "mmf",
    "mov,mp4,m4a,3gp,3g2,mj2", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "mtaf", "mxf", "nistsphere", "nsp", "nut", "ogg",
    "oma", "paf", "pvf", "qcp", "rm", "rso", "sbc", "sds", "shn", "sln", "sox", "swf", "tak", "truehd", "tta", "vag",
    "voc", "vqf", "w64", "wav", "wsd", "wtv", "wv", "wve", "xa", "xvag", "xwma",
  ]

  /// The names of decoders.
  static let decoders =
    ([
      "8svx_exp", "8svx_fib", "aac", "aac_latm", "ac3", "acelp.kelvin", "alac", "als", "amrnb", "amrwb", "ape", "aptx",
      "aptx_hd", "atrac1", "atrac3", "atrac3al", "atrac3plus", "atrac3plusal", "atrac9", "cook", "dca", "dolby_e",
      "dsd_lsbf", "dsd_lsbf_planar", "dsd_msbf", "dsd_msbf_planar", "dss_sp", "dst", "eac3", "evrc", "flac", "g722",
      "g723_1", "g726", "g726le", "g729", "gsm", "gsm_ms", "hca", "hcom", "iac", "imc", "mace3", "mace6", "metasound",
      "mlp", "mp1", "mp1float", "mp2", "mp2float", "mp3", "mp3adu", "mp3adufloat", "mp3float", "mp3on4", "mp3on4float",
      "mpc7", "mpc8", "nellymoser", "on2avc",
      "opus", "qcelp", "qdm2", "qdmc", "ralf", "real_144", "real_288", "s302m", "sbc", "shorten", "sipr", "sonic",
      "speex", "libspeex", "tak", "truehd", "truespeech", "tta", "twinvq", "vorbis", "wavpack", "wmalossless", "wmapro",
      "wmav1", "wmav2", "wmavoice", "xma1", "xma2",
    ] + adpcm + pcm).joined(separator: ",")

  private static let adpcm = [
    "adx", "aica", "ct", "dtk", "ima_amv", "ima_apc", "ima_apm", "ima_dk3", "ima_dk4", "ima_iss", "ima_oki", "ima_qt",
    "ima_rad", "ima_smjpeg", "ima_ssi", "ima_wav", "ima_ws", "ms", "mtaf", "psx", "sbpro_2", "sbpro_3", "sbpro_4",
    "swf",
    "thp", "thp_le", "xa", "yamaha",
  ].map { "adpcm_" + $0 }

  private static let pcm = [
    "alaw", "bluray", "dvd", "f16le", "f24le", "f32be", "f32le", "f64be", "f64le", "lxf", "mulaw", "s16be",
    "s16be_planar", "s16le", "s16le_planar", "s24be", "s24daud", "s24le", "s24le_planar", "s32be", "s32le",
    "s32le_planar", "s64be", "s64le", "s8", "s8_planar", "u16be", "u16le", "u24be", "u24le", "u32be", "u32le", "u8",
    "vidc",
  ].map { "pcm_" + $0 }

  /// The names of decoders without a state that depends on earlier packets. The others are decoded in one line.
  static let stateless: Set<String> = Set(["alac", "ape", "flac", "tak", "tta", "wavpack"] + pcm)

  /// Demuxers whose times and lengths are those of the samples, and in which libavformat finds the packet of a time.
  static let timed: Set<String> = ["ape", "caf", "flac", "mov,mp4,m4a,3gp,3g2,mj2", "tak", "tta", "wv"]
  /// Demuxers in which the times of packets continue without steps, as long as no packet is missing.
  static let stepped: Set<String> = ["asf", "asf_o", "flv", "matroska,webm", "mpeg", "mpegts"]
  /// Demuxers of files that consist of packets only.
  static let raw: Set<String> = ["aac", "ac3", "dts", "eac3", "loas", "mlp", "truehd"]
}
