#pragma once

#include <filesystem>
#include <utility>

#include "kernels/cpu_tuning.h"

namespace quire {

inline constexpr char kTuningFileName[] = "cpu-tuning.json";

/// Keeps the CPU's measured choices in a JSON file, cpu-tuning.json, by TuningKey. The file may be
/// deleted at any time. An entry that cannot be read or whose values are out of range counts as not
/// measured. Choices never change results, so a damaged file can at most make Quire slow.
///
/// Thread: as TuningStore. Invariants: the file is replaced as a whole. If two programs save at the
/// same time, one may lose the other's choices, which are then measured again.
class TuningFile final : public TuningStore {
 public:
  explicit TuningFile(std::filesystem::path path) : m_path(std::move(path)) {}

  std::vector<TunedFormat> load(const TuningKey& key) override;
  /// Keeps the entries of the 16 keys that were saved last. Errors: kIo, with the file's name.
  Result<void> save(const TuningKey& key, std::span<const TunedFormat> formats) override;

 private:
  std::filesystem::path m_path;
};

/// The file beside the window's chats, $XDG_DATA_HOME/quire or ~/.local/share/quire, if there is
/// such a folder; otherwise in $XDG_CACHE_HOME/quire or ~/.cache/quire. Empty without a home
/// folder.
std::filesystem::path default_tuning_path();

/// From now on this process's CPU backends measure what is not known, and keep their choices in
/// that file; with an empty path only in memory.
void keep_cpu_tunings(const std::filesystem::path& path);

}  // namespace quire
