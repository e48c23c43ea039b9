#include "engine/io/private_file.h"

#include <mutex>
#include <span>
#include <string>

#include "platform/file.h"
#include "platform/program.h"

namespace quire {
namespace {

/// Writes all of `text` to a new file; false, and no file, if that fails.
bool write_new_file(const std::filesystem::path& path, std::string_view text) {
  const int file = platform::open_file(
      path,
      {.write = true, .create = true, .is_new = true, .follow_link = false, .is_private = true});
  if (file < 0) return false;
  const bool is_written = platform::write_some(file, std::as_bytes(std::span(text))) ==
                          static_cast<ptrdiff_t>(text.size());
  if (platform::close_file(file) && is_written) return true;
  platform::remove_file(path);
  return false;
}

}  // namespace

bool replace_private_file(const std::filesystem::path& path, std::string_view text) {
  static std::mutex mutex;  // Several threads may replace the same file.
  const std::lock_guard lock(mutex);
  const std::filesystem::path unfinished =
      path.string() + "." + std::to_string(platform::process_id());
  // An earlier process with this number may have been killed while it wrote.
  platform::remove_file(unfinished);
  if (!write_new_file(unfinished, text)) return false;
  if (platform::replace_file(unfinished, path)) return true;
  platform::remove_file(unfinished);
  return false;
}

std::filesystem::path base_folder(const char* variable, const char* in_home) {
  return platform::user_folder(variable, in_home);
}

}  // namespace quire
