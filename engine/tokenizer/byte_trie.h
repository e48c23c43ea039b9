#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Texts with ids in a trie, in which all of them that begin a given text are found in one walk.
/// Thread: any thread once finished.
class ByteTrie {
 public:
  /// Of all texts together. The largest real vocabulary, LaBSE's, has 4.7 MB. A byte takes 12 in
  /// the trie.
  static constexpr size_t kMaxBytes = size_t{6} << 20;

  /// The text is to stay where it is until finish(). Ignores texts beyond kMaxBytes, which
  /// is_full() then reports.
  void add(std::string_view text, TokenId id) {
    m_num_bytes += text.size();
    if (!is_full()) m_entries.push_back({head_of(text), text, id});
  }
  bool is_full() const { return m_num_bytes > kMaxBytes; }
  size_t num_bytes() const { return m_num_bytes; }
  /// To be called once, when all texts are added, none of which is empty. Of equal texts the first
  /// counts; returns one that was added again.
  std::optional<std::string> finish();

  /// The id of this text.
  std::optional<TokenId> find(std::string_view text) const;
  /// Calls `visit(length, id)` for each entry that `text` begins with, the shortest first. Returns
  /// how many bytes it looked at.
  template <typename Visit>
  size_t for_each_prefix(std::string_view text, Visit visit) const {
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<uint8_t>(text[i]));
      if (node == 0) return i + 1;
      if (m_nodes[node].id >= 0) visit(i + 1, m_nodes[node].id);
    }
    return text.size();
  }

 private:
  struct Entry {
    uint64_t head;  ///< Of its first bytes, in whose order the texts are.
    std::string_view text;
    TokenId id;

    bool operator<(const Entry& other) const {
      return head != other.head ? head < other.head : text < other.text;
    }
  };
  static uint64_t head_of(std::string_view text);
  /// Sorts the entries and returns one whose text is there twice; the first of them is left.
  std::optional<std::string> sort_entries();
  /// Of the texts, sorted: each has one for each byte that it does not share with the one before.
  size_t count_nodes() const;
  void make_nodes();

  struct Node {
    uint32_t first_child = 0;  ///< They are consecutive, by byte ascending.
    uint16_t num_children = 0;
    uint8_t byte = 0;
    TokenId id = -1;  ///< Of the entry that ends here.
  };
  /// 0 for none: the root is no child.
  uint32_t child(uint32_t node, uint8_t byte) const;

  size_t m_num_bytes = 0;
  std::vector<Entry> m_entries;  ///< Empty once finished.
  std::vector<Node> m_nodes{Node{}};
};

}  // namespace quire
