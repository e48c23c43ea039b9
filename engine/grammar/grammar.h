#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar_rules.h"
#include "engine/grammar/grammar_state.h"
#include "engine/grammar/grammar_vocabulary.h"
#include "engine/grammar/token_mask.h"
#include "kernels/base/result.h"

namespace quire {

/// What an answer must be, for one model's vocabulary: JSON, one of some texts, or calls of tools
/// (engine/tool_grammar.h).
///
/// A schema is read strictly: keywords that are not supported are errors, annotations ("title",
/// "default", ...) are not. What is written is a part of what the schema describes: properties come
/// in the schema's order, and beside "properties" there are others only if "additionalProperties"
/// asks for them; numbers have at most 18 digits before and after the point; between values there
/// is at most one space, or a line break with up to four characters of indentation a level.
/// Thread: any. Invariants: from each state that can be reached the text can be finished.
class Grammar {
 public:
  static constexpr size_t kMaxSchemaBytes = size_t{64} << 10;

  /// Errors: kInvalidArgument, naming the keyword and its place in the schema ("#/properties/a").
  static Result<std::shared_ptr<const Grammar>> of_schema(
      std::string_view schema, std::shared_ptr<const GrammarVocabulary> vocabulary);
  /// The schema of any JSON object.
  static constexpr std::string_view kAnyObject = R"({"type": "object"})";

  const GrammarVocabulary& vocabulary() const { return *m_vocabulary; }
  /// Whether it is the grammar of an answer with its reasoning and its channels.
  bool covers_reasoning() const { return m_rules.covers_reasoning(); }

  GrammarState start() const;
  /// The state after a token; broken if it may not follow.
  GrammarState next(const GrammarState& state, TokenId token) const;
  /// The tokens that may follow, end tokens among them where the text is complete. Takes
  /// microseconds for a state that was asked for lately, otherwise up to some milliseconds.
  std::shared_ptr<const TokenMask> mask(const GrammarState& state) const;

  Grammar(GrammarRules rules, std::shared_ptr<const GrammarVocabulary> vocabulary);

 private:
  using Masks =
      std::unordered_map<GrammarState, std::shared_ptr<const TokenMask>, GrammarStateHash>;
  std::shared_ptr<const TokenMask> find_mask(const GrammarState& state) const;
  void keep_mask(const GrammarState& state, std::shared_ptr<const TokenMask> mask) const;

  const GrammarRules m_rules;
  const std::shared_ptr<const GrammarVocabulary> m_vocabulary;
  /// The masks of the states asked for last; when there are too many, those that have not been
  /// asked for since the last time are forgotten.
  mutable std::mutex m_mutex;
  mutable Masks m_recent;
  mutable Masks m_older;
};

}  // namespace quire
