#pragma once

#include <QRandomGenerator>
#include <QString>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quire {

/// A port of this machine that no other program gets while this lives. It is below the ephemeral
/// range, so that afterwards only a program that asks for this port gets it.
class TakenPort {
 public:
  TakenPort() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int kMostAttempts = 1000;
    for (int i = 0; i < kMostAttempts && m_port.isEmpty(); ++i) {
      const int port = QRandomGenerator::system()->bounded(20'000, 32'000);
      if (take(static_cast<in_port_t>(port))) m_port = QString::number(port);
    }
    if (m_port.isEmpty()) qFatal("No port is free.");
  }
  ~TakenPort() { ::close(m_socket); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  QString port() const { return m_port; }

 private:
  bool take(in_port_t port) const {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return ::bind(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
           ::listen(m_socket, 1) == 0;
  }

  const int m_socket;
  QString m_port;
};

/// One that was free a moment ago.
inline QString freePort() {
  return TakenPort().port();
}

}  // namespace quire
