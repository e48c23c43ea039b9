#include "app/confine/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace quire {
namespace {

// The kernel's interface (Documentation/userspace-api/landlock.rst). The headers of older systems
// lack what newer kernels know, and a kernel refuses bits that it does not know.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskForVersion = 1;
constexpr int kPathBeneath = 1;
constexpr uint64_t kExecute = 1 << 0;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kReadFolder = 1 << 3;
constexpr uint64_t kRightsOfVersion1 = (1 << 13) - 1;
constexpr uint64_t kLinkAcrossFolders = 1 << 13;  // Version 2.
constexpr uint64_t kTruncate = 1 << 14;           // Version 3.
constexpr uint64_t kControlDevices = 1 << 15;     // Version 5.
constexpr uint64_t kBindAndConnect = 3;           // Version 4.
constexpr uint64_t kSocketsAndSignals = 3;        // Version 6.

struct Ruleset {
  uint64_t files = kRightsOfVersion1;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

struct __attribute__((packed)) PathRule {
  uint64_t rights;
  int32_t folder;
};

/// Everything that a kernel of this version can restrict.
Ruleset everything(long version) {
  Ruleset all;
  if (version >= 2) all.files |= kLinkAcrossFolders;
  if (version >= 3) all.files |= kTruncate;
  if (version >= 4) all.network = kBindAndConnect;
  if (version >= 5) all.files |= kControlDevices;
  if (version >= 6) all.scoped = kSocketsAndSignals;
  return all;
}

size_t size_in_version(long version) {
  if (version >= 6) return sizeof(Ruleset);
  return version >= 4 ? offsetof(Ruleset, scoped) : offsetof(Ruleset, network);
}

void allow(int ruleset, const char* path, bool may_execute) {
  const int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat status = {};
  uint64_t rights = kReadFile | (may_execute ? kExecute : 0);
  if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) rights |= kReadFolder;
  const PathRule rule = {.rights = rights, .folder = file};
  syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
  close(file);
}

// What the C library opens late: character sets, languages, time zones.
constexpr const char* kLibraries[] = {"/lib",
                                      "/lib64",
                                      "/usr/lib",
                                      "/usr/lib64",
                                      "/usr/share/locale",
                                      "/usr/share/zoneinfo",
                                      "/etc/localtime",
                                      "/dev/null"};
// What a program needs in addition: its libraries and data, wherever the system keeps them.
constexpr const char* kPrograms[] = {
    "/bin",       "/usr",       "/lib",       "/lib64",   "/opt", "/etc/ld.so.cache",
    "/etc/fonts", "/nix/store", "/gnu/store", "/dev/null"};

}  // namespace

int make_landlock_ruleset(const std::vector<std::filesystem::path>& readable, bool may_execute) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskForVersion);
  if (version < 1) return -1;
  const Ruleset all = everything(version);
  const int created = static_cast<int>(syscall(kCreateRuleset, &all, size_in_version(version), 0));
  if (created < 0) return -1;
  // Not in the place of a standard stream that is closed.
  const int ruleset = fcntl(created, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(created);
  for (const char* path : kLibraries) allow(ruleset, path, false);
  if (may_execute) {
    for (const char* path : kPrograms) allow(ruleset, path, true);
  }
  for (const auto& path : readable) allow(ruleset, path.c_str(), may_execute);
  return ruleset;
}

bool restrict_by_landlock(int ruleset) {
  const bool is_restricted = syscall(kRestrictSelf, ruleset, 0) == 0;
  close(ruleset);
  return is_restricted;
}

}  // namespace quire
