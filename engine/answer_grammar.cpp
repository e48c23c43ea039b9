#include "engine/answer_grammar.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// With which models mark their reasoning; only those that are tokens count.
constexpr std::pair<std::string_view, std::string_view> kReasoningMarks[] = {
    {"<think>", "</think>"},
    {"<thinking>", "</thinking>"},
    {"<thought>", "</thought>"},
    {"<reasoning>", "</reasoning>"},
    {"[THINK]", "[/THINK]"},
    {"<seed:think>", "</seed:think>"},
    {"<|START_THINKING|>", "<|END_THINKING|>"},
    {"<|begin_of_thought|>", "<|end_of_thought|>"},
    {"<|channel>", "<channel|>"},
};

/// Templates open or close the reasoning with the last few tokens of a prompt.
constexpr size_t kPromptEnd = 8;
/// Of a channel's name and what may stand beside it.
constexpr size_t kMaxName = 256;

}  // namespace

AnswerGrammar::AnswerGrammar(std::shared_ptr<const Grammar> grammar, const Tokenizer& tokenizer,
                             std::span<const TokenId> prompt)
    : m_grammar(std::move(grammar)), m_tokenizer(&tokenizer), m_state(m_grammar->start()) {
  find_marks(tokenizer);
  read_prompt(prompt);
}

void AnswerGrammar::find_marks(const Tokenizer& tokenizer) {
  for (const auto& [open, close] : kReasoningMarks) {
    const auto opening = tokenizer.special_token(open);
    const auto closing = tokenizer.special_token(close);
    if (opening && closing) m_marks.push_back({*opening, *closing});
  }
  m_channels = channel_tokens(tokenizer);
}

void AnswerGrammar::read_prompt(std::span<const TokenId> prompt) {
  if (m_grammar->covers_reasoning()) {
    m_phase = Phase::kAnswers;
    return;
  }
  if (m_channels.channel) {
    m_phase = Phase::kThinks;
    return;
  }
  const auto end = prompt.last(std::min(kPromptEnd, prompt.size()));
  for (const TokenId token : end) {
    if (opened_by(token) != nullptr) m_phase = Phase::kThinks;
    const auto closes = [&](const Marks& marks) { return marks.close == token; };
    if (std::ranges::any_of(m_marks, closes)) m_phase = Phase::kAnswers;
  }
}

const AnswerGrammar::Marks* AnswerGrammar::opened_by(TokenId token) const {
  const auto marks = std::ranges::find(m_marks, token, &Marks::open);
  return marks == m_marks.end() ? nullptr : &*marks;
}

void AnswerGrammar::advance(TokenId token) {
  if (m_phase == Phase::kThinks) return think(token);
  if (m_phase == Phase::kBegins && opened_by(token) != nullptr) {
    m_phase = Phase::kThinks;
    return;
  }
  if (m_phase == Phase::kBroken) return;
  m_state = m_grammar->next(m_state, token);
  m_phase = m_state.is_broken() ? Phase::kBroken : Phase::kAnswers;
}

void AnswerGrammar::think(TokenId token) {
  const auto closes = [&](const Marks& marks) { return marks.close == token; };
  if (std::ranges::any_of(m_marks, closes)) m_phase = Phase::kAnswers;
  if (!m_channels.channel) return;
  if (token == m_channels.channel) {
    m_channel_name.emplace();
  } else if (token == m_channels.message) {
    if (m_channel_name && m_channel_name->starts_with("final")) m_phase = Phase::kAnswers;
    m_channel_name.reset();
  } else if (m_channel_name && m_channel_name->size() < kMaxName) {
    *m_channel_name += m_tokenizer->token_bytes(token);
  }
}

std::shared_ptr<const TokenMask> AnswerGrammar::mask() const {
  if (m_phase == Phase::kBroken) return nullptr;
  if (m_phase == Phase::kThinks) return m_grammar->vocabulary().all_but_end_tokens();
  auto mask = m_grammar->mask(m_state);
  if (m_phase == Phase::kBegins && !m_marks.empty()) {
    auto with_marks = std::make_shared<TokenMask>(*mask);
    for (const Marks& marks : m_marks) {
      if (marks.open < m_grammar->vocabulary().vocab_size()) add_token(*with_marks, marks.open);
    }
    return with_marks;
  }
  return is_empty(*mask) ? nullptr : mask;
}

}  // namespace quire
