#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace quire {

using BlockId = int32_t;

/// How much the content of an unreferenced block is worth. The least worth is evicted first; of
/// equal ones the least recently used.
enum class BlockWorth : uint8_t {
  kNone,      ///< Nothing: its content has no name.
  kMinor,     ///< A window part (WindowCache) after which nobody is expected to go on.
  kChat,      ///< Of a chat that is not open, or of no chat.
  kOpenChat,  ///< Of a chat that is open: its next turn is likely.
  kPersona,   ///< Of a prefix that many chats share.
  kPinned,    ///< The user wants it kept.
};
inline constexpr int kNumBlockWorths = 6;

/// Which blocks are referenced and in which order the others are evicted: ids and counts only, no
/// memory. The free blocks of each worth are an intrusive doubly linked list, oldest first, so that
/// every operation is O(1).
/// Thread: the engine's.
/// Invariants: a block is on exactly one free list if its count is 0, and on none otherwise;
/// num_free() + the number of referenced blocks = size().
class BlockPool {
 public:
  explicit BlockPool(int num_blocks);

  /// Allocates the oldest free block of the least worth, with one reference; nothing if every block
  /// is referenced. Whatever the caller kept in it is overwritten from now on. Blocks of personas
  /// are evicted first while they fill more than half of the pool, so that old ones do
  /// not displace current chats.
  std::optional<BlockId> allocate();

  /// One reference more. A free block leaves its list with its content as it was.
  void retain(BlockId block);

  /// One reference less. After the last, a block worth nothing is the next one to be allocated, any
  /// other is evicted after all blocks of its worth that were freed before it.
  void release(BlockId block, BlockWorth worth);

  /// Moves a free block among those of another worth, as the last freed of them.
  void set_worth(BlockId block, BlockWorth worth);

  int ref_count(BlockId block) const { return m_nodes[block].ref_count; }
  BlockWorth worth(BlockId block) const { return m_nodes[block].worth; }  ///< Of a free block.
  int size() const { return static_cast<int>(m_nodes.size()) - kNumBlockWorths; }
  int num_free() const { return m_num_free; }
  /// The free blocks of one worth, oldest first.
  std::vector<BlockId> free_blocks(BlockWorth worth) const;

 private:
  struct Node {
    int32_t previous = 0;
    int32_t next = 0;
    int32_t ref_count = 0;
    BlockWorth worth = BlockWorth::kNone;
  };
  int32_t anchor(BlockWorth worth) const { return size() + static_cast<int32_t>(worth); }
  void unlink(int32_t node);
  void link(int32_t node, BlockWorth worth);

  std::vector<Node> m_nodes;  ///< The last ones are the lists' anchors.
  std::array<int, kNumBlockWorths> m_num_of{};
  int m_num_free = 0;
};

}  // namespace quire
