#include "app/cli/tried_models.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/io/hash.h"
#include "engine/io/private_file.h"
#include "platform/file.h"
#include "platform/program.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxModels = 256;
constexpr size_t kMaxFiles = 10'000;  ///< Of a folder; one with more is tried each time.
constexpr size_t kLineBytes = 2 * std::tuple_size_v<Sha256::Digest> + 1;

/// The files that reading the model at `path` may open: with its folder's other files, because it
/// may be a part of a set. Empty if there are too many or the folder cannot be read.
std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> files = {path};
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder && path.filename().string().find("-of-") == std::string::npos) return files;
  const fs::path folder = is_folder ? path : fs::absolute(path, error).parent_path();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    files.push_back(at->path());
    if (files.size() > kMaxFiles) return {};
  }
  if (error) return {};
  std::sort(files.begin() + 1, files.end());
  return files;
}

bool add_file(const fs::path& path, Sha256& hash) {
  const auto stamp = platform::stamp_of(path);
  if (!stamp) return false;
  hash.update_field(path.filename().string());
  const auto add = [&hash](auto number) { hash.update_u64(static_cast<uint64_t>(number)); };
  add(stamp->modified_ns);
  add(stamp->changed_ns);
  add(stamp->device);
  add(stamp->number);
  add(stamp->size);
  return true;
}

}  // namespace

fs::path TriedModels::default_path() {
  const fs::path cache = base_folder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? fs::path() : cache / "quire" / "tried-models";
}

std::string TriedModels::identity(const fs::path& model) {
  Sha256 hash;
  const std::vector<fs::path> files = files_of(model);
  if (files.empty() || !add_file(platform::program_path(), hash)) return {};
  for (const fs::path& file : files) {
    if (!add_file(file, hash)) return {};
  }
  return to_hex(hash.finish());
}

/// Whole lines; empty if the file is missing or is not this user's alone.
std::string TriedModels::read() const {
  const int file = platform::open_file(m_path, {.follow_link = false});
  if (file < 0) return {};
  const auto status = platform::status_of(file);
  const bool is_own = status && status->is_regular && status->is_own && status->is_private;
  std::string lines(is_own ? kMaxModels * kLineBytes : 0, '\0');
  const ptrdiff_t count =
      is_own ? platform::read_some(file, std::as_writable_bytes(std::span(lines))) : 0;
  platform::close_file(file);
  const size_t length = count > 0 ? static_cast<size_t>(count) : 0;
  lines.resize(length - length % kLineBytes);
  return lines;
}

bool TriedModels::contains(const std::string& identity) const {
  if (identity.empty() || m_path.empty()) return false;
  const std::string lines = read();
  for (size_t at = 0; at < lines.size(); at += kLineBytes) {
    if (std::string_view(lines).substr(at, kLineBytes - 1) == identity) return true;
  }
  return false;
}

void TriedModels::add(const std::string& identity) const {
  if (identity.empty() || m_path.empty() || contains(identity)) return;
  std::error_code ignored;
  fs::create_directories(m_path.parent_path(), ignored);
  const std::string lines = read();
  const size_t kept = std::min(lines.size(), (kMaxModels - 1) * kLineBytes);
  // On failure the model is tried again the next time.
  static_cast<void>(replace_private_file(m_path, identity + "\n" + lines.substr(0, kept)));
}

}  // namespace quire
