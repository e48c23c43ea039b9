#include "app/bundled_model.h"

#include <cstdlib>
#include <system_error>

#include "platform/program.h"

namespace quire {
namespace fs = std::filesystem;

fs::path bundled_model_path() {
  if (const char* chosen = std::getenv("QUIRE_BUNDLED_MODEL"); chosen && *chosen) return chosen;
  std::error_code ignored;
#ifdef QUIRE_SOURCE_DIR  // Not in packages.
  const fs::path in_sources = fs::path(QUIRE_SOURCE_DIR) / "resources/models/quire-mini";
  if (fs::exists(in_sources / "config.json", ignored)) return in_sources;
#endif
  const fs::path program = platform::program_path();
  if (program.empty()) return "quire-mini";
  return (program.parent_path() / "../share/quire/models/quire-mini").lexically_normal();
}

fs::path bundled_draft_path() {
  return bundled_model_path().parent_path() / "quire-mini-draft";
}

bool is_bundled_model(const fs::path& path) {
  std::error_code failed;
  const bool same = fs::equivalent(path, bundled_model_path(), failed);
  return same && !failed;
}

}  // namespace quire
