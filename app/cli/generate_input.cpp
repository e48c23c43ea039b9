#include "app/cli/generate_input.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "engine/io/json_file.h"
#include "engine/tokenizer/length_check.h"

namespace quire {
namespace {

using InputJson = nlohmann::ordered_json;

constexpr size_t kMaxChats = 100'000;  ///< Of a file: their prompts are all in memory.

/// Prompts of far more tokens than this are refused before all of them is encoded.
size_t prompt_limit(const LoadedModel& model) {
  return static_cast<size_t>(std::max(model.config.max_positions, 0));
}

Result<ChatMessage> parse_message(const InputJson& json) {
  const auto text = [&json](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string();
  };
  if (!text("role") || !text("content")) {
    return Error{ErrorCode::kInvalidArgument,
                 "every message is an object with the strings \"role\" and \"content\""};
  }
  return ChatMessage{json["role"], json["content"], {}};
}

/// The messages of {"messages": [...]}. Errors are parts of a sentence.
Result<std::vector<ChatMessage>> parse_chat(std::string_view line) {
  const Result<InputJson> parsed = parse_input(line, "this", kChatFileLimits);
  if (!parsed) return parsed.error();
  const InputJson& json = *parsed;
  if (!json.is_object() || !json.contains("messages") || !json["messages"].is_array()) {
    return Error{ErrorCode::kInvalidArgument, "this is not an object with a list \"messages\""};
  }
  std::vector<ChatMessage> messages;
  for (const InputJson& entry : json["messages"]) {
    Result<ChatMessage> message = parse_message(entry);
    if (!message) return message.error();
    messages.push_back(std::move(*message));
  }
  if (messages.empty()) return Error{ErrorCode::kInvalidArgument, "\"messages\" is empty"};
  return messages;
}

/// Numbers the different system prompts.
class Personas {
 public:
  int64_t number_of(std::span<const ChatMessage> messages) {
    std::string text;
    for (const ChatMessage& message : messages.first(leading_system_messages(messages))) {
      text += message.text() + '\n';
    }
    if (text.empty()) return 0;
    return m_numbers.try_emplace(text, static_cast<int64_t>(m_numbers.size()) + 1).first->second;
  }

 private:
  std::map<std::string, int64_t> m_numbers;
};

struct ChatLine {
  std::string_view text;
  int number = 0;  ///< From 1.
};

/// The lines that are not blank; beyond kMaxChats only the first one.
std::vector<ChatLine> chat_lines(std::string_view rest) {
  std::vector<ChatLine> lines;
  for (int number = 1; !rest.empty() && lines.size() <= kMaxChats; ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back({line, number});
  }
  return lines;
}

Result<Prompts> read_chats(const std::string& path, const LoadedModel& model) {
  const Result<std::string> content = read_input(path);
  if (!content) {
    const bool is_long = content.error().code == ErrorCode::kUnsupported;
    return Error{
        content.error().code,
        content.error().message + (is_long ? " Answer so many chats with quire-cli batch." : "")};
  }
  const std::string name = path == "-" ? "standard input" : path;
  const std::vector<ChatLine> lines = chat_lines(*content);
  if (lines.size() > kMaxChats) {
    return Error{ErrorCode::kInvalidArgument, name + " has more than " +
                                                  format_count(static_cast<int64_t>(kMaxChats)) +
                                                  " chats; answer so many with quire-cli batch."};
  }
  Prompts prompts;
  Personas personas;
  for (const auto& [line, number] : lines) {
    const auto failed = [&, at = number](const Error& error) {
      return Error{error.code, name + ", line " + std::to_string(at) + ": " + error.message};
    };
    Result<std::vector<ChatMessage>> chat = parse_chat(line);
    if (!chat) return failed({chat.error().code, chat.error().message + "."});
    Result<ChatPrompt> prompt = chat_prompt(*model.chat, *chat, {}, prompt_limit(model));
    if (!prompt) return failed(prompt.error());
    prompts.push_back({std::move(*prompt), personas.number_of(*chat)});
  }
  if (prompts.empty()) return Error{ErrorCode::kInvalidArgument, name + " holds no chats."};
  return prompts;
}

Result<std::string> read_prompt_text(const std::string& prompt) {
  if (prompt != "-") return prompt;
  Result<std::string> text = read_input("-");
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

Prompt plain_prompt(std::vector<TokenId> tokens) {
  Prompt prompt;
  prompt.content.tokens = std::move(tokens);
  return prompt;
}

Result<Prompt> encode_prompt(const GenerateInput& input, const LoadedModel& model) {
  Result<std::string> text = read_prompt_text(*input.prompt);
  if (!text) return text.error();
  if (text->empty()) return Error{ErrorCode::kInvalidArgument, "The prompt is empty."};
  const Tokenizer& tokenizer = *model.chat->tokenizer;
  const size_t limit = prompt_limit(model);
  if (!input.chat) {
    const std::string_view view = *text;
    if (is_far_beyond(tokenizer, {&view, 1}, limit)) return far_beyond_error(limit);
    return plain_prompt(encode_plain(tokenizer, *text));
  }
  std::vector<ChatMessage> messages;
  if (!input.system.empty()) messages.push_back({"system", input.system, {}});
  messages.push_back({"user", *text, {}});
  Result<ChatPrompt> prompt = chat_prompt(*model.chat, messages, {}, limit);
  if (!prompt) return prompt.error();
  return Prompt{std::move(*prompt), input.system.empty() ? 0 : 1};
}

}  // namespace

std::vector<TokenId> encode_plain(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids = tokenizer.encode(text);
  if (tokenizer.adds_bos() && tokenizer.bos_token())
    ids.insert(ids.begin(), *tokenizer.bos_token());
  return ids;
}

Result<Prompts> read_prompts(const GenerateInput& input, const LoadedModel& model) {
  if (input.messages) return read_chats(*input.messages, model);
  if (!input.prompt) return Prompts{plain_prompt(input.tokens)};
  Result<Prompt> prompt = encode_prompt(input, model);
  if (!prompt) return prompt.error();
  Prompts prompts;
  prompts.push_back(std::move(*prompt));
  return prompts;
}

}  // namespace quire
