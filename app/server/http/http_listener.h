#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kernels/base/result.h"

namespace quire {

/// Accepts the connections to one host and port, which may stand for several addresses.
/// Thread: that of the context, once it listens.
class HttpListener {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Accept = std::function<void(Socket)>;

  explicit HttpListener(boost::asio::io_context& context) : m_context(context), m_pause(context) {}

  /// Errors: kIo with the address and port.
  Result<void> listen(const std::string& host, uint16_t port);
  uint16_t port() const { return m_port; }

  void start(Accept accept);
  void close();

 private:
  using Acceptor = boost::asio::ip::tcp::acceptor;
  void bind(const boost::asio::ip::address& address, boost::system::error_code& error);
  void accept_next(Acceptor& acceptor);

  boost::asio::io_context& m_context;
  boost::asio::steady_timer m_pause;  ///< After too many open files.
  std::vector<Acceptor> m_acceptors;
  uint16_t m_port = 0;
  Accept m_accept;
};

}  // namespace quire
