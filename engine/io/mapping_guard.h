#pragma once

#include <cstddef>
#include <span>

namespace quire {

/// Keeps the process alive if another program shortens a file that is mapped: reading beyond its
/// new end would end the process (SIGBUS). The guard's signal handler instead replaces the rest of
/// the mapping, from the page that was read to its end, by zeros, and marks it as cut.
///
/// The handler is installed with the first guard and passes on every other SIGBUS to the handler
/// that was there before. A marked mapping holds zeros: who reads one checks was_cut() when done,
/// once, and discards what was read.
///
/// Thread: any thread may read the memory; making, moving and destroying are for one at a time.
/// Invariants: at most kMaxMappings are guarded at a time.
class MappingGuard {
 public:
  static constexpr size_t kMaxMappings = 4096;

  MappingGuard() = default;
  /// `mapping` starts at a page and stays mapped as long as the guard lives.
  explicit MappingGuard(std::span<const std::byte> mapping);

  /// False if too many are guarded.
  bool is_active() const { return m_slot >= 0; }
  /// Whether a part of the memory has been replaced by zeros.
  bool was_cut() const;

  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  ~MappingGuard();

 private:
  int m_slot = -1;
};

}  // namespace quire
