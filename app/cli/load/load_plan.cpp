#include "app/cli/load/load_plan.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <span>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWords[] = {
    "time",     "year",    "people",   "way",    "day",        "man",    "thing",   "woman",
    "life",     "child",   "world",    "school", "state",      "family", "student", "group",
    "country",  "problem", "hand",     "part",   "place",      "case",   "week",    "company",
    "system",   "program", "question", "work",   "government", "number", "night",   "point",
    "home",     "water",   "room",     "mother", "area",       "money",  "story",   "fact",
    "month",    "lot",     "right",    "study",  "book",       "eye",    "job",     "word",
    "business", "issue",   "side",     "kind",   "head",       "house",  "service", "friend",
    "father",   "power",   "hour",     "game"};

/// Not std distributions, because their results differ between standard libraries.
class Dice {
 public:
  explicit Dice(uint64_t seed) : m_random(seed) {}

  /// In (0, 1].
  double uniform() { return (static_cast<double>(m_random() >> 11) + 1.0) * 0x1p-53; }
  uint64_t below(uint64_t count) { return m_random() % count; }
  double exponential(double rate) { return -std::log(uniform()) / rate; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// A length with that mean, at most 16 times as long.
  int length(int mean, double sigma) {
    if (sigma <= 0.0) return mean;
    const double mu = std::log(static_cast<double>(mean)) - sigma * sigma / 2.0;
    const double value = std::exp(mu + sigma * normal());
    return static_cast<int>(std::clamp(std::round(value), 1.0, 16.0 * mean));
  }

 private:
  std::mt19937_64 m_random;
};

class Prompts {
 public:
  Prompts(const TrafficOptions& options, const Tokenizer* tokenizer, Dice& dice)
      : m_options(options), m_tokenizer(tokenizer), m_dice(&dice) {
    append(m_prefix, options.shared_prefix - overhead());
  }

  /// A prompt of so many tokens, the shared ones first; at least one of its own.
  Json make(int tokens) {
    Part part = m_prefix;
    append(part, std::max(tokens - overhead() - part.size(), 1));
    return m_tokenizer != nullptr ? Json(part.ids) : Json(part.text);
  }

 private:
  struct Part {
    std::vector<TokenId> ids;
    std::string text;
    int num_words = 0;
    int size() const { return num_words + static_cast<int>(ids.size()); }
  };

  void append(Part& part, int count) {
    for (int i = 0; i < count; ++i) {
      if (m_tokenizer != nullptr) {
        part.ids.push_back(token());
        continue;
      }
      if (part.num_words++ > 0) part.text += ' ';
      part.text += m_options.words[m_dice->below(m_options.words.size())];
    }
  }

  TokenId token() {
    const auto size = static_cast<uint64_t>(m_tokenizer->vocab_size());
    auto id = static_cast<TokenId>(m_dice->below(size));
    while (m_tokenizer->is_special(id)) id = static_cast<TokenId>(m_dice->below(size));
    return id;
  }

  int overhead() const { return m_tokenizer != nullptr ? 0 : m_options.overhead_tokens; }

  const TrafficOptions& m_options;
  const Tokenizer* m_tokenizer;
  Dice* m_dice;
  Part m_prefix;
};

std::string body_of(const TrafficOptions& options, Json prompt, int max_tokens) {
  Json body = {{"model", options.model}};
  if (options.chat) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", std::move(prompt)}}});
  } else {
    body["prompt"] = std::move(prompt);
  }
  body["max_tokens"] = max_tokens;
  body["temperature"] = 0;
  if (options.ignores_eos) body["ignore_eos"] = true;
  for (const TokenId id : options.forbidden) body["logit_bias"][std::to_string(id)] = -100;
  if (options.streams) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> common_words() {
  return {std::begin(kWords), std::end(kWords)};
}

std::vector<PlannedRequest> plan_load(const TrafficOptions& options, const Tokenizer* tokenizer) {
  Dice dice(options.seed);
  Prompts prompts(options, tokenizer, dice);
  std::vector<PlannedRequest> plan;
  double at_s = 0.0;
  for (int i = 0; i < options.num_requests; ++i) {
    PlannedRequest& request = plan.emplace_back();
    request.at_s = at_s;
    request.prompt_tokens = std::max(dice.length(options.prompt_tokens, options.length_spread),
                                     options.shared_prefix + 1);
    request.max_tokens = dice.length(options.generate_tokens, options.length_spread);
    request.body = body_of(options, prompts.make(request.prompt_tokens), request.max_tokens);
    if (options.rate > 0.0) at_s += dice.exponential(options.rate);
  }
  return plan;
}

}  // namespace quire
