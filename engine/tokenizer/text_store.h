#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace quire {

/// Copies of texts in blocks of memory that grow up to 64 KiB. A std::string for each token of a
/// vocabulary would take 32 bytes, and an allocation if the token is long.
/// Invariants: a text that was added stays where it is for as long as the store, or the one that it
/// is moved to, exists.
class TextStore {
 public:
  TextStore() = default;
  TextStore(TextStore&&) = default;
  TextStore& operator=(TextStore&&) = default;

  /// The copy of `text`.
  std::string_view add(std::string_view text) {
    if (m_blocks.empty() || m_blocks.back().capacity() - m_blocks.back().size() < text.size()) {
      m_block_bytes = std::min(2 * m_block_bytes, kMaxBlockBytes);
      m_blocks.emplace_back().reserve(std::max(m_block_bytes, text.size()));
    }
    std::string& block = m_blocks.back();
    block += text;
    return std::string_view(block).substr(block.size() - text.size());
  }

 private:
  static constexpr size_t kMaxBlockBytes = size_t{1} << 16;
  std::deque<std::string> m_blocks;  ///< None grows beyond its capacity.
  size_t m_block_bytes = 512;        ///< Of the last block, if no text is longer.
};

}  // namespace quire
