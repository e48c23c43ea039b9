#include "kernels/cpu/tuning/tuning_table.h"

#include <algorithm>
#include <utility>

namespace quire::cpu {

TuningTable& TuningTable::of_process() {
  static TuningTable table;
  return table;
}

void TuningTable::use(std::shared_ptr<TuningStore> store) {
  std::lock_guard lock(m_mutex);
  m_store = std::move(store);
  m_entries.clear();
}

bool TuningTable::has_store() const {
  std::lock_guard lock(m_mutex);
  return m_store != nullptr;
}

std::vector<TunedFormat> TuningTable::formats(const TuningKey& key) {
  std::lock_guard lock(m_mutex);
  return entry(key).formats;
}

Result<void> TuningTable::set(const TuningKey& key, std::span<const TunedFormat> formats) {
  std::lock_guard lock(m_mutex);
  Entry& of_key = entry(key);
  for (const TunedFormat& format : formats) {
    std::erase_if(of_key.formats, [&](const TunedFormat& f) { return f.dtype == format.dtype; });
    of_key.formats.push_back(format);
  }
  std::ranges::sort(of_key.formats, {}, &TunedFormat::dtype);
  return m_store == nullptr ? Result<void>() : m_store->save(key, of_key.formats);
}

TuningTable::Entry& TuningTable::entry(const TuningKey& key) {
  const auto found = std::ranges::find(m_entries, key, &Entry::key);
  if (found != m_entries.end()) return *found;
  Entry loaded = {key, {}};
  if (m_store != nullptr) loaded.formats = m_store->load(key);
  return m_entries.emplace_back(std::move(loaded));
}

}  // namespace quire::cpu
