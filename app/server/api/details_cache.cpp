#include "app/server/api/details_cache.h"

namespace quire {

ModelDetails DetailsCache::of(const ListedModel& model) {
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(model.path);
    const bool isSame = found != m_entries.end() && found->second.created == model.created &&
                        found->second.bytes == model.bytes;
    if (isSame) return found->second.details;
  }
  auto read = read_model_details(model.path);
  if (!read) return {.file_bytes = model.bytes};  // It may be there the next time.
  const std::lock_guard lock(m_mutex);
  m_entries[model.path] = {.created = model.created, .bytes = model.bytes, .details = *read};
  return *read;
}

}  // namespace quire
