#include "app/inspect/limited_call.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxAnswer = 1 << 20;
constexpr int kExitOutOfMemory = 77;
constexpr auto kEndMs = std::chrono::milliseconds(300);  ///< A killed process is gone by then.

void limit(__rlimit_resource resource, uint64_t soft, uint64_t hard) {
  const struct rlimit both = {.rlim_cur = soft, .rlim_max = hard};
  setrlimit(resource, &both);
}

void apply(const CallLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  signal(SIGXCPU, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);  // write() fails instead.
  const auto seconds = static_cast<uint64_t>(limits.cpu.count());
  limit(RLIMIT_CPU, seconds, seconds + 1);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, 0, 0);
#ifndef __SANITIZE_ADDRESS__
  limit(RLIMIT_DATA, limits.data_bytes, limits.data_bytes);
#endif
}

[[noreturn]] void run_child(int socket, const CallLimits& limits,
                            const std::function<std::string()>& work) {
  apply(limits);
  std::string answer;
  try {
    answer = work();
  } catch (const std::bad_alloc&) {
    _exit(kExitOutOfMemory);
  }
  for (size_t sent = 0; sent < answer.size();) {
    const ssize_t count = send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) _exit(1);
    sent += static_cast<size_t>(count);
  }
  _exit(0);
}

int ms_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

/// The answer up to the end of the stream; nullopt at the deadline or if it is too long.
std::optional<std::string> receive(int socket, Clock::time_point deadline) {
  std::string answer;
  char buffer[4096];
  while (answer.size() <= kMaxAnswer) {
    pollfd readable = {.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, ms_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {};
    const ssize_t count = recv(socket, buffer, sizeof buffer, 0);
    if (count == 0) return answer;
    if (count < 0) return errno == ECONNRESET ? std::optional(answer) : std::nullopt;
    answer.append(buffer, static_cast<size_t>(count));
  }
  return {};
}

std::optional<int> wait_for(pid_t process, Clock::time_point deadline, struct rusage& usage) {
  int status = 0;
  while (wait4(process, &status, WNOHANG, &usage) != process) {
    if (Clock::now() >= deadline) return {};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return status;
}

Error took_too_long(std::string_view what) {
  return make_error(ErrorCode::kUnsupported,
                    "Reading %1 took too long, so it is not loaded. It is read again when it "
                    "changes, or with Try again.",
                    {std::string(what)});
}

/// Why a process ended without an answer.
Error error_of(int status, std::string_view what) {
  const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGXCPU) return took_too_long(what);
  if (by == SIGTERM || by == SIGINT || by == SIGHUP || by == SIGQUIT) {
    return {ErrorCode::kCancelled, "reading the file was interrupted"};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitOutOfMemory) {
    return make_error(ErrorCode::kOutOfMemory,
                      "Reading %1 takes too much memory, so it is not loaded. It is read again "
                      "when it changes, or with Try again.",
                      {std::string(what)});
  }
  return make_error(ErrorCode::kCorruptFile,
                    "Reading %1 ended in a crash, so it is not loaded. It is read again when it "
                    "changes, or with Try again.",
                    {std::string(what)});
}

LimitedEnd end_of(std::string answer, const struct rusage& usage) {
  const auto ms = [](const timeval& time) {
    return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
  };
  return {std::move(answer), ms(usage.ru_utime) + ms(usage.ru_stime),
          static_cast<uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

Result<LimitedEnd> limited_call(const CallLimits& limits, std::chrono::milliseconds wall,
                                const std::function<std::string()>& work, std::string_view what) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // Left behind by earlier calls.
  const auto deadline = Clock::now() + wall;
  const Error not_started = {ErrorCode::kIo, "no process could be started to read the file"};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return not_started;
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    run_child(ends[1], limits, work);
  }
  close(ends[1]);
  auto answer = process < 0 ? std::nullopt : receive(ends[0], deadline);
  close(ends[0]);
  if (process < 0) return not_started;
  struct rusage usage = {};
  auto status = answer ? wait_for(process, deadline, usage) : std::nullopt;
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) {
    return end_of(std::move(*answer), usage);
  }
  if (status) return error_of(*status, what);
  kill(process, SIGKILL);
  (void)wait_for(process, Clock::now() + kEndMs, usage);
  return took_too_long(what);
}

}  // namespace quire
