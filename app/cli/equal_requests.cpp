#include "app/cli/equal_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/base/check.h"

namespace quire {
namespace {

std::vector<Request> make_requests(const EqualRequests& wanted, const Tokenizer& tokenizer,
                                   uint32_t seed) {
  RandomPrompts random(tokenizer, seed);
  const std::vector<TokenId> prefix = random.make(wanted.shared_prefix);
  std::vector<Request> requests(static_cast<size_t>(wanted.parallel));
  for (Request& request : requests) {
    request.prompt = prefix;
    const std::vector<TokenId> own = random.make(wanted.prompt_tokens - wanted.shared_prefix);
    request.prompt.insert(request.prompt.end(), own.begin(), own.end());
    request.sampling.temperature = 0.0f;
    request.sampling.max_tokens = wanted.generate_tokens;
    request.sampling.ignore_eos = true;
  }
  return requests;
}

struct Measure {
  const char* name;
  EqualRequests requests;
  double (BenchRun::*tokens_per_s)() const;
};

constexpr int kPrefix = 256;
constexpr int kGenerated = 64;

/// Parallel chats that share a prefix and differ in one token.
constexpr Measure together(const char* name, int chats) {
  return {name,
          {.prompt_tokens = kPrefix + 1,
           .generate_tokens = kGenerated,
           .parallel = chats,
           .shared_prefix = kPrefix},
          &BenchRun::decode_tokens_per_s};
}

constexpr Measure kMeasures[] = {
    {"prefill_512", {.prompt_tokens = 512, .generate_tokens = 1}, &BenchRun::prefill_tokens_per_s},
    {"decode_1",
     {.prompt_tokens = 128, .generate_tokens = kGenerated},
     &BenchRun::decode_tokens_per_s},
    together("decode_4", 4),
    together("decode_8", 8),
    together("decode_16", 16),
};

}  // namespace

Result<BenchRun> run_equal_requests(Llm& llm, const EqualRequests& requests, uint32_t seed,
                                    ClockMs clock) {
  BenchRun run(static_cast<size_t>(requests.parallel), clock);
  const std::vector<Completion> answers =
      llm.generate(make_requests(requests, *llm.model().chat->tokenizer, seed),
                   [&](size_t index, const RequestEvent& event) {
                     run.record(index, event);
                     // Every request has an event in each step in which all decode, so that one
                     // call of stats(), which is slow, suffices for a step.
                     if (index == 0) run.record_pool(llm.engine().stats());
                     return true;
                   });
  for (const Completion& answer : answers) {
    if (answer.finish == FinishReason::kFailed) {
      return Error{ErrorCode::kInvalidArgument, answer.error};
    }
    if (answer.finish != FinishReason::kLength) {
      return Error{ErrorCode::kInvalidArgument,
                   "An answer ended early, because the KV cache is full; request "
                   "fewer tokens with --prompt-tokens or --generate-tokens."};
    }
  }
  return run;
}

Result<void> warm_up(Llm& llm) {
  const int context = llm.engine().max_context();
  const Result<BenchRun> run =
      run_equal_requests(llm,
                         {.prompt_tokens = std::clamp(context - 4, 1, 16),
                          .generate_tokens = std::clamp(context - 1, 1, 4)},
                         0);
  if (!run) return run.error();
  return {};
}

Result<void> check_context(int64_t tokens, Llm& llm, const std::string& sequence,
                           const std::string& options) {
  const int context = llm.engine().max_context();
  if (tokens <= context) return {};
  return Error{ErrorCode::kContextOverflow, sequence + " needs " + std::to_string(tokens) +
                                                " tokens, and the context holds " +
                                                std::to_string(context) + "; ask for fewer with " +
                                                options + ", or for a larger one with --context."};
}

std::vector<std::string> peer_measures() {
  std::vector<std::string> names;
  for (const Measure& measure : kMeasures) names.emplace_back(measure.name);
  return names;
}

Result<nlohmann::ordered_json> measure_as_peers(Llm& llm, const std::vector<std::string>& names,
                                                int repeat, ClockMs clock) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  uint32_t seed = 1;  // Different for each run: cached blocks would not be computed again.
  for (const std::string& name : names) {
    const auto* measure =
        std::ranges::find_if(kMeasures, [&](const Measure& known) { return name == known.name; });
    CHECK(measure != std::end(kMeasures));
    const EqualRequests& requests = measure->requests;
    const int tokens = requests.prompt_tokens + requests.generate_tokens;
    const auto fits = check_context(tokens, llm, "A measure", "--measures");
    if (!fits) return fits.error();
    std::vector<double> values;
    for (int i = 0; i <= repeat; ++i) {
      Result<BenchRun> run = run_equal_requests(llm, requests, seed++, clock);
      if (!run) return run.error();
      if (i > 0) values.push_back(((*run).*measure->tokens_per_s)());
    }
    figures[name] = values;
  }
  return figures;
}

}  // namespace quire
