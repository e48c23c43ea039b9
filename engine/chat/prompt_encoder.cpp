#include "engine/chat/prompt_encoder.h"

#include <algorithm>

#include "engine/tokenizer/token_offsets.h"

namespace quire {

namespace {

constexpr int kUnset = -1;
/// A part of a text is searched for in so many texts ahead: a template seldom leaves out more, and
/// a short text ("I") is found in many runs that are not its own.
constexpr size_t kWindow = 4;
constexpr size_t kMaxMisses = 1000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace

MessageFinder::MessageFinder(std::span<const ChatMessage> messages) {
  using Kind = ContentPart::Kind;
  for (size_t i = 0; i < messages.size(); ++i) {
    for (const ContentPart& part : messages[i].parts) {
      if (part.kind == Kind::kImage || part.kind == Kind::kToolCall) continue;
      m_texts.push_back({i, part.text});
    }
  }
}

std::vector<MessageFinder::Start> MessageFinder::find(std::string_view run) {
  std::vector<Start> found;
  size_t from = 0;
  Match match;
  while (from < run.size() && find_next(run.substr(from), match)) {
    found.push_back({m_texts[match.index].message, from + match.offset});
    m_next = match.index + (match.whole ? 1 : 0);
    if (!match.whole) break;
    from += match.offset + match.length;
  }
  return found;
}

bool MessageFinder::find_next(std::string_view run, Match& match) {
  if (trimmed(run).empty() || m_misses > kMaxMisses) return false;
  const size_t count = m_texts.size();
  const size_t near = std::min(count, m_next + kWindow);
  const bool found = find_equal(run, m_next, near, match) || find_within(run, near, match) ||
                     find_equal(run, near, count, match);
  m_misses += found ? 0 : 1;
  return found;
}

bool MessageFinder::find_equal(std::string_view run, size_t first, size_t last,
                               Match& match) const {
  const std::string_view wanted = trimmed(run);
  for (size_t i = first; i < last; ++i) {
    const std::string_view text = m_texts[i].text;
    if (text.size() < wanted.size() || trimmed(text) != wanted) continue;
    match = {.index = i, .length = run.size()};
    return true;
  }
  return false;
}

bool MessageFinder::find_within(std::string_view run, size_t last, Match& match) const {
  const std::string_view wanted = trimmed(run);
  for (size_t i = m_next; i < last; ++i) {
    const std::string_view text = trimmed(m_texts[i].text);
    if (text.empty()) continue;
    if (const size_t at = run.find(text); at != run.npos) {
      match = {.index = i, .offset = at, .length = text.size()};
      return true;
    }
    if (text.find(wanted) == text.npos) continue;
    match = {.index = i, .length = run.size(), .whole = false};
    return true;
  }
  return false;
}

PromptEncoder::PromptEncoder(const Tokenizer& tokenizer, std::span<const ChatMessage> messages)
    : m_tokenizer(tokenizer),
      m_messages(messages),
      m_num_system(leading_system_messages(messages)),
      m_finder(messages) {
  m_prompt.message_starts.assign(messages.size(), kUnset);
}

void PromptEncoder::add(const PromptSegment& segment) {
  std::vector<MessageFinder::Start> found;
  if (segment.is_input) found = m_finder.find(segment.text);
  if (!m_persona_ended) add_persona(segment, found);
  if (const ChatMessage* message = find_sampled(segment, found)) {
    flush();
    set_start(found.front().message, m_prompt.tokens.size());
    m_prompt.tokens.insert(m_prompt.tokens.end(), message->tokens.begin(), message->tokens.end());
    return;
  }
  for (const auto& [message, offset] : found) m_marks.push_back({message, m_bytes + offset});
  m_runs.push_back({segment.text, segment.is_input});
  m_bytes += segment.text.size();
}

/// The message whose sampled ids can replace this segment, because they decode to the same text.
const ChatMessage* PromptEncoder::find_sampled(const PromptSegment& segment,
                                               std::span<const MessageFinder::Start> found) const {
  if (found.size() != 1) return nullptr;
  const ChatMessage& message = m_messages[found.front().message];
  if (message.tokens.empty() || message.text() != segment.text) return nullptr;
  return m_tokenizer.decode(message.tokens) == segment.text ? &message : nullptr;
}

void PromptEncoder::add_persona(const PromptSegment& segment,
                                std::span<const MessageFinder::Start> found) {
  size_t length = segment.text.size();
  if (segment.is_input) {
    const auto other = std::ranges::find_if(
        found, [this](const auto& start) { return start.message >= m_num_system; });
    m_persona_ended = found.empty() || other != found.end();
    if (m_persona_ended) length = found.empty() ? 0 : other->offset;
  }
  std::string_view text = std::string_view(segment.text).substr(0, length);
  // Where the template joins the two, the space between them may belong to the other message.
  if (m_persona_ended) text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  m_persona.push_back({text, segment.is_input});
}

int PromptEncoder::count_persona_tokens() const {
  if (!m_persona_ended) return 0;  // There is nothing but the system prompt.
  const std::vector<TokenId> alone = m_tokenizer.encode_runs(m_persona);
  const auto differs = std::ranges::mismatch(alone, m_prompt.tokens).in1;
  // In another chat, the last characters may form a token with the text that follows.
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
