import CShout
import Engine
import Glibc

/// libshout's connection to an Icecast server. No call waits for the server longer than a few seconds. Used by one thread
/// at a time.
final class ShoutStream {
  /// Why there is no connection.
  enum Failure: Error {
    /// The server refuses the user, the password or the mount.
    case refused
    /// It can't be used before something is changed.
    case unusable(cause: String)
    /// A later attempt may succeed.
    case unreachable(cause: String)
  }

  /// Seconds that the server may take to answer.
  private static let patience = 5.0
  /// Seconds between two looks at the connection.
  private static let interval = 0.01
  private static let isReady: Bool = {
    shout_init()
    return true
  }()

  private let handle: OpaquePointer
  /// For waiting between two questions, because libshout does not pass its socket on; nobody calls it.
  private let pause = WakeUp()
  /// Bytes that libshout was given. It keeps what the network does not take.
  private var given = 0
  /// How much it had been given at some moments, in nanoseconds; those before the oldest byte that it keeps are dropped.
  private var moments: [(given: Int, time: Int64)] = []

  /// Connects and logs in.
  init(to server: IcecastServer) throws(Failure) {
    handle = try Self.configured(server)
    shout_set_nonblocking(handle, UInt32(SHOUT_BLOCKING_NONE))
    let deadline = monotonicNanoseconds() + Int64(1e9 * Self.patience)
    var code = shout_open(handle)
    while code == SHOUTERR_BUSY || code == SHOUTERR_RETRY {
      guard monotonicNanoseconds() < deadline else { throw .unreachable(cause: "it does not answer") }
      pause.wait(seconds: Self.interval)
      code = shout_get_connected(handle)
    }
    if code == SHOUTERR_SUCCESS || code == SHOUTERR_CONNECTED { return }
    switch code {
    case SHOUTERR_NOLOGIN: throw .refused
    case SHOUTERR_TLSBADCERT:
      throw .unusable(cause: "its certificate is not trusted; install that of its authority on this computer")
    case SHOUTERR_NOTLS: throw .unusable(cause: "it has no TLS on this port; write icecast:// or another port")
    case SHOUTERR_SOCKET, SHOUTERR_NOCONNECT: throw .unreachable(cause: "no server answers there; start the server")
    default: throw .unreachable(cause: "libshout reports: \(Self.words(of: handle))")
    }
  }

  deinit {
    shout_close(handle)
    shout_free(handle)
  }

  /// A handle with the address and the description of a stream, but without a connection.
  fileprivate static func configured(_ server: IcecastServer) throws(Failure) -> OpaquePointer {
    if let failure = LibraryFailure(prosper_shout_failure(), of: "libshout", in: "the package libshout3") {
      throw .unusable(cause: failure.description)
    }
    guard isReady, let handle = shout_new() else {
      throw .unusable(cause: LibraryFailure(shortageOf: "libshout").description)
    }
    let (mount, about) = (server.mount, server.about)
    shout_set_host(handle, mount.host)
    shout_set_port(handle, mount.port)
    shout_set_user(handle, mount.user)
    shout_set_password(handle, server.password)
    shout_set_mount(handle, "/" + mount.mount)
    shout_set_agent(handle, "prosper")
    shout_set_public(handle, 0)
    shout_set_tls(handle, mount.isEncrypted ? SHOUT_TLS_RFC2818 : SHOUT_TLS_DISABLED)
    // As OpenSSL's own programs do.
    if let file = getenv("SSL_CERT_FILE") { shout_set_ca_file(handle, file) }
    let format = mount.format == .mp3 ? SHOUT_FORMAT_MP3 : SHOUT_FORMAT_OGG
    shout_set_content_format(handle, UInt32(format), UInt32(SHOUT_USAGE_AUDIO), nil)
    shout_set_meta(handle, SHOUT_META_NAME, about.title)
    if let text = about.description { shout_set_meta(handle, SHOUT_META_DESCRIPTION, text) }
    if let genre = about.genre { shout_set_meta(handle, SHOUT_META_GENRE, genre) }
    return handle
  }

  private static func words(of handle: OpaquePointer) -> String {
    shout_get_error(handle).map { String(cString: $0) } ?? "no reason"
  }

  /// Sends bytes as fast as the network takes them.
  ///
  /// - Throws: `unreachable` if the connection is lost, or the network is too slow for the sound.
  func send(_ bytes: [UInt8]) throws(Failure) {
    let count = bytes.withUnsafeBufferPointer { shout_send_raw(handle, $0.baseAddress, $0.count) }
    guard 0 <= count || count == Int(SHOUTERR_BUSY) || count == Int(SHOUTERR_RETRY) else {
      let isClosed = shout_get_errno(handle) == SHOUTERR_SOCKET
      throw .unreachable(cause: isClosed ? "the connection has ended" : "libshout reports: \(Self.words(of: handle))")
    }
    let now = monotonicNanoseconds()
    given += bytes.count
    moments.append((given, now))
    let taken = given - kept
    moments.removeFirst(moments.firstIndex { taken < $0.given } ?? moments.count)
    if let oldest = moments.first, Self.patience < Double(now - oldest.time) / 1e9 {
      throw .unreachable(cause: "it does not take the sound fast enough")
    }
  }

  /// Bytes that the network has not taken yet.
  private var kept: Int { max(0, shout_queuelen(handle)) }

  /// Sends what is left, for at most a second.
  func flush() {
    for _ in 0..<100 where 0 < kept {
      guard (try? send([])) != nil else { return }
      pause.wait(seconds: Self.interval)
    }
  }
}

extension IcecastServer {
  /// Tells the server the title of an MP3 stream, which can't carry one. Waits for the answer, on a connection of its own.
  func announce(_ title: String) {
    guard let handle = try? ShoutStream.configured(self) else { return }
    defer { shout_free(handle) }
    guard let metadata = shout_metadata_new() else { return }
    defer { shout_metadata_free(metadata) }
    _ = shout_metadata_add(metadata, "song", title)
    _ = shout_set_metadata_utf8(handle, metadata)
  }
}
