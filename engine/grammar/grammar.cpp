#include "engine/grammar/grammar.h"

#include <algorithm>
#include <utility>

#include "engine/grammar/mask_maker.h"
#include "engine/grammar/schema_compiler.h"
#include "engine/grammar/state_walk.h"

namespace quire {
namespace {

/// Of each of the two sets of masks.
constexpr size_t kMaxMaskBytes = size_t{4} << 20;

}  // namespace

Grammar::Grammar(GrammarRules rules, std::shared_ptr<const GrammarVocabulary> vocabulary)
    : m_rules(std::move(rules)), m_vocabulary(std::move(vocabulary)) {}

Result<std::shared_ptr<const Grammar>> Grammar::of_schema(
    std::string_view schema, std::shared_ptr<const GrammarVocabulary> vocabulary) {
  auto rules = compile_schema(schema);
  if (!rules) return rules.error();
  return std::shared_ptr<const Grammar>(
      std::make_shared<Grammar>(std::move(*rules), std::move(vocabulary)));
}

GrammarState Grammar::start() const {
  StateWalk walk(m_rules);
  GrammarStateBuilder builder;
  builder.add(walk.positions(walk.open()), walk.returns());
  return builder.take();
}

GrammarState Grammar::next(const GrammarState& state, TokenId token) const {
  const std::string_view bytes = m_vocabulary->bytes_of(token);
  if (bytes.empty() && token < 0) return {};
  StateWalk walk(m_rules);
  walk.begin(state.returns);
  GrammarStateBuilder builder;
  // Each position reads the token by itself, as MaskMaker does.
  for (const GrammarPosition& top : state.tops) {
    StateWalk::SetId set = walk.place(top);
    if (bytes.empty()) set = walk.take(set, token);
    for (const char c : bytes) set = walk.step(set, static_cast<uint8_t>(c));
    if (walk.work() > 2 * MaskMaker::kMaxWork) break;  // No mask has tokens beyond.
    builder.add(walk.positions(set), walk.returns());
  }
  return builder.take();
}

std::shared_ptr<const TokenMask> Grammar::mask(const GrammarState& state) const {
  if (auto known = find_mask(state)) return known;
  MaskMaker maker(m_rules, *m_vocabulary);
  auto mask = std::make_shared<const TokenMask>(maker.make(state));
  keep_mask(state, mask);
  return mask;
}

std::shared_ptr<const TokenMask> Grammar::find_mask(const GrammarState& state) const {
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_recent.find(state); found != m_recent.end()) return found->second;
  const auto found = m_older.find(state);
  if (found == m_older.end()) return nullptr;
  auto mask = found->second;
  m_recent.insert(m_older.extract(found));
  return mask;
}

void Grammar::keep_mask(const GrammarState& state, std::shared_ptr<const TokenMask> mask) const {
  const std::lock_guard lock(m_mutex);
  const size_t mask_bytes = mask->size() * sizeof(uint32_t);
  const size_t most = std::max<size_t>(16, kMaxMaskBytes / std::max<size_t>(1, mask_bytes));
  m_recent.try_emplace(state, std::move(mask));
  if (m_recent.size() <= most) return;
  m_older = std::exchange(m_recent, {});
}

}  // namespace quire
