#pragma once

#include <QString>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quire {

/// A port of this machine that no other program gets while this lives.
class TakenPort {
 public:
  TakenPort() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const bool listens = ::bind(m_socket, any, size) == 0 && ::listen(m_socket, 1) == 0 &&
                         ::getsockname(m_socket, any, &size) == 0;
    if (!listens) qFatal("No port is free.");
    m_port = QString::number(ntohs(address.sin_port));
  }
  ~TakenPort() { ::close(m_socket); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  QString port() const { return m_port; }

 private:
  const int m_socket;
  QString m_port;
};

/// One that was free a moment ago.
inline QString freePort() {
  return TakenPort().port();
}

}  // namespace quire
