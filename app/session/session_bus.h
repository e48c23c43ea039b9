#pragma once

#include <QDBusConnection>

#include <optional>

namespace quire {

/// The desktop's bus; none if this session has none. Without an address libdbus would start a bus
/// and wait for it.
inline std::optional<QDBusConnection> sessionBus() {
  if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")) return std::nullopt;
  const QDBusConnection bus = QDBusConnection::sessionBus();
  return bus.isConnected() ? std::optional(bus) : std::nullopt;
}

}  // namespace quire
