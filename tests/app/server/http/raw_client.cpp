#include "tests/app/server/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

int connect_to(uint16_t port, int receive_buffer_bytes, const char* address) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer_bytes > 0) {
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, address, &to.sin_addr);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return socket;
  ::close(socket);
  return -1;
}

int left_ms(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

}  // namespace

bool RawResponse::has_field(const std::string& line) const {
  const size_t colon = line.find(':');
  const std::string wanted = "\r\n" + lower(line.substr(0, colon)) + line.substr(colon) + "\r\n";
  std::string text;
  bool is_name = true;
  for (const char c : head) {
    if (c == '\n') is_name = true;
    if (c == ':') is_name = false;
    text += is_name ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return text.find(wanted) != text.npos;
}

RawClient::RawClient(uint16_t port, int receive_buffer_bytes, const char* address)
    : m_socket(connect_to(port, receive_buffer_bytes, address)) {}

bool RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawClient::receive(Milliseconds time) {
  pollfd wait{.fd = m_socket, .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, static_cast<int>(time.count())) <= 0) return false;
  char buffer[65536];
  const ssize_t size = ::recv(m_socket, buffer, sizeof buffer, 0);
  if (size <= 0) return false;
  m_input.append(buffer, static_cast<size_t>(size));
  return true;
}

bool RawClient::wait_for(size_t bytes, Clock::time_point until) {
  while (m_input.size() < bytes) {
    if (!receive(Milliseconds(left_ms(until)))) return false;
  }
  return true;
}

std::optional<std::string> RawClient::read_line(Clock::time_point until) {
  size_t end;
  while ((end = m_input.find("\r\n")) == m_input.npos) {
    if (!receive(Milliseconds(left_ms(until)))) return {};
  }
  std::string line = m_input.substr(0, end);
  m_input.erase(0, end + 2);
  return line;
}

bool RawClient::read_chunks(RawResponse& response, Clock::time_point until) {
  while (true) {
    const auto line = read_line(until);
    if (!line) return false;
    const size_t size = std::strtoul(line->c_str(), nullptr, 16);
    if (!wait_for(size + 2, until)) return false;
    response.body += m_input.substr(0, size);
    m_input.erase(0, size + 2);
    if (size == 0) return true;
  }
}

RawResponse RawClient::read_response(Milliseconds time, bool is_head, bool interim) {
  const auto until = Clock::now() + time;
  RawResponse response;
  while (true) {
    response.head = "\r\n";
    for (auto line = read_line(until);; line = read_line(until)) {
      if (!line) return {};
      if (line->empty()) break;
      response.head += *line + "\r\n";
    }
    response.status = std::atoi(response.head.c_str() + 11);  // After "\r\nHTTP/1.1 ".
    if (interim || response.status >= 200) break;
  }
  const std::string head = lower(response.head);
  response.is_chunked = response.has_field("transfer-encoding: chunked");
  const size_t length = head.find("\r\ncontent-length: ");
  if (is_head || response.status < 200) return response;
  if (response.is_chunked) return read_chunks(response, until) ? response : RawResponse{};
  if (length == head.npos) return response;
  const size_t bytes = std::strtoul(head.c_str() + length + 18, nullptr, 10);
  if (!wait_for(bytes, until)) return {};
  response.body = m_input.substr(0, bytes);
  m_input.erase(0, bytes);
  return response;
}

std::string RawClient::read_rest(Milliseconds time) {
  const auto until = Clock::now() + time;
  while (receive(Milliseconds(left_ms(until)))) {
  }
  return std::exchange(m_input, {});
}

bool RawClient::is_closed_within(Milliseconds time) {
  const auto until = Clock::now() + time;
  while (true) {
    pollfd wait{.fd = m_socket, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, left_ms(until)) <= 0) return false;
    char buffer[65536];
    const ssize_t size = ::recv(m_socket, buffer, sizeof buffer, 0);
    if (size <= 0) return true;
    m_input.append(buffer, static_cast<size_t>(size));
  }
}

void RawClient::end_sending() const {
  ::shutdown(m_socket, SHUT_WR);
}

void RawClient::close() {
  if (m_socket >= 0) ::close(std::exchange(m_socket, -1));
}

void RawClient::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

}  // namespace quire
