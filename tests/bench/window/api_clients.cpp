#include <QStringList>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/window/measures.h"

namespace quire::bench {
namespace {

constexpr int kNumClients = 64;
constexpr int kGivenUpEvery = 10;
constexpr size_t kGivenUpBytes = 4000;  ///< Of a stream, which is some tokens.
constexpr std::string_view kEvent = "data: {";
constexpr std::string_view kEnd = "data: [DONE]\n\n\r\n0\r\n\r\n";

/// A program that streams one answer after the other.
class ApiClient {
 public:
  ApiClient(uint16_t port, const std::string& key, int number)
      : m_port(port), m_key(key), m_number(number) {}

  int socket() const { return m_socket; }
  int numEvents() const { return m_numEvents; }
  int numGivenUp() const { return m_numGivenUp; }

  void ask() {
    if (m_socket < 0) connect();
    m_input.clear();
    m_counted = 0;
    ++m_numAsked;
    const std::string body =
        R"({"messages": [{"role": "user", "content": "Tell me a long story about bear )" +
        std::to_string(m_number) + ", part " + std::to_string(m_numAsked) +
        R"("}], "max_tokens": 128, "stream": true, "ignore_eos": true})";
    const std::string request =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\nAuthorization: Bearer " +
        m_key + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (::send(m_socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) fail("send");
  }

  void read() {
    std::array<char, 65536> buffer;
    const ssize_t size = ::recv(m_socket, buffer.data(), buffer.size(), 0);
    if (size <= 0) fail("receive");
    m_input.append(buffer.data(), static_cast<size_t>(size));
    countEvents();
    if (m_input.size() > 12 && !m_input.starts_with("HTTP/1.1 200")) fail(m_input.c_str());
    const bool isGivenUp = (m_number + m_numAsked) % kGivenUpEvery == 0;
    if (isGivenUp && m_input.size() > kGivenUpBytes) {
      ::close(m_socket);
      m_socket = -1;
      ++m_numGivenUp;
      ask();
    } else if (m_input.ends_with(kEnd)) {
      ask();
    }
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "A client of the API failed: %s\n", what);
    std::exit(1);
  }

  void countEvents() {
    for (size_t at = 0; (at = m_input.find(kEvent, m_counted)) != std::string::npos;) {
      ++m_numEvents;
      m_counted = at + kEvent.size();
    }
  }

  void connect() {
    m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(m_port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(m_socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      fail("connect");
  }

  const uint16_t m_port;
  const std::string m_key;
  const int m_number;
  int m_socket = -1;
  int m_numAsked = 0;
  int m_numEvents = 0;
  size_t m_counted = 0;  ///< Of the input.
  int m_numGivenUp = 0;
  std::string m_input;
};

/// Until the input ends.
void run(std::vector<ApiClient>& clients) {
  for (ApiClient& client : clients) client.ask();
  std::vector<pollfd> waits(clients.size() + 1);
  while (true) {
    waits[0] = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    for (size_t i = 0; i < clients.size(); ++i)
      waits[i + 1] = {.fd = clients[i].socket(), .events = POLLIN, .revents = 0};
    if (::poll(waits.data(), waits.size(), -1) < 0 || waits[0].revents != 0) return;
    for (size_t i = 0; i < clients.size(); ++i)
      if (waits[i + 1].revents != 0) clients[i].read();
  }
}

}  // namespace

int runApiClients(const QStringList& words) {
  if (words.value(0) != QLatin1String("--api-clients")) return -1;
  std::vector<ApiClient> clients;
  for (int number = 0; number < kNumClients; ++number)
    clients.emplace_back(words.value(1).toUShort(), words.value(2).toStdString(), number);
  run(clients);
  int events = 0;
  int givenUp = 0;
  for (const ApiClient& client : clients) {
    events += client.numEvents();
    givenUp += client.numGivenUp();
  }
  std::printf("%d %d\n", events, givenUp);
  return 0;
}

}  // namespace quire::bench
