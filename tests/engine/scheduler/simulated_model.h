#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
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
  static constexpr size_t kBytesPerBlock = kBlockSize * sizeof(uint64_t);

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

  void copy(const BlockCopy& copy) {
    for (int i = 0; i < kBlockSize; ++i) slot(copy.to, i) = slot(copy.from, i);
  }

  /// A block's "keys and values" as a store would keep them, and back.
  std::vector<std::byte> read(BlockId block) {
    const auto* first = reinterpret_cast<const std::byte*>(&slot(block, 0));
    return {first, first + kBytesPerBlock};
  }
  void write(BlockId block, std::span<const std::byte> from) {
    std::memcpy(&slot(block, 0), from.data(), kBytesPerBlock);
  }

  static int32_t next_token(const std::vector<int32_t>& tokens) {
    uint64_t hash = 1;
    for (const int32_t token : tokens) hash = mix(hash, token);
    return static_cast<int32_t>(mix(hash, 77) % 5);
  }

 private:
  uint64_t& slot(BlockId block, int offset) {
    return m_slots.at(static_cast<size_t>(block) * kBlockSize + static_cast<size_t>(offset));
  }
  static uint64_t mix(uint64_t hash, int32_t token) {
    hash = (hash ^ static_cast<uint64_t>(token + 1)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
  }
  std::vector<uint64_t> m_slots;
};

}  // namespace quire
