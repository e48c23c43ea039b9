#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/random.h>
#endif
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include <algorithm>
#include <cstdlib>

#include "platform/program.h"

namespace quire::platform {

namespace fs = std::filesystem;

fs::path program_path() {
  std::error_code failed;
#if defined(__APPLE__)
  char name[4096];
  uint32_t length = sizeof name;
  if (::_NSGetExecutablePath(name, &length) != 0) return {};
  const fs::path path = fs::canonical(name, failed);
#else
  const fs::path path = fs::read_symlink("/proc/self/exe", failed);
#endif
  return failed ? fs::path() : path;
}

fs::path code_path(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0) return {};
  const fs::path file = info.dli_fname != nullptr ? info.dli_fname : "";
  return file.is_absolute() ? file : fs::path();
}

std::string library_file_name(const std::string& name) {
#if defined(__APPLE__)
  return "lib" + name + ".dylib";
#else
  return "lib" + name + ".so";
#endif
}

void* load_library(const fs::path& path, std::string& reason) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const why = ::dlerror();
  reason = why != nullptr ? why : path.string();
  return nullptr;
}

void* find_symbol(void* library, const char* name) {
  return ::dlsym(library, name);
}

int process_id() {
  return ::getpid();
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

void allow_open_files(int count) {
  rlimit limit{};
  const auto wanted = static_cast<rlim_t>(count);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // What fails is left as it is.
}

bool fill_random(std::span<std::byte> bytes) {
  constexpr size_t kMost = 256;  // More may be interrupted, or is refused.
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMost))) {
    const size_t count = std::min(bytes.size(), kMost);
#if defined(__linux__)
    if (::getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count)) return false;
#else
    if (::getentropy(bytes.data(), count) != 0) return false;
#endif
  }
  return true;
}

fs::path user_folder(const char* variable, const char* in_home) {
  const auto named = environment(variable);
  if (named && fs::path(*named).is_absolute()) return *named;
  const auto home = environment("HOME");
  if (!home || !fs::path(*home).is_absolute()) return {};
  return fs::path(*home) / in_home;
}

}  // namespace quire::platform
