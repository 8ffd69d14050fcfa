import FlyingFox
import Foundation

/// The page: one document with its style and its script in it, so that nothing else needs to be fetched.
struct Page: Sendable {
  /// The page's own style and script carry this word; nothing else in it is executed.
  private let nonce = "\(UInt64.random(in: 0...UInt64.max))"
  private let document: Data

  /// The parts of the script, in the order in which they need each other.
  private static let script = [
    PackageResources.ui_js, PackageResources.words_js, PackageResources.store_js, PackageResources.api_js,
    PackageResources.messages_js, PackageResources.clock_js, PackageResources.plan_js, PackageResources.stream_js,
    PackageResources.ending_js, PackageResources.loads_js, PackageResources.events_js,
    PackageResources.question_js, PackageResources.commands_js, PackageResources.picture_js,
    PackageResources.timeline_js, PackageResources.caption_js, PackageResources.player_js, PackageResources.sliders_js,
    PackageResources.settings_js,
    PackageResources.library_js, PackageResources.pairing_js, PackageResources.keys_js, PackageResources.media_js,
    PackageResources.page_js,
  ]

  init() {
    let text = { (parts: [[UInt8]]) in String(decoding: Array(parts.joined(separator: [0x0A])), as: UTF8.self) }
    let document = text([PackageResources.index_html])
      .replacing(
        #"<link rel="stylesheet" href="page.css">"#,
        with: "<style nonce=\"\(nonce)\">\(text([PackageResources.page_css]))</style>"
      )
      .replacing(
        #"<script src="page.js" defer></script>"#, with: "<script nonce=\"\(nonce)\">\(text(Self.script))</script>")
    self.document = Data(document.utf8)
  }

  var response: HTTPResponse {
    let policy =
      "default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; connect-src 'self'; img-src data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return HTTPResponse(
      statusCode: .ok,
      headers: .standard(type: "text/html; charset=utf-8", [HTTPHeader("Content-Security-Policy"): policy]),
      body: document)
  }
}
