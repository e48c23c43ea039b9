#include "engine/chat/prompt_encoder.h"

#include <algorithm>

#include "engine/tokenizer/token_offsets.h"

namespace quire {

namespace {

constexpr int kUnset = -1;

}  // namespace

PromptEncoder::PromptEncoder(const Tokenizer& tokenizer, std::span<const ChatMessage> messages)
    : m_tokenizer(tokenizer),
      m_messages(messages),
      m_num_system(leading_system_messages(messages)),
      m_finder(messages) {
  m_prompt.message_starts.assign(messages.size(), kUnset);
}

void PromptEncoder::add(const PromptSegment& segment) {
  std::vector<ContentFinder::Start> found;
  if (segment.is_input) found = m_finder.find(segment.text);
  if (!m_persona_ended) note_persona(segment, found);
  if (const ChatMessage* message = generated(segment, found)) {
    flush();
    set_start(found.front().message, m_prompt.tokens.size());
    m_prompt.tokens.insert(m_prompt.tokens.end(), message->tokens.begin(), message->tokens.end());
    return;
  }
  for (const auto& [message, offset] : found) m_marks.push_back({message, m_bytes + offset});
  m_runs.push_back({segment.text, segment.is_input});
  m_bytes += segment.text.size();
}

/// The message whose ids can stand for this segment: those that still say the same text.
const ChatMessage* PromptEncoder::generated(const PromptSegment& segment,
                                            std::span<const ContentFinder::Start> found) const {
  if (found.size() != 1) return nullptr;
  const ChatMessage& message = m_messages[found.front().message];
  if (message.tokens.empty() || message.content != segment.text) return nullptr;
  return m_tokenizer.decode(message.tokens) == segment.text ? &message : nullptr;
}

void PromptEncoder::note_persona(const PromptSegment& segment,
                                 std::span<const ContentFinder::Start> found) {
  size_t length = segment.text.size();
  if (segment.is_input) {
    const auto other = std::ranges::find_if(
        found, [this](const auto& start) { return start.message >= m_num_system; });
    m_persona_ended = found.empty() || other != found.end();
    if (m_persona_ended) length = found.empty() ? 0 : other->offset;
  }
  std::string_view text = std::string_view(segment.text).substr(0, length);
  // Where the template joins the two, the space between them may be the other message's.
  if (m_persona_ended) text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  m_persona.push_back({text, segment.is_input});
}

int PromptEncoder::count_persona_tokens() const {
  if (!m_persona_ended) return 0;  // There is nothing but the system prompt.
  const std::vector<TokenId> alone = m_tokenizer.encode_runs(m_persona);
  const auto differs = std::ranges::mismatch(alone, m_prompt.tokens).in1;
  // The last characters may join the first ones of other words than those that stand here.
  const bool open = !alone.empty() && !m_tokenizer.is_special(alone.back());
  return static_cast<int>(std::min(differs - alone.begin(), std::ssize(alone) - (open ? 1 : 0)));
}

void PromptEncoder::set_start(size_t message, size_t token) {
  int& start = m_prompt.message_starts[message];
  if (start == kUnset) start = static_cast<int>(token);
}

void PromptEncoder::flush() {
  const std::vector<TokenId> ids = m_tokenizer.encode_runs(m_runs);
  std::vector<size_t> offsets;
  for (const Mark& mark : m_marks) offsets.push_back(mark.offset);
  const std::vector<size_t> tokens = tokens_at(m_tokenizer, m_runs, ids, offsets);
  for (size_t i = 0; i < m_marks.size(); ++i) {
    set_start(m_marks[i].message, m_prompt.tokens.size() + tokens[i]);
  }
  m_prompt.tokens.insert(m_prompt.tokens.end(), ids.begin(), ids.end());
  m_runs.clear();
  m_marks.clear();
  m_bytes = 0;
}

ChatPrompt PromptEncoder::finish() {
  flush();
  m_prompt.persona_tokens = count_persona_tokens();
  int next = static_cast<int>(m_prompt.tokens.size());
  for (auto start = m_prompt.message_starts.rbegin(); start != m_prompt.message_starts.rend();
       ++start) {
    next = *start = *start == kUnset ? next : std::min(*start, next);
  }
  return std::move(m_prompt);
}

}  // namespace quire
