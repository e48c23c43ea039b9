#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
// After windows.h, whose types it uses.
#include <bcrypt.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "platform/program.h"

namespace quire::platform {
namespace {

namespace fs = std::filesystem;

fs::path file_of(HMODULE module) {
  wchar_t name[32768];
  const DWORD length = ::GetModuleFileNameW(module, name, std::size(name));
  return length > 0 && length < std::size(name) ? fs::path(name) : fs::path();
}

std::wstring wide(const char* text) {
  return fs::path(text).wstring();
}

}  // namespace

fs::path program_path() {
  return file_of(nullptr);
}

fs::path code_path(const void* address) {
  HMODULE module = nullptr;
  const DWORD how =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExW(how, static_cast<const wchar_t*>(address), &module) == 0) return {};
  return file_of(module);
}

std::string library_file_name(const std::string& name) {
  return name + ".dll";
}

void* load_library(const fs::path& path, std::string& reason) {
  std::error_code ignored;
  const DWORD where = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
  const HMODULE library =
      ::LoadLibraryExW(fs::absolute(path, ignored).make_preferred().c_str(), nullptr, where);
  if (library != nullptr) return library;
  reason =
      path.string() + ": " + std::system_category().message(static_cast<int>(::GetLastError()));
  return nullptr;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}

int process_id() {
  return static_cast<int>(::GetCurrentProcessId());
}

std::optional<std::string> environment(const char* name) {
  const wchar_t* const value = ::_wgetenv(wide(name).c_str());
  return value != nullptr ? std::optional<std::string>(fs::path(value).string()) : std::nullopt;
}

/// Handles and sockets are not limited; the C library's streams may be raised to 2048.
void allow_open_files(int count) {
  if (count > ::_getmaxstdio()) static_cast<void>(::_setmaxstdio(count < 2048 ? count : 2048));
}

bool fill_random(std::span<std::byte> bytes) {
  return ::BCryptGenRandom(nullptr, reinterpret_cast<UCHAR*>(bytes.data()),
                           static_cast<ULONG>(bytes.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}

fs::path user_folder(const char* variable, const char*) {
  for (const char* name : {variable, "LOCALAPPDATA"}) {
    const auto folder = environment(name);
    if (folder && fs::path(*folder).is_absolute()) return *folder;
  }
  return {};
}

}  // namespace quire::platform
