#include "engine/chat/context_window.h"

#include <algorithm>
#include <string>

namespace quire {

namespace {

/// The estimate may be wrong where a template renders the last turns differently. After this number
/// of cuts that were too small only the last turn is kept.
constexpr int kMaxTries = 3;
constexpr int kMaxReserve = 1024;

/// The positions of a chat's turns, and how it may be cut.
struct Layout {
  std::vector<size_t> first_messages;  ///< Of each turn but the first.
  std::vector<int> turn_ends;          ///< Of each turn but the last; see turns_to_drop.
  int reserve = 0;                     ///< Tokens kept free for the answer.
  int stride = 1;
};

Layout layout_of(std::span<const ChatMessage> messages, const ChatPrompt& prompt, int max_context) {
  Layout layout;
  const size_t first = leading_system_messages(messages);
  const int fixed = first < messages.size() ? prompt.message_starts[first] : 0;
  for (size_t i = first + 1; i < messages.size(); ++i) {
    if (messages[i].role != "user") continue;
    layout.first_messages.push_back(i);
    layout.turn_ends.push_back(prompt.message_starts[i] - fixed);
  }
  // With a long system prompt, the rest is shared by history and answer.
  const int free = std::max(0, max_context - fixed);
  layout.reserve = std::min({kMaxReserve, max_context / 4, free / 2});
  layout.stride = std::max(1, (free - layout.reserve) / 2);
  return layout;
}

/// The chat without its messages from the system prompt's end up to `first_kept`.
std::vector<ChatMessage> without_oldest(std::span<const ChatMessage> messages, size_t first_kept) {
  const auto system = messages.first(leading_system_messages(messages));
  std::vector<ChatMessage> kept(system.begin(), system.end());
  const auto rest = messages.subspan(first_kept);
  kept.insert(kept.end(), rest.begin(), rest.end());
  return kept;
}

int num_tokens(const ChatPrompt& prompt) {
  return static_cast<int>(prompt.tokens.size());
}

}  // namespace

size_t turns_to_drop(std::span<const int> turn_ends, int excess, int stride) {
  if (excess <= 0) return 0;
  const auto enough = std::ranges::lower_bound(turn_ends, excess);
  if (enough == turn_ends.end()) return turn_ends.size();
  const int64_t strides = (int64_t{*enough} + stride - 1) / stride;
  const auto kept = std::ranges::upper_bound(turn_ends, strides * stride);
  return static_cast<size_t>(kept - turn_ends.begin());
}

Result<FittedChat> fit_chat(const ChatFormat& format, std::span<const ChatMessage> messages,
                            int max_context, const PromptOptions& options) {
  auto prompt = chat_prompt(format, messages, options);
  if (!prompt) return prompt.error();
  const Layout layout = layout_of(messages, *prompt, max_context);
  const size_t all = layout.turn_ends.size();
  const size_t num_system = leading_system_messages(messages);
  int excess = num_tokens(*prompt) + layout.reserve - max_context;
  size_t first_kept = num_system;
  for (int tries = 0; excess > 0 && all > 0; ++tries) {
    const size_t dropped =
        tries < kMaxTries ? turns_to_drop(layout.turn_ends, excess, layout.stride) : all;
    first_kept = layout.first_messages[dropped - 1];
    prompt = chat_prompt(format, without_oldest(messages, first_kept), options);
    if (!prompt) return prompt.error();
    const int over = num_tokens(*prompt) + layout.reserve - max_context;
    if (over <= 0 || dropped == all) break;
    excess = layout.turn_ends[dropped - 1] + over;
  }
  const bool fits = num_tokens(*prompt) < max_context;
  return FittedChat{.prompt = std::move(*prompt),
                    .dropped_messages = static_cast<int>(first_kept - num_system),
                    .fits = fits};
}

Error overflow_error(const FittedChat& chat, int max_context) {
  const int tokens = num_tokens(chat.prompt);
  const int message = tokens - chat.prompt.message_starts.back();
  const int system = chat.prompt.persona_tokens;
  // Before a lone message there is only the template's own text, which cannot be shortened.
  const bool blames_system = chat.prompt.message_starts.size() > 1 && system > message;
  static constexpr ErrorFormat kFormats[2][2] = {
      {"The prompt has %1 tokens, %2 of them the last message's, and the context holds "
       "%3; shorten the message, or choose a model that reads more at once.",
       "The prompt has %1 tokens, %2 of them the system prompt's, and the context "
       "holds %3; the system prompt is too long: shorten it, or choose a model that "
       "reads more at once."},
      {"Even without the earlier messages the prompt has %1 tokens, %2 of them the "
       "last message's, and the context holds %3; shorten the message, or choose a "
       "model that reads more at once.",
       "Even without the earlier messages the prompt has %1 tokens, %2 of them the "
       "system prompt's, and the context holds %3; the system prompt is too long: "
       "shorten it, or choose a model that reads more at once."}};
  return make_error(ErrorCode::kContextOverflow, kFormats[chat.dropped_messages > 0][blames_system],
                    {std::to_string(tokens), std::to_string(blames_system ? system : message),
                     std::to_string(max_context)});
}

}  // namespace quire
