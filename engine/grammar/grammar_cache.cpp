#include "engine/grammar/grammar_cache.h"

#include <algorithm>
#include <utility>

namespace quire {

Result<std::shared_ptr<const Grammar>> GrammarCache::get(const std::string& name,
                                                         const Compile& compile) {
  const std::lock_guard lock(m_mutex);
  const auto known = std::ranges::find(m_entries, name, &Entry::name);
  if (known != m_entries.end()) {
    m_entries.splice(m_entries.begin(), m_entries, known);
    return m_entries.front().grammar;
  }
  if (!m_vocabulary) {
    m_vocabulary =
        std::make_shared<const GrammarVocabulary>(*m_tokenizer, m_vocab_size, m_end_tokens);
  }
  auto grammar = compile(m_vocabulary);
  if (!grammar) return grammar.error();
  m_entries.push_front({name, *grammar});
  if (m_entries.size() > kMaxGrammars) m_entries.pop_back();
  return *grammar;
}

Result<std::shared_ptr<const Grammar>> GrammarCache::of_schema(std::string_view schema) {
  return get("schema " + std::string(schema),
             [&](auto vocabulary) { return Grammar::of_schema(schema, std::move(vocabulary)); });
}

Result<std::shared_ptr<const Grammar>> GrammarCache::of_any_object() {
  return of_schema(Grammar::kAnyObject);
}

}  // namespace quire
