#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
// After windows.h, whose types they use.
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <cstdio>
#include <filesystem>

#include "platform/terminal.h"

namespace quire::platform {
namespace {

std::atomic<bool>* g_flag = nullptr;
bool g_only_first = false;

/// Windows calls it in a thread of its own.
BOOL WINAPI on_console_event(DWORD) {
  const bool was_set = g_flag->exchange(true);
  return g_only_first && was_set ? FALSE : TRUE;
}

void show_escape_sequences(DWORD stream) {
  const HANDLE handle = ::GetStdHandle(stream);
  DWORD mode = 0;
  if (::GetConsoleMode(handle, &mode) == 0) return;
  ::SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

}  // namespace

/// _isatty() is true of any device, NUL among them.
bool is_terminal(Stream stream) {
  constexpr DWORD kHandles[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(kHandles[static_cast<int>(stream)]), &mode) != 0;
}

std::vector<std::string> prepare_program(int argc, char** argv) {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
  ::SetConsoleCP(CP_UTF8);
  show_escape_sequences(STD_OUTPUT_HANDLE);
  show_escape_sequences(STD_ERROR_HANDLE);
  int count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (wide == nullptr) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(std::filesystem::path(wide[i]).string());
  ::LocalFree(wide);
  return arguments;
}

void flag_interrupts(std::atomic<bool>& flag, bool only_first) {
  g_flag = &flag;
  g_only_first = only_first;
  ::SetConsoleCtrlHandler(on_console_event, TRUE);
}

}  // namespace quire::platform
