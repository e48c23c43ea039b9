#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "engine/scheduler/scheduler.h"

namespace quire {

/// Stands in for a model and its KV memory: the "keys and values" of a token are a hash of all
/// tokens up to it, and the next token is a function of that hash. Computing a row first verifies
/// that every slot of its context holds what it should, so any block that was shared, freed or
/// overwritten wrongly is noticed.
class SimulatedModel {
 public:
  explicit SimulatedModel(int num_blocks) : m_slots(size_t{kBlockSize} * num_blocks, 0) {}

  /// Computes the rows; false if a slot held something else.
  bool compute(const ScheduledRows& rows) {
    const BlockTable& table = rows.sequence->table;
    uint64_t hash = 1;
    for (int p = 0; p < rows.begin + rows.count; ++p) {
      hash = mix(hash, table.tokens()[p]);
      uint64_t& slot = m_slots.at(table.slot(p));
      if (p >= rows.begin) slot = hash;
      if (slot != hash) return false;
    }
    return true;
  }

  static int32_t next_token(const std::vector<int32_t>& tokens) {
    uint64_t hash = 1;
    for (const int32_t token : tokens) hash = mix(hash, token);
    return static_cast<int32_t>(mix(hash, 77) % 5);
  }

 private:
  static uint64_t mix(uint64_t hash, int32_t token) {
    hash = (hash ^ static_cast<uint64_t>(token + 1)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
  }
  std::vector<uint64_t> m_slots;
};

}  // namespace quire
