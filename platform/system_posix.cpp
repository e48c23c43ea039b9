#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "platform/system.h"

namespace quire::platform {
namespace {

#if defined(__APPLE__)
std::string description() {
  char version[64] = {};
  size_t bytes = sizeof version - 1;
  if (::sysctlbyname("kern.osproductversion", version, &bytes, nullptr, 0) != 0) return {};
  return "PRETTY_NAME=macOS " + std::string(version) + "\n";
}
#else
std::string description() {
  constexpr size_t kMostBytes = 1 << 16;
  std::ifstream file("/etc/os-release");
  std::string text(kMostBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}
#endif

}  // namespace

SystemNames system_names() {
  utsname names = {};
  if (::uname(&names) < 0) return {.description = description()};
  return {.description = description(),
          .kernel = names.sysname,
          .release = names.release,
          .architecture = names.machine};
}

std::string boot_id() {
#if defined(__APPLE__)
  char id[64] = {};
  size_t bytes = sizeof id - 1;
  if (::sysctlbyname("kern.bootsessionuuid", id, &bytes, nullptr, 0) != 0) return {};
  return id;
#else
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  char id[64] = {};
  file.getline(id, sizeof id);
  return id;
#endif
}

}  // namespace quire::platform
