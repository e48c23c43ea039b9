#include "app/server/http/http_listener.h"

#include <chrono>
#include <utility>

#include <boost/asio/ip/v6_only.hpp>

namespace quire {

namespace asio = boost::asio;

namespace {

/// The addresses that a host stands for; none: it is unknown.
std::vector<asio::ip::address> addresses_of(asio::io_context& context, const std::string& host) {
  if (host == "localhost") {
    return {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
  }
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) return {address};
  std::vector<asio::ip::address> addresses;
  asio::ip::tcp::resolver resolver(context);
  for (const auto& entry : resolver.resolve(host, "", error)) {
    addresses.push_back(entry.endpoint().address());
  }
  return addresses;
}

Error listen_error(const boost::system::error_code& error, const std::string& host, uint16_t port) {
  const std::string number = std::to_string(port);
  if (error == asio::error::address_in_use) {
    return make_error(ErrorCode::kIo,
                      "Port %1 of %2 is in use: choose another port, or close the program that "
                      "uses it.",
                      {number, host});
  }
  if (error == asio::error::access_denied) {
    return make_error(ErrorCode::kIo,
                      "Port %1 of %2 is reserved for the system: choose one above 1023.",
                      {number, host});
  }
  if (error == boost::system::errc::address_not_available ||
      error == boost::system::errc::address_family_not_supported) {
    return make_error(ErrorCode::kIo,
                      "%1 is not an address of this computer: choose one of its own, such as "
                      "127.0.0.1.",
                      {host});
  }
  return make_error(ErrorCode::kIo, "The server cannot use port %1 of %2: %3.",
                    {number, host, error.message()});
}

/// A host's other address may be of a family that this machine does not have.
bool may_be_skipped(const boost::system::error_code& error) {
  return error == boost::system::errc::address_not_available ||
         error == boost::system::errc::address_family_not_supported;
}

}  // namespace

Result<void> HttpListener::listen(const std::string& host, uint16_t port) {
  m_port = port;
  boost::system::error_code error =
      boost::system::errc::make_error_code(boost::system::errc::address_not_available);
  for (const asio::ip::address& address : addresses_of(m_context, host)) {
    bind(address, error);
    if (error && !may_be_skipped(error)) return listen_error(error, host, port);
  }
  if (m_acceptors.empty()) return listen_error(error, host, port);
  return {};
}

/// Binds an address and adds its acceptor. Of several addresses all have the first one's port.
void HttpListener::bind(const asio::ip::address& address, boost::system::error_code& error) {
  const asio::ip::tcp::endpoint endpoint(address, m_port);
  Acceptor acceptor(m_context);
  acceptor.open(endpoint.protocol(), error);
  if (error) return;
  acceptor.set_option(Acceptor::reuse_address(true), error);
  if (address.is_v6()) {
    // "::" stands for all addresses; the others are bound one by one.
    acceptor.set_option(asio::ip::v6_only(!address.is_unspecified()), error);
  }
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return;
  m_port = acceptor.local_endpoint().port();
  m_acceptors.push_back(std::move(acceptor));
}

void HttpListener::start(Accept accept) {
  m_accept = std::move(accept);
  for (Acceptor& acceptor : m_acceptors) accept_next(acceptor);
}

void HttpListener::close() {
  boost::system::error_code ignored;
  for (Acceptor& acceptor : m_acceptors) acceptor.close(ignored);
  m_pause.cancel();
}

void HttpListener::accept_next(Acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](boost::system::error_code error, Socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      accept_next(acceptor);
      return m_accept(std::move(socket));
    }
    // There are no more file descriptors, say: the connection waits until there are.
    m_pause.expires_after(std::chrono::milliseconds(100));
    m_pause.async_wait([this, &acceptor](boost::system::error_code) {
      if (acceptor.is_open()) accept_next(acceptor);
    });
  });
}

}  // namespace quire
