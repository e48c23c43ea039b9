#include "platform/folder.h"

namespace quire::platform {

std::optional<uint64_t> free_bytes(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::path at = std::filesystem::absolute(folder, failed);
  while (!failed) {
    const std::filesystem::space_info space = std::filesystem::space(at, failed);
    if (!failed) return space.available;
    const bool is_missing =
        failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
    if (!is_missing || !at.has_relative_path()) return std::nullopt;
    at = at.parent_path();
    failed.clear();
  }
  return std::nullopt;
}

}  // namespace quire::platform
