#include <signal.h>
#include <unistd.h>

#include "platform/terminal.h"

namespace quire::platform {
namespace {

std::atomic<bool>* g_flag = nullptr;

void set_flag(int) {
  g_flag->store(true);
}

}  // namespace

bool is_terminal(Stream stream) {
  constexpr int kDescriptors[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  return ::isatty(kDescriptors[static_cast<int>(stream)]) == 1;
}

std::vector<std::string> prepare_program(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  return {argv, argv + argc};
}

void flag_interrupts(std::atomic<bool>& flag, bool only_first) {
  g_flag = &flag;
  struct sigaction action {};
  action.sa_handler = set_flag;
  // Without SA_RESTART: Ctrl+C also ends the wait for a line.
  action.sa_flags = only_first ? static_cast<int>(SA_RESETHAND) : 0;
  ::sigaction(SIGINT, &action, nullptr);
  if (only_first) ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace quire::platform
