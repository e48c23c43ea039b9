#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "platform/folder.h"
#include "platform/windows_error.h"

namespace quire::platform {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return set_errno();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return true;
  errno = ENOTDIR;
  return false;
}

}  // namespace

std::optional<FolderRights> rights_of(const fs::path& folder) {
  return is_folder(folder) ? std::optional<FolderRights>(FolderRights{}) : std::nullopt;
}

bool set_mode(const fs::path&, uint32_t) {
  return false;
}

/// Access lists of users and groups say it only by trying.
bool may_change(const fs::path& folder) {
  static std::atomic<int> counter{0};
  if (!is_folder(folder)) return false;
  const std::wstring name = L".quire-" + std::to_wstring(::GetCurrentProcessId()) + L"-" +
                            std::to_wstring(++counter) + L".tmp";
  const HANDLE handle = ::CreateFileW(
      (folder / name).c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ, nullptr, CREATE_NEW,
      FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return set_errno();
  ::CloseHandle(handle);
  return true;
}

uint32_t file_system_type(const fs::path& path) {
  constexpr uint32_t kSmb = 0xfe534d42, kFat = 0x4d44;
  wchar_t root[MAX_PATH + 1] = {};
  if (::GetVolumePathNameW(path.c_str(), root, MAX_PATH) == 0) return 0;
  if (::GetDriveTypeW(root) == DRIVE_REMOTE) return kSmb;
  DWORD flags = 0;
  if (::GetVolumeInformationW(root, nullptr, 0, nullptr, nullptr, &flags, nullptr, 0) == 0) {
    return 0;
  }
  return (flags & FILE_PERSISTENT_ACLS) != 0 ? 0 : kFat;
}

}  // namespace quire::platform
