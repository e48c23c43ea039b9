#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/decoder.h"
#include "engine/models/model_runner.h"

namespace quire {

/// The adapters that are loaded beside a model. One whose files change is loaded anew, as another
/// adapter.
/// Thread: the engine's. Invariants: every adapter here is in the decoder.
class AdapterSet {
 public:
  /// As many are loaded at once; one that no request uses makes room for another.
  static constexpr size_t kMaxAdapters = 16;

  /// The adapter of that path, loaded now if it is not. `in_use`: those that may not be unloaded.
  /// `runner` may be null: then it is created afterwards. Errors: those of open_adapter and
  /// Decoder::add_adapter; kOutOfMemory also if too many are in use.
  Result<AdapterId> load(const std::filesystem::path& path, Decoder& decoder, ModelRunner* runner,
                         std::span<const AdapterId> in_use = {});
  /// Loads all of them into another decoder of the same model, which has no runner yet. Errors: as
  /// load(); kCorruptFile if one has changed since.
  Result<void> reload(Decoder& decoder) const;

  /// The loaded adapter of that path, whose files have not changed since.
  std::optional<AdapterId> find(const std::filesystem::path& path) const;
  bool contains(AdapterId adapter) const { return m_adapters.contains(adapter); }
  int num_loaded() const { return static_cast<int>(m_adapters.size()); }
  /// The SHA-256 of an adapter that is or was loaded, hexadecimal.
  const std::string& hash(AdapterId adapter) const { return m_hashes.at(adapter); }

 private:
  /// Size and time of each of an adapter's files: tells that they were written again.
  using Stamp = std::vector<std::pair<uintmax_t, std::filesystem::file_time_type>>;
  struct Loaded {
    std::filesystem::path path;
    Stamp stamp;
    uint64_t last_use = 0;
  };
  static Stamp stamp_of(const std::filesystem::path& path);
  Result<void> make_room(Decoder& decoder, std::span<const AdapterId> in_use);

  std::map<AdapterId, Loaded> m_adapters;
  std::map<AdapterId, std::string> m_hashes;  ///< Of unloaded ones, too: blocks outlive them.
  AdapterId m_last_id = 0;
  uint64_t m_num_uses = 0;
};

}  // namespace quire
