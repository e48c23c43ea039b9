#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace quire {

using BlockId = int32_t;

/// Which blocks are referenced and in which order the others are taken: ids and counts only, no
/// memory. The free list is an intrusive doubly linked list, oldest first, so that every operation
/// is O(1).
/// Thread: the engine's.
/// Invariants: a block is on the free list exactly once if its count is 0, and not at all
/// otherwise; num_free() + the number of referenced blocks = size().
class BlockPool {
 public:
  explicit BlockPool(int num_blocks);

  /// Takes the oldest free block and gives it one reference; nothing if every block is referenced.
  /// Whatever the caller kept in it is overwritten from now on.
  std::optional<BlockId> take();

  /// One reference more. A free block leaves the free list with its content as it was.
  void retain(BlockId block);

  /// What becomes of a block whose last reference goes.
  enum class OnFree {
    kReuseFirst,  ///< Its content is worth nothing: it is the next one to be taken.
    kReuseLast,  ///< Its content may be wanted again: it is taken after all blocks freed before it.
  };
  void release(BlockId block, OnFree on_free);

  int ref_count(BlockId block) const { return m_nodes[block].ref_count; }
  int size() const { return static_cast<int>(m_nodes.size()) - 1; }
  int num_free() const { return m_num_free; }

 private:
  struct Node {
    int32_t previous = 0;
    int32_t next = 0;
    int32_t ref_count = 0;
  };
  void unlink(int32_t node);
  void link_between(int32_t node, int32_t previous, int32_t next);

  std::vector<Node> m_nodes;  ///< The last node is the list's anchor.
  int m_num_free = 0;
};

}  // namespace quire
