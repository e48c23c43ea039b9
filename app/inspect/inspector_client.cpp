#include "app/inspect/inspector_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace quire {
namespace {

constexpr size_t kMaxAnswer = 1 << 20;
constexpr int kSliceMs = 20;  ///< The stop token is looked at that often.

/// The environment, with huge pages for the heap: each model is read in a process of its own, which
/// would fault in some 50 MB of a large vocabulary page by page. Other C libraries ignore it.
class Environment {
 public:
  Environment() {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!std::string_view(*variable).starts_with("GLIBC_TUNABLES=")) m_all.push_back(*variable);
    }
    m_all.push_back(m_tunables.data());
    m_all.push_back(nullptr);
  }
  char* const* data() const { return m_all.data(); }

 private:
  std::string m_tunables = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
  std::vector<char*> m_all;
};

/// The program's own process group, so that end() reaches the processes it has forked; its socket
/// as standard input; nothing else but /dev/null.
int spawn(const std::filesystem::path& program, int socket, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = program.string();
  char* const arguments[] = {name.data(), nullptr};
  const Environment environment;
  const int error =
      posix_spawn(&process, name.c_str(), &actions, &attributes, arguments, environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

Error died() {
  return {ErrorCode::kIo, "quire-inspect ended without an answer"};
}

}  // namespace

InspectorClient::InspectorClient(std::filesystem::path program) : m_program(std::move(program)) {}

Result<void> InspectorClient::start() {
  if (m_socket >= 0) return {};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return died();
  const int error = spawn(m_program, ends[1], m_process);
  close(ends[1]);
  m_socket = ends[0];
  if (error == 0) return {};
  m_process = -1;
  end();
  return make_error(ErrorCode::kNotFound, "%1 does not exist", {m_program.string()});
}

void InspectorClient::end() {
  if (m_socket >= 0) close(std::exchange(m_socket, -1));
  const pid_t process = std::exchange(m_process, -1);
  if (process < 0) return;
  kill(-process, SIGKILL);
  for (int i = 0; i < 50 && waitpid(process, nullptr, WNOHANG) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<std::string> InspectorClient::ask(std::string_view line, std::chrono::milliseconds deadline,
                                         const std::stop_token& stop) {
  const auto until = Clock::now() + deadline;
  if (auto started = start(); !started) return started.error();
  if (auto sent = send(std::string(line) + '\n', until, stop); !sent) {
    end();
    return sent.error();
  }
  auto answer = receive(until, stop);
  if (!answer) end();
  return answer;
}

/// Waits until the socket is ready for `events`.
Result<void> InspectorClient::wait_for(short events, Clock::time_point deadline,
                                       const std::stop_token& stop) const {
  while (true) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "reading was cancelled"};
    pollfd ready = {.fd = m_socket, .events = events, .revents = 0};
    const int count = poll(&ready, 1, kSliceMs);
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return died();
    if (Clock::now() >= deadline) {
      return Error{ErrorCode::kUnsupported, "quire-inspect did not answer in time"};
    }
  }
}

Result<void> InspectorClient::send(std::string_view text, Clock::time_point deadline,
                                   const std::stop_token& stop) {
  while (!text.empty()) {
    if (auto ready = wait_for(POLLOUT, deadline, stop); !ready) return ready;
    const ssize_t count = ::send(m_socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return died();
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Result<std::string> InspectorClient::receive(Clock::time_point deadline,
                                             const std::stop_token& stop) {
  std::string answer;
  char buffer[4096];
  while (answer.size() <= kMaxAnswer) {
    if (auto ready = wait_for(POLLIN, deadline, stop); !ready) return ready.error();
    const ssize_t count = recv(m_socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return died();
    answer.append(buffer, static_cast<size_t>(count));
    if (!answer.ends_with('\n')) continue;
    answer.pop_back();
    return answer;
  }
  return died();
}

}  // namespace quire
