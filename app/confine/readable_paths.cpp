#include "app/confine/readable_paths.h"

#include <string>
#include <string_view>

namespace quire {
namespace {

namespace fs = std::filesystem;

/// "model-" of "model-00002-of-00003.gguf"; empty for other names.
std::string_view start_of_parts(std::string_view name) {
  const size_t of = name.rfind("-of-");
  if (of == name.npos || of == 0) return {};
  const size_t number = name.find_last_not_of("0123456789", of - 1);
  const bool has_number = number != name.npos && number + 1 < of && name[number] == '-';
  return has_number ? name.substr(0, number + 1) : std::string_view();
}

/// The kernel keeps a rule for each; a model has up to 1,024 parts.
constexpr size_t kMostPaths = 4096;

/// The paths in `folder` that `is_wanted`, at most kMostPaths.
template <typename Wanted>
void add_from(const fs::path& folder, std::vector<fs::path>& paths, const Wanted& is_wanted) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (paths.size() == kMostPaths) return;
    if (is_wanted(*at)) paths.push_back(at->path());
  }
}

}  // namespace

std::vector<fs::path> readable_paths(const fs::path& path) {
  std::vector<fs::path> paths = {path};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    add_from(path, paths, [](const fs::directory_entry& entry) {
      std::error_code unknown;
      return entry.is_symlink(unknown) && entry.is_regular_file(unknown);
    });
    return paths;
  }
  const std::string name = path.filename().string();
  const std::string_view start = start_of_parts(name);
  if (start.empty()) return paths;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  add_from(folder, paths, [start](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with(start);
  });
  return paths;
}

}  // namespace quire
