import FoundationEssentials
import Glibc

/// A notification service on a session bus, which records the calls that it receives. As in KDE Plasma, notifications
/// are shown again when the program that silenced them leaves the bus.
package final class NotificationServer: Sendable {
  private let bus: SessionBus
  private let service: ChildProcess

  /// How programs can silence notifications.
  package enum Silence: String, Sendable {
    /// They can't.
    case none
    /// Through the notification service.
    case plasma
    /// Through the status of GNOME's session manager, which does not notice when a program ends.
    case gnome = "gnome-shell"
  }

  package init(on bus: SessionBus, silence: Silence = .plasma) throws {
    self.bus = bus
    let code = Self.code.replacing("DESKTOP", with: "'\(silence.rawValue)'")
    // Debian's own Python, because the packages belong to it.
    let service = try ChildProcess(
      "/usr/bin/python3", ["-c", code], environment: bus.environment, readsOutput: false)
    self.service = service
    guard try eventually({ try !silencers().hasPrefix("no") || !service.isAlive }), service.isAlive else {
      throw ChildFailure(program: "the notification service", code: ETIMEDOUT)
    }
  }

  deinit { service.end() }

  /// The calls so far, one line each: `Inhibit`, `UnInhibit`, `CloseNotification NUMBER`, or `Notify
  /// REPLACED|URGENCY|TITLE|TEXT`; for GNOME's session manager, `SetStatus NUMBER`. The line `gone` is a program that
  /// left the bus while it silenced notifications.
  package func calls() throws -> [String] { try strings("Calls") }

  /// The number of programs that silence notifications now; `no answer` before the service runs.
  package func silencers() throws -> String { try strings("Silencers").first ?? "no answer" }

  private func strings(_ method: String) throws -> [String] {
    let text = try bus.call(
      "org.prosper.Test.\(method)", at: "/org/freedesktop/Notifications", of: "org.freedesktop.Notifications")
    // (['one', 'two'],)
    let words = text.split(separator: "'", omittingEmptySubsequences: false)
    return stride(from: 1, to: words.count, by: 2).map { String(words[$0]) }
  }

  private static let code = """
    import dbus, dbus.service, dbus.mainloop.glib
    from gi.repository import GLib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    name = 'org.freedesktop.Notifications'
    desktop = DESKTOP
    calls, silencers = [], {}

    class Service(dbus.service.Object):
        @dbus.service.method(name, out_signature='as')
        def GetCapabilities(self):
            return ['body', 'inhibitions'] if desktop == 'plasma' else ['body']

        @dbus.service.method(name, out_signature='ssss')
        def GetServerInformation(self):
            return (desktop, 'test', '1', '1.2')

        @dbus.service.method(name, in_signature='ssa{sv}', out_signature='u', sender_keyword='sender')
        def Inhibit(self, entry, reason, hints, sender):
            calls.append('Inhibit')
            cookie = len(calls)
            silencers[cookie] = sender
            def watch(owner):
                if not owner and silencers.pop(cookie, None):
                    calls.append('gone')
            bus.watch_name_owner(sender, watch)
            return cookie

        @dbus.service.method(name, in_signature='u', sender_keyword='sender')
        def UnInhibit(self, cookie, sender):
            if silencers.get(cookie) == sender:
                del silencers[cookie]
                calls.append('UnInhibit')

        @dbus.service.method(name, in_signature='susssasa{sv}i', out_signature='u')
        def Notify(self, app, replaced, icon, title, text, actions, hints, time):
            calls.append('Notify %d|%d|%s|%s' % (replaced, hints['urgency'], title, text))
            return replaced or len(calls)

        @dbus.service.method(name, in_signature='u')
        def CloseNotification(self, number):
            calls.append('CloseNotification %d' % number)

        @dbus.service.method('org.prosper.Test', out_signature='as')
        def Calls(self):
            return calls

        @dbus.service.method('org.prosper.Test', out_signature='as')
        def Silencers(self):
            return [str(len(silencers))]

    class Presence(dbus.service.Object):
        status = 0

        @dbus.service.method('org.gnome.SessionManager.Presence', in_signature='u')
        def SetStatus(self, status):
            calls.append('SetStatus %d' % status)
            Presence.status = status
            silencers.clear()
            if status == 2:
                silencers[0] = ''

        @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='ss', out_signature='v')
        def Get(self, interface, name):
            return dbus.UInt32(self.status)

    if desktop != 'plasma':
        manager = dbus.service.BusName('org.gnome.SessionManager', bus)
        presence = Presence(bus, '/org/gnome/SessionManager/Presence')
    claim = dbus.service.BusName(name, bus)
    service = Service(bus, '/org/freedesktop/Notifications')
    GLib.MainLoop().run()
    """
}
