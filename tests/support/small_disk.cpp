#include "tests/support/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace quire {
namespace {

std::string failure(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

/// In a user namespace of its own, in which this user is root.
bool unshareAsUser() {
  const auto user = std::to_string(::getuid());
  const auto group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
  std::ofstream("/proc/self/gid_map") << "0 " + group + " 1";
  return true;
}

}  // namespace

std::string SmallDisk::prepare() {
  if (::unshare(CLONE_NEWNS) != 0 && !unshareAsUser()) return failure("no mounts of our own");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return failure("mounts cannot be made private");
  }
  return {};
}

SmallDisk::SmallDisk(const std::string& folder, int64_t bytes) : m_folder(folder) {
  const std::string options = "mode=0700,size=" + std::to_string(bytes);
  m_isMounted = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (m_isMounted) ::umount2(m_folder.c_str(), MNT_DETACH);
}

bool SmallDisk::remount(bool isReadOnly) const {
  const unsigned long flags = MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0);
  return ::mount(nullptr, m_folder.c_str(), nullptr, flags, nullptr) == 0;
}

void SmallDisk::fill() const {
  const int file = ::open((m_folder + "/ballast").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  constexpr std::array<char, 512> kBytes{};
  while (::write(file, kBytes.data(), kBytes.size()) > 0) {
  }
  ::close(file);
}

void SmallDisk::empty() const {
  ::unlink((m_folder + "/ballast").c_str());
}

}  // namespace quire
