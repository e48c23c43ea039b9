#include "engine/adapter_set.h"

#include <algorithm>

#include "engine/io/text.h"
#include "engine/models/adapter_files.h"

namespace quire {

namespace fs = std::filesystem;

AdapterSet::Stamp AdapterSet::stamp_of(const fs::path& path) {
  Stamp stamp;
  for (const fs::path& file :
       {path, path / "adapter_config.json", path / "adapter_model.safetensors"}) {
    std::error_code failed;
    const uintmax_t bytes = fs::is_directory(file, failed) ? 0 : fs::file_size(file, failed);
    stamp.emplace_back(failed ? 0 : bytes, fs::last_write_time(file, failed));
  }
  return stamp;
}

std::optional<AdapterId> AdapterSet::find(const fs::path& path) const {
  const Stamp stamp = stamp_of(path);
  for (const auto& [id, loaded] : m_adapters) {
    if (loaded.path == path && loaded.stamp == stamp) return id;
  }
  return std::nullopt;
}

Result<AdapterId> AdapterSet::load(const fs::path& path, Decoder& decoder, ModelRunner* runner,
                                   std::span<const AdapterId> in_use) {
  if (const auto loaded = find(path)) {
    m_adapters.at(*loaded).last_use = ++m_num_uses;
    return *loaded;
  }
  const Stamp stamp = stamp_of(path);
  auto files = open_adapter(path);
  if (!files) return files.error();
  if (m_adapters.size() >= kMaxAdapters) {
    // One that is refused must not cost another its place.
    if (auto fits = decoder.check_adapter(*files); !fits) return fits.error();
    if (auto made = make_room(decoder, in_use); !made) return made.error();
  }
  const AdapterId id = m_last_id + 1;
  if (auto added = decoder.add_adapter(id, *files); !added) return added.error();
  if (runner != nullptr) {
    if (auto reserved = runner->reserve(); !reserved) {
      decoder.remove_adapter(id);
      return reserved.error();
    }
  }
  m_last_id = id;
  m_adapters[id] = {path, stamp, ++m_num_uses};
  m_hashes[id] = files->hash;
  return id;
}

/// Unloads the adapter that was used least recently.
Result<void> AdapterSet::make_room(Decoder& decoder, std::span<const AdapterId> in_use) {
  auto oldest = m_adapters.end();
  for (auto it = m_adapters.begin(); it != m_adapters.end(); ++it) {
    if (std::ranges::find(in_use, it->first) != in_use.end()) continue;
    if (oldest == m_adapters.end() || it->second.last_use < oldest->second.last_use) oldest = it;
  }
  if (oldest == m_adapters.end()) {
    return make_error(ErrorCode::kOutOfMemory,
                      "%1 adapters are in use, which is as many as Quire loads at once; wait until "
                      "an answer has ended",
                      {std::to_string(kMaxAdapters)});
  }
  decoder.remove_adapter(oldest->first);
  m_adapters.erase(oldest);
  return {};
}

Result<void> AdapterSet::reload(Decoder& decoder) const {
  for (const auto& [id, loaded] : m_adapters) {
    auto files = open_adapter(loaded.path);
    if (!files) return files.error();
    if (auto added = decoder.add_adapter(id, *files); !added) return added.error();
    if (files->hash == hash(id)) continue;
    decoder.remove_adapter(id);
    return make_error(ErrorCode::kCorruptFile,
                      "the adapter %1 has changed since it was loaded; load the model again",
                      {for_message(files->name)});
  }
  return {};
}

}  // namespace quire
