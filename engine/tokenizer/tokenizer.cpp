#include "engine/tokenizer/tokenizer.h"

#include "engine/tokenizer/special_finder.h"

namespace quire {
namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Collects the text between special tokens and encodes it in one piece.
class RunEncoder {
 public:
  RunEncoder(const Tokenizer& tokenizer, size_t num_bytes)
      : m_tokenizer(tokenizer), m_finder(tokenizer), m_budget(WorkBudget::for_text(num_bytes)) {}

  void add_plain(std::string_view text) { m_text += text; }

  void add_template(std::string_view text) {
    size_t from = 0;
    while (from < text.size()) {
      const auto match = m_finder.find(text, from, m_budget);
      m_text += text.substr(from, match ? match->begin - from : text.npos);
      if (!match) return;
      from = match->end();
      add_special(match->id);
      if (!m_tokenizer.strips_space_after(match->id)) continue;
      while (from < text.size() && is_space(text[from])) ++from;
    }
  }

  std::vector<TokenId> finish() {
    flush();
    return std::move(m_ids);
  }

 private:
  void add_special(TokenId id) {
    if (m_tokenizer.strips_space_before(id)) {
      while (!m_text.empty() && is_space(m_text.back())) m_text.pop_back();
    }
    flush();
    m_ids.push_back(id);
    m_at_start = m_tokenizer.restarts_after_special();
  }

  void flush() {
    if (m_text.empty()) return;
    const std::vector<TokenId> ids = m_tokenizer.encode_within(m_budget, m_text, m_at_start);
    m_ids.insert(m_ids.end(), ids.begin(), ids.end());
    m_text.clear();
    m_at_start = false;
  }

  const Tokenizer& m_tokenizer;
  SpecialFinder m_finder;
  WorkBudget m_budget;  ///< Of all texts together: there can be one between any two characters.
  std::string m_text;
  std::vector<TokenId> m_ids;
  bool m_at_start = true;
};

}  // namespace

std::string Tokenizer::decode(std::span<const TokenId> ids, bool with_special) const {
  std::string text;
  bool drop_space = strips_leading_space();
  for (TokenId id : ids) {
    const bool special = is_special(id);
    std::string_view bytes = special && with_special ? token_piece(id) : token_bytes(id);
    if (bytes.empty()) continue;
    if (drop_space && !special && bytes.front() == ' ') bytes.remove_prefix(1);
    drop_space = false;
    text += bytes;
  }
  return text;
}

std::vector<TokenId> Tokenizer::encode_with_special(std::string_view text) const {
  const TextRun run{text};
  return encode_runs({&run, 1});
}

std::vector<TokenId> Tokenizer::encode_runs(std::span<const TextRun> runs) const {
  size_t num_bytes = 0;
  for (const TextRun& run : runs) num_bytes += run.text.size();
  RunEncoder encoder(*this, num_bytes);
  for (const TextRun& run : runs) {
    if (run.is_plain) {
      encoder.add_plain(run.text);
    } else {
      encoder.add_template(run.text);
    }
  }
  return encoder.finish();
}

}  // namespace quire
