#include <systemd/sd-bus.h>

// Swift can't import variadic functions.

// Requests a lock from logind; the reply contains its file descriptor.
static inline int prosper_bus_inhibit(
    sd_bus *bus, sd_bus_slot **slot, const char *what, const char *why, const char *mode,
    sd_bus_message_handler_t reply, void *userdata) {
  return sd_bus_call_method_async(
      bus, slot, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "Inhibit",
      reply, userdata, "ssss", what, "prosper", why, mode);
}
