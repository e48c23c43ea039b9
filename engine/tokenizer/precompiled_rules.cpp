#include "engine/tokenizer/precompiled_rules.h"

#include <cstring>
#include <utility>

#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

/// The longest cluster that rules are applied to as a whole, in bytes.
constexpr size_t kMaxClusterBytes = 5;

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Nothing for text that is no base64 (RFC 4648, section 4).
std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string out;
  uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    out += static_cast<char>(bits >> num_bits & 0xFF);
  }
  return out;
}

}  // namespace

Result<PrecompiledRules> PrecompiledRules::create(std::string_view base64) {
  const auto bytes = from_base64(base64);
  if (!bytes || !is_safe_charsmap(*bytes)) {
    return Error{ErrorCode::kCorruptFile, "its normalizer Precompiled has damaged rules"};
  }
  Result<Regex> clusters = Regex::compile_cluster();
  if (!clusters) return clusters.error();
  PrecompiledRules rules(std::move(*clusters));
  if (bytes->empty()) return rules;
  uint32_t trie_bytes = 0;
  std::memcpy(&trie_bytes, bytes->data(), sizeof(trie_bytes));
  rules.m_trie = bytes->substr(sizeof(trie_bytes), trie_bytes);
  rules.m_replacements = bytes->substr(sizeof(trie_bytes) + trie_bytes);
  return rules;
}

uint32_t PrecompiledRules::unit(size_t index) const {
  uint32_t value = 0;
  std::memcpy(&value, m_trie.data() + index * sizeof(value), sizeof(value));
  return value;
}

/// What the shortest rule at the start of the part gives.
std::optional<std::string_view> PrecompiledRules::rule_for(std::string_view part,
                                                           WorkBudget& budget) const {
  if (m_trie.empty() || budget.is_spent()) return std::nullopt;
  const auto offset_of = [](uint32_t u) {
    return static_cast<size_t>(u >> 10) << ((u & (1u << 9)) >> 6);
  };
  size_t node = offset_of(unit(0));
  for (const char c : part) {
    const auto byte = static_cast<uint8_t>(c);
    node ^= byte;
    const uint32_t here = unit(node);
    if ((here & (0x80000000u | 0xFFu)) != byte) return std::nullopt;
    node ^= offset_of(here);
    if (((here >> 8) & 1) == 0) continue;
    const std::string_view content(m_replacements.data() + (unit(node) & 0x7FFFFFFFu));
    budget.spend(1 + content.size() / kBytesPerStep);
    return content;
  }
  return std::nullopt;
}

void PrecompiledRules::append(std::string_view cluster, size_t max_bytes, WorkBudget& budget,
                              std::string& out) const {
  const auto fits = [&](std::string_view content) {
    return out.size() + content.size() <= max_bytes;
  };
  if (cluster.size() <= kMaxClusterBytes) {
    const auto content = rule_for(cluster, budget);
    if (content && fits(*content)) {
      out += *content;
      return;
    }
  }
  while (!cluster.empty()) {
    const std::string_view character = cluster.substr(0, next_utf8(cluster).length);
    const auto content = rule_for(character, budget);
    out += content && fits(*content) ? *content : character;
    cluster.remove_prefix(character.size());
  }
}

std::string PrecompiledRules::apply(std::string_view text, size_t max_bytes,
                                    WorkBudget& budget) const {
  std::string out;
  out.reserve(text.size() * 3 / 2);
  RegexScanner scanner(m_clusters);
  size_t from = 0;
  while (from < text.size()) {
    const auto match = scanner.find(text, from, budget);
    if (!match || match->begin != from) break;
    append(text.substr(from, match->end - from), max_bytes, budget, out);
    from = match->end;
  }
  return out.append(text.substr(from));
}

}  // namespace quire
