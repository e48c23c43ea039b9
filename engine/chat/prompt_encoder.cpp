#include "engine/chat/prompt_encoder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/tokenizer/special_finder.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {

namespace {

constexpr int kUnset = -1;
/// How many texts ahead a run's text is searched for: templates seldom leave out more, and short
/// texts ("I") also occur in the runs of other messages.
constexpr size_t kWindow = 4;
constexpr size_t kMaxMisses = 1000;

/// Whether a template may write the part's text.
bool is_searched(const ContentPart& part) {
  return part.kind != ContentPart::Kind::kImage && part.kind != ContentPart::Kind::kToolCall;
}

/// Of steps alone, because the runs are encoded between two searches, which takes longer.
WorkBudget search_budget(std::span<const ChatMessage> messages) {
  constexpr uint64_t kConstantSteps = 5'000'000;
  constexpr uint64_t kStepsPerByte = 5;
  uint64_t num_bytes = 0;
  for (const ChatMessage& message : messages) {
    for (const ContentPart& part : message.parts) {
      if (is_searched(part)) num_bytes += part.text.size();
    }
  }
  return WorkBudget({.steps = kConstantSteps + kStepsPerByte * num_bytes});
}

/// The first place of `wanted` in `text`, in time that is linear in both (Knuth, Morris and Pratt).
size_t find_linear(std::string_view text, std::string_view wanted) {
  // borders[n]: the length of the longest proper prefix of the first n bytes that also ends them.
  std::vector<size_t> borders(wanted.size() + 1, 0);
  for (size_t i = 1, border = 0; i < wanted.size(); borders[++i] = border) {
    while (border > 0 && wanted[i] != wanted[border]) border = borders[border];
    border += wanted[i] == wanted[border] ? 1 : 0;
  }
  for (size_t i = 0, matched = 0; i < text.size(); ++i) {
    while (matched > 0 && text[i] != wanted[matched]) matched = borders[matched];
    matched += text[i] == wanted[matched] ? 1 : 0;
    if (matched == wanted.size()) return i + 1 - matched;
  }
  return text.npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

/// Maps tokens to positions in their text. Special tokens are found in the text as encode_runs
/// finds them, and each one corrects the position.
class TextWalk {
 public:
  TextWalk(const Tokenizer& tokenizer, std::span<const TextRun> runs) : m_tokenizer(tokenizer) {
    const SpecialFinder finder(tokenizer);
    size_t num_bytes = 0;
    for (const TextRun& run : runs) num_bytes += run.text.size();
    WorkBudget budget = WorkBudget::for_text(num_bytes);
    for (const TextRun& run : runs) {
      if (!run.is_plain) find_specials(run.text, finder, budget);
      m_text += run.text;
    }
  }

  /// Advances past this token and returns the offset after it.
  size_t pass(TokenId id) {
    const bool expected = m_next < m_specials.size() && m_specials[m_next].id == id;
    if (m_tokenizer.is_special(id)) {
      // The token of an unknown character may count as special, but is not in the text.
      if (expected) m_at = m_specials[m_next++].end;
      return m_at;
    }
    std::string_view bytes = m_tokenizer.token_bytes(id);
    const bool at_space = m_at < m_text.size() && m_text[m_at] == ' ';
    // The space that some vocabularies put before the first word.
    if (bytes.starts_with(' ') && !at_space) bytes.remove_prefix(1);
    const size_t limit = m_next < m_specials.size() ? m_specials[m_next].begin : m_text.size();
    m_at = std::max(m_at, std::min(limit, m_at + bytes.size()));
    return m_at;
  }

 private:
  struct Special {
    TokenId id = 0;
    size_t begin = 0;
    size_t end = 0;  ///< With the white space that the token strips.
  };

  void find_specials(std::string_view text, const SpecialFinder& finder, WorkBudget& budget) {
    for (size_t from = 0; from < text.size();) {
      const auto match = finder.find(text, from, budget);
      if (!match) return;
      from = match->end();
      if (m_tokenizer.strips_space_after(match->id)) {
        from = std::min(text.size(), text.find_first_not_of(" \t\n\v\f\r", from));
      }
      m_specials.push_back({match->id, m_text.size() + match->begin, m_text.size() + from});
    }
  }

  const Tokenizer& m_tokenizer;
  std::string m_text;
  std::vector<Special> m_specials;
  size_t m_next = 0;  ///< Of m_specials.
  size_t m_at = 0;
};

/// For each offset (bytes of the runs' joined text, ascending) the token that holds that byte, as
/// an index into `ids`; ids.size() for offsets after the last token. `ids` are encode_runs(runs).
/// Exact where tokens are the bytes of the text. Where a vocabulary normalises text or lacks
/// characters, the error is about as large as these changes between two special tokens.
std::vector<size_t> tokens_at(const Tokenizer& tokenizer, std::span<const TextRun> runs,
                              std::span<const TokenId> ids, std::span<const size_t> offsets) {
  std::vector<size_t> tokens;
  if (offsets.empty()) return tokens;
  TextWalk walk(tokenizer, runs);
  for (size_t i = 0; i < ids.size() && tokens.size() < offsets.size(); ++i) {
    const size_t end = walk.pass(ids[i]);
    while (tokens.size() < offsets.size() && end > offsets[tokens.size()]) tokens.push_back(i);
  }
  tokens.resize(offsets.size(), ids.size());
  return tokens;
}

}  // namespace

MessageFinder::MessageFinder(std::span<const ChatMessage> messages)
    : m_budget(search_budget(messages)) {
  for (size_t i = 0; i < messages.size(); ++i) {
    for (const ContentPart& part : messages[i].parts) {
      if (is_searched(part)) m_texts.push_back({i, part.text});
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
  if (m_budget.is_spent() || trimmed(run).empty() || m_misses > kMaxMisses) return false;
  const size_t count = m_texts.size();
  const size_t near = std::min(count, m_next + kWindow);
  const bool found = find_equal(run, m_next, near, match) || find_within(run, near, match) ||
                     find_equal(run, near, count, match);
  m_misses += found ? 0 : 1;
  return found;
}

bool MessageFinder::find_equal(std::string_view run, size_t first, size_t last, Match& match) {
  const std::string_view wanted = trimmed(run);
  for (size_t i = first; i < last; ++i) {
    const std::string_view text = m_texts[i].text;
    if (text.size() < wanted.size()) continue;
    if (!m_budget.spend(1 + text.size() / kBytesPerStep)) return false;
    if (trimmed(text) != wanted) continue;
    match = {.index = i, .length = run.size()};
    return true;
  }
  return false;
}

bool MessageFinder::find_within(std::string_view run, size_t last, Match& match) {
  const std::string_view wanted = trimmed(run);
  for (size_t i = m_next; i < last; ++i) {
    const std::string_view text = trimmed(m_texts[i].text);
    if (text.empty()) continue;
    if (!m_budget.spend(1 + (text.size() + run.size()) / kBytesPerStep)) return false;
    const bool may_hold = text.size() <= run.size();
    const size_t at = may_hold ? find_linear(run, text) : run.npos;
    if (at != run.npos) {
      match = {.index = i, .offset = at, .length = text.size()};
      return true;
    }
    if (wanted.size() > text.size() || find_linear(text, wanted) == text.npos) continue;
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

/// The message whose sampled ids can replace this segment because they decode to its text.
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
