#include "engine/template/dict_builder.h"

#include <string_view>

#include "engine/template/operators.h"
#include "kernels/base/hash_bytes.h"

namespace quire::jinja {

namespace {

/// Up to so many, looking at all entries is quicker.
constexpr size_t kFewEntries = 16;

}  // namespace

/// 1, 1.0 and true are equal, and 0.0 and -0.0. Other kinds than texts and numbers share one.
/// Seeded, so that a template cannot choose keys whose hashes collide. Long texts are charged.
size_t DictBuilder::hash_of(const Value& key) {
  if (is_text(key)) {
    const bool may_read = m_runtime.charge(view(key).size() / kTextBytesPerStep);
    return may_read ? hash_bytes(view(key)) : 0;
  }
  if (!is_number(key)) return 1;
  const double number = as_double(key) + 0.0;  // Of -0.0 this is 0.0.
  return hash_bytes({reinterpret_cast<const char*>(&number), sizeof number});
}

void DictBuilder::copy(const Dict& dict) {
  if (!m_runtime.charge(dict.entries.size())) return;
  m_entries = dict.entries;
  if (m_entries.size() <= kFewEntries) return;
  for (size_t i = 0; i < m_entries.size(); ++i) index(i);
}

void DictBuilder::index(size_t entry) {
  constexpr size_t kNodeBytes = 48;
  if (m_runtime.reserve(kNodeBytes)) m_by_hash.emplace(hash_of(m_entries[entry].first), entry);
}

size_t DictBuilder::find(const Value& key) {
  if (m_by_hash.empty()) {
    size_t at = 0;
    while (at < m_entries.size() && !equals(m_runtime, m_entries[at].first, key)) ++at;
    return at;
  }
  const auto [first, last] = m_by_hash.equal_range(hash_of(key));
  for (auto it = first; it != last && !m_runtime.failed(); ++it) {
    if (equals(m_runtime, m_entries[it->second].first, key)) return it->second;
  }
  return m_entries.size();
}

void DictBuilder::set(Value key, Value value) {
  if (is_list(key) || is<Dict*>(key)) {
    m_runtime.fail("a list or a dict cannot be a key");
    return;
  }
  const size_t at = find(key);
  if (m_runtime.failed()) return;
  if (at < m_entries.size()) {
    m_entries[at].second = std::move(value);
    return;
  }
  m_entries.emplace_back(std::move(key), std::move(value));
  if (m_entries.size() == kFewEntries + 1) {
    for (size_t i = 0; i < m_entries.size(); ++i) index(i);
  } else if (m_entries.size() > kFewEntries) {
    index(at);
  }
}

Value DictBuilder::finish() {
  return m_runtime.failed() ? Value(Undefined{}) : m_runtime.dict(std::move(m_entries));
}

}  // namespace quire::jinja
