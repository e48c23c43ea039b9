#include "engine/grammar/choice_grammar.h"

#include <set>
#include <string_view>
#include <utility>

#include "engine/grammar/grammar_builder.h"
#include "engine/io/text.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

Error refused(const std::string& sentence) {
  return {ErrorCode::kInvalidArgument, sentence};
}

Result<void> check(std::span<const std::string> choices) {
  if (choices.empty()) return refused("choice has no texts; it needs at least one.");
  if (choices.size() > kMaxChoices) {
    return refused("choice has " + with_separators(choices.size()) + " texts; at most " +
                   with_separators(kMaxChoices) + " are allowed.");
  }
  size_t num_bytes = 0;
  std::set<std::string_view> seen;
  for (const std::string& choice : choices) {
    if (choice.empty()) return refused("choice has an empty text; leave it out.");
    if (!is_valid_utf8(choice)) return refused("choice has a text that is not UTF-8.");
    if (!seen.insert(choice).second) {
      return refused("choice has '" + for_message(choice) + "' twice; give each text once.");
    }
    num_bytes += choice.size();
  }
  if (num_bytes <= Grammar::kMaxSchemaBytes) return {};
  return refused("The texts of choice have " + with_separators(num_bytes) +
                 " bytes together; at most " + with_separators(Grammar::kMaxSchemaBytes) +
                 " are allowed.");
}

}  // namespace

Result<std::shared_ptr<const Grammar>> choice_grammar(
    std::span<const std::string> choices, std::shared_ptr<const GrammarVocabulary> vocabulary) {
  if (auto valid = check(choices); !valid) return valid.error();
  GrammarBuilder builder;
  const auto root = builder.add_rule();
  for (const std::string& choice : choices) {
    builder.set_end(builder.add_text(builder.start_of(root), choice));
  }
  auto rules = builder.finish(root, GrammarBuilder::Begins::kAtOnce);
  if (!rules) return refused("The texts of choice are too long: " + builder.why_full() + ".");
  return std::shared_ptr<const Grammar>(
      std::make_shared<Grammar>(std::move(*rules), std::move(vocabulary)));
}

}  // namespace quire
