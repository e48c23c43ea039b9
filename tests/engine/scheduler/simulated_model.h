#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "engine/scheduler/scheduler.h"

namespace quire {

/// Stands in for a model and its KV memory: the "keys and values" of a token are a hash of all
/// tokens up to it, and the next token is a function of that hash. Computing a row first verifies
/// that every slot of its context holds what it should, so any block that was shared, freed or
/// overwritten wrongly is noticed. The "recurrent state" of a sequence is the same hash in a slot,
/// which the rows go on from: one that is stale, or advanced by another sequence's tokens, changes
/// what they compute. The "window parts" are the same hashes in slots of their own, of which a row
/// sees the last `window`.
class SimulatedModel {
 public:
  static constexpr size_t kBytesPerBlock = kBlockSize * sizeof(uint64_t);

  explicit SimulatedModel(int num_blocks, int num_states = 0, const WindowCacheSizes& windows = {})
      : m_slots(size_t{kBlockSize} * num_blocks, 0),
        m_states(size_t(num_states), 0),
        m_window_slots(size_t{kBlockSize} * size_t(windows.num_slots), 0),
        m_window(windows.window) {}

  /// Computes the rows of a step; false if a slot held something else, or if a sequence reads a
  /// state that another one writes.
  bool compute(std::span<const ScheduledRows> step) {
    if (m_states.empty())
      return std::ranges::all_of(step, [&](auto& rows) { return attend(rows); });
    std::vector<uint64_t> begins;
    std::multiset<StateSlot> written;
    for (const ScheduledRows& rows : step) {
      begins.push_back(rows.states.in < 0 ? 1 : m_states.at(size_t(rows.states.in)));
      for (const auto& segment : rows.states.segments) written.insert(segment.out);
    }
    for (size_t i = 0; i < step.size(); ++i) {
      const auto own =
          std::ranges::count(step[i].states.segments, step[i].states.in, &StateRows::Segment::out);
      if (step[i].states.in >= 0 && written.count(step[i].states.in) > size_t(own)) return false;
      if (!attend(step[i]) || !advance(step[i], begins[i])) return false;
    }
    return std::ranges::all_of(written, [&](StateSlot slot) { return written.count(slot) == 1; });
  }

 private:
  /// The sequence's tokens and the drafts that are computed behind them.
  static std::vector<int32_t> tokens_of(const ScheduledRows& rows) {
    std::vector<int32_t> tokens = rows.sequence->table.tokens();
    const auto& drafts = rows.sequence->drafts;
    tokens.insert(tokens.end(), drafts.begin(), drafts.begin() + rows.num_drafts);
    return tokens;
  }

  /// Goes on from a state; false if that is not the one of the tokens before the rows.
  bool advance(const ScheduledRows& rows, uint64_t state) {
    const std::vector<int32_t> tokens = tokens_of(rows);
    uint64_t hash = 1;
    for (int p = 0; p < rows.begin; ++p) hash = mix(hash, tokens[size_t(p)]);
    if (state != hash) return false;
    int position = rows.begin;
    for (const StateRows::Segment& segment : rows.states.segments) {
      if (segment.end <= position) return false;
      for (; position < segment.end; ++position) hash = mix(hash, tokens[size_t(position)]);
      m_states.at(size_t(segment.out)) = hash;
    }
    return position == rows.begin + rows.count;
  }

  /// Computes the rows' keys and values; false if a slot held something else.
  bool attend(const ScheduledRows& rows) {
    const BlockTable& table = rows.sequence->table;
    const std::vector<int32_t> tokens = tokens_of(rows);
    uint64_t hash = 1;
    for (int p = 0; p < rows.begin + rows.count; ++p) {
      hash = mix(hash, tokens[size_t(p)]);
      uint64_t& slot = m_slots.at(table.slot(p));
      if (p >= rows.begin) slot = hash;
      if (slot != hash) return false;
      if (m_window > 0 && !attend_window(rows, p, hash)) return false;
    }
    return true;
  }

  /// The same of a window part, as far as rows see it.
  bool attend_window(const ScheduledRows& rows, int position, uint64_t hash) {
    if (position <= rows.begin - m_window) return true;
    const auto at = static_cast<size_t>(rows.sequence->table.window_slot(position));
    if (at < kBlockSize) return false;  // Slot 0 holds nothing.
    if (position >= rows.begin) m_window_slots.at(at) = hash;
    return m_window_slots.at(at) == hash;
  }

 public:
  void copy(const BlockCopy& copy) {
    auto& memory = copy.is_window ? m_window_slots : m_slots;
    for (int i = 0; i < kBlockSize; ++i) {
      memory.at(size_t(copy.to) * kBlockSize + size_t(i)) =
          memory.at(size_t(copy.from) * kBlockSize + size_t(i));
    }
  }

  /// A block's "keys and values" as a store would keep them, and back.
  std::vector<std::byte> read(BlockId block) {
    const auto* first = reinterpret_cast<const std::byte*>(&slot(block, 0));
    return {first, first + kBytesPerBlock};
  }
  void write(BlockId block, std::span<const std::byte> from) {
    std::memcpy(&slot(block, 0), from.data(), kBytesPerBlock);
  }
  std::vector<std::byte> read_window(WindowSlot at) {
    const auto* first =
        reinterpret_cast<const std::byte*>(&m_window_slots.at(size_t(at) * kBlockSize));
    return {first, first + kBytesPerBlock};
  }
  void write_window(WindowSlot at, std::span<const std::byte> from) {
    std::memcpy(&m_window_slots.at(size_t(at) * kBlockSize), from.data(), kBytesPerBlock);
  }

  std::vector<std::byte> read_state(StateSlot at) const {
    const auto* first = reinterpret_cast<const std::byte*>(&m_states.at(size_t(at)));
    return {first, first + sizeof(uint64_t)};
  }
  void write_state(StateSlot at, std::span<const std::byte> from) {
    std::memcpy(&m_states.at(size_t(at)), from.data(), sizeof(uint64_t));
  }

  /// Computes rows whose sequence ended while the step before was computed: what they write is
  /// nobody's any more.
  void compute_in_vain(const StateRows& states) {
    for (const auto& segment : states.segments) m_states.at(size_t(segment.out)) = 0xBAD;
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
  std::vector<uint64_t> m_states;
  std::vector<uint64_t> m_window_slots;
  int m_window;
};

}  // namespace quire
