#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/chat/channel_marks.h"
#include "engine/grammar/grammar.h"

namespace quire {

/// What may follow in an answer that has a grammar. The grammar is that of the answer proper: what
/// a model thinks before is free. A model thinks if its prompt ends within marks of reasoning, if
/// it opens them with its first token, or, where answers have channels, up to the final one. While
/// it thinks it cannot end the answer.
/// Thread: the engine's. It is a value: a copy goes its own way, for guessed tokens.
class AnswerGrammar {
 public:
  /// `prompt`: up to the answer, whose tokens are passed to advance().
  AnswerGrammar(std::shared_ptr<const Grammar> grammar, const Tokenizer& tokenizer,
                std::span<const TokenId> prompt);

  void advance(TokenId token);
  /// The tokens that may be sampled next; null: any, since nothing fits any more.
  std::shared_ptr<const TokenMask> mask() const;
  /// Whether nothing but the end may follow.
  bool is_finished() const { return m_phase == Phase::kAnswers && m_state.is_finished(); }
  /// Whether a token did not fit.
  bool is_broken() const { return m_phase == Phase::kBroken; }

 private:
  enum class Phase {
    kBegins,   ///< The first token may open the reasoning.
    kThinks,   ///< Until its closing mark, or the final channel.
    kAnswers,  ///< The grammar's text.
    kBroken,
  };
  struct Marks {
    TokenId open;
    TokenId close;
  };
  void find_marks(const Tokenizer& tokenizer);
  void read_prompt(std::span<const TokenId> prompt);
  void think(TokenId token);
  const Marks* opened_by(TokenId token) const;

  std::shared_ptr<const Grammar> m_grammar;
  const Tokenizer* m_tokenizer;
  std::vector<Marks> m_marks;  ///< The pairs of the vocabulary.
  ChannelTokens m_channels;
  std::optional<std::string> m_channel_name;  ///< Being read.
  Phase m_phase = Phase::kBegins;
  GrammarState m_state;
};

}  // namespace quire
