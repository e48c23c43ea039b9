#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace quire {

/// The names of an object's properties, which further keys of it must not repeat.
/// Thread: immutable once built; any.
class KeyTrie {
 public:
  static constexpr uint32_t kStart = 0;
  static constexpr uint32_t kOther = ~0u;  ///< The text is none of the names, nor begins one.

  void add(std::string_view name);
  /// The position after a byte.
  uint32_t step(uint32_t position, uint8_t byte) const;
  bool is_name(uint32_t position) const { return position != kOther && m_nodes[position].is_name; }

 private:
  struct Node {
    std::vector<std::pair<uint8_t, uint32_t>> children;  ///< By byte, ascending.
    bool is_name = false;
  };
  std::vector<Node> m_nodes = std::vector<Node>(1);
};

}  // namespace quire
