#include "engine/io/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace quire {
namespace {

/// Writes all of `text` to a new file; false, and no file, if that fails.
bool write_new_file(const std::filesystem::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool is_written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(file) == 0 && is_written) return true;
  ::unlink(path.c_str());
  return false;
}

}  // namespace

bool replace_private_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path unfinished = path.string() + "." + std::to_string(::getpid());
  // An earlier process with this number may have been killed while it wrote.
  ::unlink(unfinished.c_str());
  if (!write_new_file(unfinished, text)) return false;
  if (std::rename(unfinished.c_str(), path.c_str()) == 0) return true;
  ::unlink(unfinished.c_str());
  return false;
}

std::filesystem::path base_folder(const char* variable, const char* in_home) {
  const char* const named = std::getenv(variable);
  if (named != nullptr && *named == '/') return named;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return std::filesystem::path(home) / in_home;
}

}  // namespace quire
