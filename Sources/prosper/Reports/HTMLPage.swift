import ProsperKit

/// A page that needs no other file and no JavaScript, light or dark as the reader prefers.
struct HTMLPage {
  var title: String
  /// What follows the heading.
  var body: String
  /// Rules for what only this page has.
  var style = ""

  var html: String {
    let title = title.withoutControls.forXML
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(Self.style)\(style)
      </style>
      </head>
      <body>
      <h1>\(title)</h1>
      \(body)
      </body>
      </html>

      """
  }

  /// A table that scrolls by itself on a narrow screen. The cells are texts. One without headings is a list of facts, whose
  /// texts are wrapped.
  static func table(_ head: [String], _ rows: [[String]], most: Int = 500) -> String {
    let line = { (cells: [String], tag: String) in
      "<tr>" + cells.map { "<\(tag)>\($0.withoutControls.forXML)</\(tag)>" }.joined() + "</tr>\n"
    }
    let left = rows.count - most
    let heading = head.isEmpty ? "" : "<thead>" + line(head, "th") + "</thead>\n"
    return "<div class=\"wide\"><table\(head.isEmpty ? " class=\"facts\"" : "")>\n" + heading + "<tbody>"
      + rows.prefix(most).map { line($0, "td") }.joined() + "</tbody></table></div>\n"
      + (0 < left ? "<p>\(left) more rows are left out.</p>\n" : "")
  }

  private static let style = """
    :root{color-scheme:light dark;--paper:#fbfaf7;--ink:#33383b;--faint:#666d71;--a:#4f8593;--b:#83955c;--c:#a9803a;--d:#b0452d}
    body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
    background:var(--paper);color:var(--ink);overflow-wrap:anywhere}
    h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}figure{margin:0}
    .wide{overflow-x:auto}.different,.bad{color:var(--d)}.same,.different{font-size:1.2rem;font-weight:600}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums}
    td,th{padding:.2rem 1.2rem .2rem 0;text-align:left;font-weight:inherit;vertical-align:top;white-space:nowrap}
    .facts td{white-space:normal}.facts td:first-child{color:var(--faint);min-width:7rem}th{color:var(--faint)}tbody tr{border-top:1px solid color-mix(in srgb,var(--faint) 25%,transparent)}
    svg{width:100%;min-width:36rem;height:auto}svg text{font-size:11px;fill:var(--faint)}
    .a{fill:var(--a)}.b{fill:var(--b)}.c{fill:var(--c)}.d{fill:var(--d)}.mark{fill:var(--d);fill-opacity:.16}
    .rule{stroke:var(--faint);stroke-opacity:.4;fill:none}
    @media (prefers-color-scheme:dark){
    :root{--paper:#171a1c;--ink:#e6e4df;--faint:#9aa2a6;--a:#79b3c2;--b:#a9bd7d;--c:#d9b36c;--d:#e58a72}}

    """
}
