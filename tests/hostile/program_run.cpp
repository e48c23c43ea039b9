#include "tests/hostile/program_run.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds msOf(const timeval& time) {
  return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
}

pid_t spawn(const std::vector<std::string>& arguments, const std::filesystem::path& scratch) {
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, (scratch / "in").c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, (scratch / "out").c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, (scratch / "err").c_str(), kWrite, 0600);
  pid_t process = -1;
  const int error = posix_spawn(&process, list[0], &actions, nullptr, list.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? process : -1;
}

/// So that a file without end takes neither all day nor all memory: far above what is allowed.
void holdBack(pid_t process) {
  const struct rlimit cpu = {.rlim_cur = 6, .rlim_max = 6};
  prlimit(process, RLIMIT_CPU, &cpu, nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const struct rlimit data = {.rlim_cur = 1 << 30, .rlim_max = 1 << 30};
  prlimit(process, RLIMIT_DATA, &data, nullptr);
#endif
}

}  // namespace

ProgramRun runProgram(const std::vector<std::string>& arguments, const std::string& input,
                      const std::filesystem::path& scratch, std::chrono::milliseconds deadline) {
  writeFile(scratch / "in", input);
  const auto begin = Clock::now();
  const pid_t process = spawn(arguments, scratch);
  ProgramRun run;
  if (process < 0) return run;
  holdBack(process);
  int status = 0;
  struct rusage usage = {};
  while (wait4(process, &status, WNOHANG, &usage) != process) {
    if (!run.is_late && Clock::now() > begin + deadline) {
      run.is_late = true;
      kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  run.wall = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.cpu = msOf(usage.ru_utime) + msOf(usage.ru_stime);
  run.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  run.out = readFile(scratch / "out");
  run.err = readFile(scratch / "err");
  return run;
}

void forgetPeak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace quire::test
