#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "platform/system.h"

namespace quire::platform {
namespace {

/// GetVersionEx() tells a program the version that its manifest names instead.
RTL_OSVERSIONINFOW version() {
  RTL_OSVERSIONINFOW found{};
  found.dwOSVersionInfoSize = sizeof found;
  using Function = LONG(WINAPI*)(RTL_OSVERSIONINFOW*);
  const HMODULE library = ::GetModuleHandleW(L"ntdll.dll");
  if (library == nullptr) return {};
  // By way of a function without a type, so that the compiler does not warn of the cast.
  const auto untyped = reinterpret_cast<void (*)()>(::GetProcAddress(library, "RtlGetVersion"));
  const auto get = reinterpret_cast<Function>(untyped);
  return get != nullptr && get(&found) == 0 ? found : RTL_OSVERSIONINFOW{};
}

}  // namespace

SystemNames system_names() {
  constexpr DWORD kFirstOfWindows11 = 22000;  // Which calls itself 10.0, too.
  const RTL_OSVERSIONINFOW found = version();
  const std::string build = std::to_string(found.dwBuildNumber);
  const bool is_11 = found.dwMajorVersion == 10 && found.dwBuildNumber >= kFirstOfWindows11;
  const std::string name = is_11 ? "11" : std::to_string(found.dwMajorVersion);
  return {.description = "PRETTY_NAME=Windows " + name + " (" + build + ")\n",
          .kernel = "NT",
          .release = std::to_string(found.dwMajorVersion) + "." +
                     std::to_string(found.dwMinorVersion) + "." + build,
          .architecture = "x86_64"};
}

std::string boot_id() {
  return {};
}

}  // namespace quire::platform
