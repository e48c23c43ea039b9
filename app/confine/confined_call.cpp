#include "app/confine/confined_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "app/confine/resource_limits.h"

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitOutOfMemory = 77;
constexpr auto kEndMs = std::chrono::milliseconds(300);  ///< A killed process is gone by then.

void close_files(int first, int last) {
  if (first <= last) {
    close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0);
  }
}

/// Leaves open these two (-1: none) and /dev/null as the standard streams.
void close_other_files(int one, int other) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (!has_shadow_memory()) dup2(nothing, STDERR_FILENO);  // Sanitizers report there.
  const auto [first, last] = std::minmax(one, other);
  close_files(STDERR_FILENO + 1, first - 1);
  close_files(std::max(first, STDERR_FILENO) + 1, last - 1);
  close_files(last + 1, INT_MAX);
}

/// Memory may also end where no exception may be thrown: nlohmann's JSON allocates in a destructor.
[[noreturn]] void on_terminate() {
  try {
    if (const auto current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    _exit(kExitOutOfMemory);
  } catch (...) {  // A crash.
  }
  std::abort();
}

[[noreturn]] void run_child(int end, const ConfineLimits& limits,
                            const PreparedConfinement& confinement,
                            const std::function<std::string()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  if (limits.in_background) step_back();
  const int socket = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close_other_files(socket, confinement.ruleset());
  confinement.apply();
  std::set_terminate(on_terminate);
  std::string answer;
  try {
    answer = work();
  } catch (const std::bad_alloc&) {
    _exit(kExitOutOfMemory);
  } catch (...) {  // Or this process would go on as its parent.
    _exit(1);
  }
  for (size_t sent = 0; sent < answer.size();) {
    const ssize_t count = write(socket, answer.data() + sent, answer.size() - sent);
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
std::optional<std::string> receive(int socket, size_t max_bytes, Clock::time_point deadline) {
  std::string answer;
  char buffer[16384];
  while (answer.size() <= max_bytes) {
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

std::chrono::milliseconds cpu_of(const struct rusage& usage) {
  const auto ms = [](const timeval& time) {
    return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

}  // namespace

Error late_error(std::chrono::milliseconds cpu, std::chrono::milliseconds most,
                 std::string_view what) {
  if (2 * cpu >= most) return took_too_long(what);
  return make_error(ErrorCode::kCancelled,
                    "Reading %1 took too long because this computer is busy, so it is not loaded. "
                    "Try again when it is less busy.",
                    {std::string(what)});
}

Result<ConfinedEnd> confined_call(const ConfineLimits& limits, std::chrono::milliseconds wall,
                                  const std::function<std::string()>& work, std::string_view what) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // Left behind by earlier calls.
  const auto deadline = Clock::now() + wall;
  const Error not_started = {ErrorCode::kIo, "no process could be started to read the file"};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return not_started;
  tzset();  // Its file cannot be opened later.
  const PreparedConfinement confinement(limits);
  const pid_t process = fork();
  if (process == 0) run_child(ends[1], limits, confinement, work);
  close(ends[1]);
  auto answer = process < 0 ? std::nullopt : receive(ends[0], limits.answer_bytes, deadline);
  close(ends[0]);
  if (process < 0) return not_started;
  struct rusage usage = {};
  auto status = answer ? wait_for(process, deadline, usage) : std::nullopt;
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) {
    return ConfinedEnd{std::move(*answer), cpu_of(usage),
                       static_cast<uint64_t>(usage.ru_maxrss) * 1024};
  }
  if (status) return error_of(*status, what);
  const bool is_late = Clock::now() >= deadline;  // Or its answer is too long.
  kill(process, SIGKILL);
  (void)wait_for(process, Clock::now() + kEndMs, usage);
  if (!is_late) return took_too_long(what);
  return late_error(cpu_of(usage), std::min<std::chrono::milliseconds>(limits.cpu, wall), what);
}

}  // namespace quire
