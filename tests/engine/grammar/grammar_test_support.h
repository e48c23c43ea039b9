#pragma once

#include <QtTest>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/grammar/grammar.h"
#include "tests/engine/grammar/bytes_tokenizer.h"

namespace quire::test {

inline std::shared_ptr<const GrammarVocabulary> vocabulary_of(const BytesTokenizer& tokenizer) {
  return std::make_shared<const GrammarVocabulary>(tokenizer, tokenizer.vocab_size(),
                                                   std::vector{tokenizer.end_token()});
}

/// The grammar of a schema that is supported.
inline std::shared_ptr<const Grammar> grammar_of(
    std::string_view schema, std::shared_ptr<const GrammarVocabulary> vocabulary) {
  auto grammar = Grammar::of_schema(schema, std::move(vocabulary));
  if (!grammar) qFatal("%s", grammar.error().message.c_str());
  return *grammar;
}

/// Whether the grammar allows a text, byte by byte, to its end.
inline bool allows(const Grammar& grammar, std::string_view text) {
  GrammarState state = grammar.start();
  for (const char c : text) state = grammar.next(state, static_cast<uint8_t>(c));
  return state.is_complete();
}

}  // namespace quire::test
