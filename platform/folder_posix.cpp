#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>

#include <string_view>
#endif

#include <array>
#include <cstring>

#include "platform/folder.h"

namespace quire::platform {
namespace {

namespace fs = std::filesystem;

/// Whether the user is the only member of the group, as where each user has one of the same name.
bool is_private_group(gid_t id) {
  std::array<char, 4096> texts{};
  passwd user{};
  passwd* found_user = nullptr;
  const uid_t self = ::geteuid();
  if (::getpwuid_r(self, &user, texts.data(), texts.size(), &found_user) != 0 || !found_user) {
    return id == self;
  }
  std::array<char, 4096> group_texts{};
  group found{};
  group* found_group = nullptr;
  const int code = ::getgrgid_r(id, &found, group_texts.data(), group_texts.size(), &found_group);
  if (code != 0 || !found_group || user.pw_gid != id) return false;
  return std::strcmp(user.pw_name, found.gr_name) == 0 && found.gr_mem[0] == nullptr;
}

}  // namespace

std::optional<FolderRights> rights_of(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return FolderRights{
      .mode = status.st_mode & 07777u,
      .is_own = status.st_uid == ::geteuid(),
      .is_group_private = (status.st_mode & S_IWGRP) != 0 && is_private_group(status.st_gid)};
}

bool set_mode(const fs::path& folder, uint32_t mode) {
  return ::chmod(folder.c_str(), static_cast<mode_t>(mode)) == 0;
}

bool may_change(const fs::path& folder) {
  return ::access(folder.c_str(), W_OK) == 0;
}

#if defined(__linux__)
uint32_t file_system_type(const fs::path& path) {
  struct statfs found {};
  return ::statfs(path.c_str(), &found) == 0 ? static_cast<uint32_t>(found.f_type) : 0;
}
#else
uint32_t file_system_type(const fs::path& path) {
  struct Known {
    std::string_view name;
    uint32_t type;
  };
  constexpr Known kKnown[] = {
      {"nfs", 0x6969}, {"smbfs", 0xfe534d42}, {"msdos", 0x4d44}, {"exfat", 0x2011bab0}};
  struct statfs found {};
  if (::statfs(path.c_str(), &found) != 0) return 0;
  for (const Known& known : kKnown) {
    if (known.name == found.f_fstypename) return known.type;
  }
  return 0;
}
#endif

}  // namespace quire::platform
