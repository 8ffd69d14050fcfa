#include <systemd/sd-bus.h>

// Swift imports no variadic function.

// Asks logind for a lock; the reply holds the descriptor that stands for it.
static inline int prosper_bus_inhibit(
    sd_bus *bus, sd_bus_slot **slot, const char *what, const char *why, const char *mode,
    sd_bus_message_handler_t reply, void *userdata) {
  return sd_bus_call_method_async(
      bus, slot, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "Inhibit",
      reply, userdata, "ssss", what, "prosper", why, mode);
}
