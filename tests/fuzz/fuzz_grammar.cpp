#include <memory>

#include <nlohmann/json.hpp>

#include "engine/grammar/grammar.h"
#include "tests/engine/grammar/bytes_tokenizer.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

const test::BytesTokenizer& tokenizer() {
  static const test::BytesTokenizer kTokenizer({"{\"", "\":", "\",\"", "\"}", "[[", "]]", "}}",
                                                "[{", "aa", "true", "null", "12", "한", "\n  "});
  return kTokenizer;
}

std::shared_ptr<const GrammarVocabulary> vocabulary() {
  static const auto kVocabulary = std::make_shared<const GrammarVocabulary>(
      tokenizer(), tokenizer().vocab_size(), std::vector{tokenizer().end_token()});
  return kVocabulary;
}

/// Writes an answer whose tokens `choices` choose among those that are allowed.
void write_answer(const Grammar& grammar, std::string_view choices) {
  constexpr size_t kMaxTokens = 24;
  GrammarState state = grammar.start();
  std::string answer;
  for (size_t i = 0; i < std::min(choices.size(), kMaxTokens) && !state.is_finished(); ++i) {
    const auto mask = grammar.mask(state);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < tokenizer().end_token(); ++id) {
      if (has_token(*mask, id)) allowed.push_back(id);
    }
    require(has_token(*mask, tokenizer().end_token()) == state.is_complete(),
            "an answer may end where it is not complete, or not where it is");
    require(!allowed.empty() || state.is_complete(), "nothing may follow " + answer);
    if (allowed.empty()) break;
    const TokenId token = allowed[static_cast<uint8_t>(choices[i]) % allowed.size()];
    answer += tokenizer().token_bytes(token);
    state = grammar.next(state, token);
    require(!state.is_broken(), "an allowed token does not fit: " + answer);
  }
  if (state.is_complete()) {
    require(nlohmann::json::accept(answer), "a complete answer is no JSON: " + answer);
  }
}

}  // namespace

void fuzz_grammar(std::string_view bytes) {
  const auto parts = split_at_zeros(bytes, 2);
  const auto grammar = Grammar::of_schema(parts[0], vocabulary());
  if (!grammar) return require_sentence(grammar.error(), {"schema"});
  write_answer(**grammar, parts.size() > 1 ? parts[1] : "abcdefghijklmnop");
}

}  // namespace quire::fuzz
