#include "app/cli/speculation_texts.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string_view>

#include "app/cli/cli_output.h"
#include "app/cli/generate_input.h"
#include "engine/speculation/ngram_index.h"

namespace quire {
namespace {

/// Tokens of an answer, at least.
constexpr size_t kLeastAnswer = 64;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

/// Splits a text after each `end`, which the parts keep.
std::vector<std::string> split(const std::string& text, std::string_view end) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t found = text.find(end, at);
    const size_t next = found == std::string::npos ? text.size() : found + end.size();
    parts.push_back(text.substr(at, next - at));
    at = next;
  }
  return parts;
}

/// A source file with two names changed, as if that had been asked for.
std::string edited(const std::string& code) {
  return replaced(replaced(code, "m_tokens", "m_text"), "length", "count");
}

/// Every other paragraph of a document, each with a sentence before it that is not from there.
std::string quoted(const std::string& document) {
  const auto paragraphs = split(document, "\n\n");
  std::string text;
  for (size_t i = 1; i < paragraphs.size(); i += 2) {
    text +=
        "Number " + std::to_string(i) + " is about something else, and says:\n\n" + paragraphs[i];
  }
  return text;
}

std::string without_every_fifth(const std::string& text) {
  const auto sentences = split(text, ". ");
  std::string rest;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (i % 5 != 2) rest += sentences[i];
  }
  return rest;
}

/// A training text with its marks replaced by names of speakers.
std::string as_talk(std::string text) {
  for (const auto& [mark, name] : {std::pair("<|system|>", "\n"), std::pair("<|user|>", "\nUser: "),
                                   std::pair("<|assistant|>", "\nAnswer: "),
                                   std::pair("<|end|>", ""), std::pair("\\n", "\n")}) {
    text = replaced(std::move(text), mark, name);
  }
  return text;
}

/// `count` tokens that never follow an n-gram as they did last time (speculation_text_names()).
std::vector<TokenId> adversarial(int count) {
  constexpr TokenId kFirst = 300, kNumTokens = 12;
  std::mt19937 random(1);
  std::vector<TokenId> text;
  NGramIndex index;
  while (std::ssize(text) < count) {
    auto token = kFirst + static_cast<TokenId>(random() % kNumTokens);
    const auto promised = index.following(index.find_end(), 1);
    if (!promised.empty() && promised[0] == token) token = kFirst + kNumTokens;
    text.push_back(token);
    index.append(std::span(&text.back(), 1));
  }
  return text;
}

struct Source {
  const char* name;
  const char* prompt;  ///< A file of the sources.
  const char* answer;  ///< Another one, or the same.
  std::function<std::string(const std::string&)> said =
      {};  ///< Makes the answer from its file; null: the file as it is.
};

const Source kSources[] = {
    {"code", "engine/speculation/ngram_index.cpp", "engine/speculation/ngram_index.cpp", edited},
    {"quoting", "docs/caches.md", "docs/caches.md", quoted},
    {"prose", "docs/export.md", "docs/security.md"},
    {"talk", "docs/export.md", "resources/models/training/held_out.txt", as_talk},
    {"again", "docs/export.md", "docs/security.md", without_every_fifth}};

/// The content of a file of the sources.
Result<std::string> read_source(const std::string& folder, const char* name) {
  auto text = read_input(folder + "/" + name);
  if (text) return text;
  return Error{text.error().code, text.error().message +
                                      " The texts are files of Quire's sources; name their folder "
                                      "with --sources."};
}

constexpr const char* kStories[] = {
    "Tell me a story about a fox and a hen.", "Tell me a story about a boat on a lake.",
    "Tell me a story about a queen and her garden.", "Tell me a story about a boy and his dog."};
constexpr const char* kTalk[] = {"How are you today?", "What is the capital of France?",
                                 "Write a list of five fruits, and then the same list again.",
                                 "What can you do for me?"};

/// The beginning of a text, with more than `tokens` tokens if it is long enough: a token has at
/// most about eight bytes.
std::string beginning(std::string text, int tokens) {
  const size_t most = static_cast<size_t>(tokens) * 8;
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace

const std::vector<std::string>& speculation_text_names() {
  static const std::vector<std::string> names = {"code", "quoting", "prose",
                                                 "talk", "again",   "adversarial"};
  return names;
}

const std::vector<std::string>& own_text_names() {
  static const std::vector<std::string> names = {"prose", "talk"};
  return names;
}

std::span<const char* const> own_questions(const std::string& name) {
  if (name == "prose") return kStories;
  return kTalk;
}

Result<SpeculationText> read_speculation_text(const std::string& name, const std::string& folder,
                                              const Tokenizer& tokenizer, int prompt_tokens) {
  const auto source = std::ranges::find(kSources, name, &Source::name);
  if (source == std::end(kSources)) {
    SpeculationText text{.prompt = adversarial(prompt_tokens), .answer = {}, .before = {}};
    const auto all = adversarial(prompt_tokens + 4000);
    text.answer.assign(all.begin() + prompt_tokens, all.end());
    return text;
  }
  const auto prompt = read_source(folder, source->prompt);
  if (!prompt) return prompt.error();
  const auto file = read_source(folder, source->answer);
  if (!file) return file.error();
  SpeculationText text;
  text.prompt = encode_plain(tokenizer, beginning(*prompt, prompt_tokens));
  text.prompt.resize(std::min(text.prompt.size(), static_cast<size_t>(prompt_tokens)));
  const std::string answer = beginning(*file, name == "quoting" ? prompt_tokens / 4 : 4000);
  text.answer = tokenizer.encode(source->said ? source->said(answer) : answer);
  if (name == "again") text.before = tokenizer.encode(answer);
  if (text.answer.size() >= kLeastAnswer) return text;
  return Error{ErrorCode::kInvalidArgument, folder + "/" + source->answer +
                                                " is too short for this measurement; choose the "
                                                "folder of Quire's sources with --sources."};
}

}  // namespace quire
