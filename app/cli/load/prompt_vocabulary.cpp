#include "app/cli/load/prompt_vocabulary.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/load/answer_reader.h"
#include "app/cli/load/load_run.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kFewestWords = 8;  ///< Prompts of fewer would repeat themselves.

std::string question_of(const TrafficOptions& options, const std::string& text) {
  Json body = {{"model", options.model}};
  if (options.chat) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", text}}});
  } else {
    body["prompt"] = text;
  }
  return body.dump();
}

/// The number of tokens of each text; -1 where the endpoint does not say.
std::vector<int> count_tokens(HttpPosts& posts, const TrafficOptions& options,
                              const std::vector<std::string>& texts) {
  std::vector<std::shared_ptr<WholeResponse>> responses;
  for (const std::string& text : texts) {
    responses.push_back(std::make_shared<WholeResponse>());
    responses.back()->most_bytes = size_t{64} << 10;  // There are as many as there are words.
    posts.send("/tokenize", question_of(options, text), responses.back());
  }
  posts.run();
  std::vector<int> counts;
  for (const auto& response : responses)
    counts.push_back(response->is_ok() ? token_count(response->text) : -1);
  return counts;
}

using CountTokens = std::function<std::vector<int>(const std::vector<std::string>& texts)>;

void fit(const CountTokens& count, TrafficOptions& options) {
  const std::string first = options.words.front();
  const int alone = count({first}).front();
  if (alone < 1) return;
  std::vector<std::string> pairs;
  for (const std::string& word : options.words) pairs.push_back(first + ' ' + word);
  const std::vector<int> counts = count(pairs);
  std::vector<std::string> fitting;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == alone + 1) fitting.push_back(options.words[i]);
  }
  if (fitting.size() < kFewestWords) return;
  // The first word of a prompt may be two tokens, since no space is before it: it counts as one.
  options.words = std::move(fitting);
  options.overhead_tokens = alone - 1;
}

}  // namespace

void fit_vocabulary(HttpPosts& posts, TrafficOptions& options) {
  fit([&](const auto& texts) { return count_tokens(posts, options, texts); }, options);
}

void fit_vocabulary(const Tokenizer& tokenizer, TrafficOptions& options) {
  const auto count = [&](const std::vector<std::string>& texts) {
    std::vector<int> counts;
    for (const std::string& text : texts) {
      counts.push_back(static_cast<int>(tokenizer.encode(text).size()));
    }
    return counts;
  };
  fit(count, options);
}

}  // namespace quire
