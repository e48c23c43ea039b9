#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Makes a dict of keys that may repeat: the last value of a key counts, in the place of its first.
/// Thread: used by one.
class DictBuilder {
 public:
  explicit DictBuilder(Runtime& runtime) : m_runtime(runtime) {}

  /// To begin with, the entries of another dict.
  void copy(const Dict& dict);
  /// Fails the rendering for a list or a dict as the key.
  void set(Value key, Value value);
  Value finish();

 private:
  /// The entry of a key; the number of entries if there is none.
  size_t find(const Value& key);
  void index(size_t entry);
  /// Equal for equal keys.
  size_t hash_of(const Value& key);

  Runtime& m_runtime;
  std::vector<std::pair<Value, Value>> m_entries;
  /// Entries by the hash of their key, once there are so many that a search through all takes long.
  std::unordered_multimap<size_t, size_t> m_by_hash;
};

}  // namespace quire::jinja
