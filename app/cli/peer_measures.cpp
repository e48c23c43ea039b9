#include "app/cli/peer_measures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/equal_requests.h"
#include "kernels/base/check.h"

namespace quire {
namespace {

struct Measure {
  const char* name;
  EqualRequests requests;
  double (BenchRun::*tokens_per_s)() const;
};

constexpr int kPrefix = 256;
constexpr int kGenerated = 64;

/// Chats that share a prefix and differ in one token.
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

std::vector<std::string> peer_measures() {
  std::vector<std::string> names;
  for (const Measure& measure : kMeasures) names.emplace_back(measure.name);
  return names;
}

Result<nlohmann::ordered_json> measure_as_peers(Llm& llm, const std::vector<std::string>& names,
                                                int repeat, ClockMs clock) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  uint32_t seed = 1;  // Never the same twice: what was computed before would not be again.
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
