#include "app/cli/load_bench.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/load/http_posts.h"
#include "app/cli/load/load_run.h"
#include "app/cli/load/prompt_vocabulary.h"
#include "engine/model_loader.h"
#include "platform/terminal.h"

namespace quire {
namespace {

constexpr const char* kGroup = "An endpoint's load (--url)";

/// The key comes from the environment alone: other users see the arguments of programs.
std::string api_key() {
  for (const char* name : {"QUIRE_API_KEY", "OPENAI_API_KEY"}) {
    const char* key = std::getenv(name);
    if (key != nullptr && *key != '\0') return key;
  }
  return {};
}

Result<std::unique_ptr<Tokenizer>> load_tokenizer(const std::string& path) {
  if (path.empty()) return std::unique_ptr<Tokenizer>();
  if (const auto tried = try_model(path); !tried) return tried.error();
  return load_model_tokenizer(path);
}

/// Shows how many requests have ended on one line of the terminal.
class LoadCounter {
 public:
  explicit LoadCounter(size_t total)
      : m_total(total), m_shows(platform::is_terminal(platform::Stream::kError)) {}
  ~LoadCounter() {
    if (m_shows) tell("\n");
  }
  void show(size_t ended) const {
    if (m_shows) std::fprintf(stderr, "\r%zu of %zu requests", ended, m_total);
  }

 private:
  size_t m_total;
  bool m_shows;
};

/// What ends answers; few, since endpoints limit a bias.
std::vector<TokenId> special_ids(const Tokenizer& tokenizer) {
  constexpr size_t kMost = 300;
  std::vector<TokenId> ids;
  for (const std::string& token : tokenizer.special_tokens()) {
    const auto id = tokenizer.special_token(token);
    if (id && ids.size() < kMost) ids.push_back(*id);
  }
  return ids;
}

/// One small request, which does not count: it finds what is wrong with all of them.
Result<void> try_endpoint(HttpPosts& posts, const TrafficOptions& load,
                          const Tokenizer* tokenizer) {
  TrafficOptions one = load;
  one.num_requests = 1;
  one.seed = ~load.seed;
  one.prompt_tokens = std::min(load.prompt_tokens, 16);
  one.shared_prefix = 0;
  one.generate_tokens = 2;
  one.length_spread = 0.0;
  const auto records = run_load(posts, one, plan_load(one, tokenizer));
  if (records.front().is_answered()) return {};
  std::string said = records.front().error;
  if (said.ends_with('.')) said.pop_back();
  return Error{ErrorCode::kIo, "The endpoint does not answer a short request: " + said + "."};
}

}  // namespace

void add_load_options(CLI::App& verb, LoadBenchOptions& options) {
  TrafficOptions& load = options.load;
  auto* url = verb.add_option("--url", options.url,
                              "OpenAI-compatible endpoint to measure instead of a model of one's "
                              "own, such as http://127.0.0.1:8000; --model is then its name there "
                              "(default: the first), and QUIRE_API_KEY or OPENAI_API_KEY its key")
                  ->group(kGroup);
  const auto add = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->needs(url)->group(kGroup);
  };
  const auto flag = [&](const char* name, bool& value, const char* help) {
    return verb.add_flag(name, value, help)->needs(url)->group(kGroup);
  };
  add("--requests", load.num_requests, "Number of requests (default: 100)")
      ->check(CLI::Range(1, 1'000'000));
  add("--rate", load.rate, "Requests per second, at random times (default: all at once)")
      ->check(CLI::Range(1e-3, 1e6));
  add("--concurrency", load.concurrency, "Most requests at once (default: 256)")
      ->check(CLI::Range(1, 8192));
  add("--length-spread", load.length_spread,
      "Log-normal lengths of prompts and answers with this sigma, such as 0.6 (default: all equal)")
      ->check(CLI::Range(0.0, 3.0));
  add("--load-seed", load.seed, "Seed of lengths, prompts and times (default: 0)");
  add("--timeout", options.timeout_s, "Seconds that a request may take (default: 600)")
      ->check(CLI::Range(1, 86400));
  verb.add_option_function<std::string>(
          "--goodput",
          [&options](const std::string& text) {
            auto levels = parse_service_levels(text);
            if (!levels) usage_error("--goodput", levels.error().message);
            options.levels = *levels;
          },
          "Most milliseconds of a good request: ttft:200,tpot:50,e2el:5000")
      ->needs(url)
      ->group(kGroup);
  flag("--chat", load.chat, "Ask /chat/completions instead of /completions");
  flag("--ignore-eos", load.ignores_eos,
       "Ask for answers of the full length: vLLM's ignore_eos, and with --words also a logit_bias "
       "against special tokens");
  flag("--words", options.words,
       "With --tokenizer: prompts are words of one token each, for endpoints that take no ids");
  flag("--no-stream{false}", load.streams, "Ask for whole answers, without TTFT, TPOT and ITL");
}

void check_load_usage(const CLI::App& verb, const LoadBenchOptions& options) {
  for (const char* name : {"--scenario", "--parallel", "--repeat", "--draft", "--threads",
                           "--device", "--context", "--prefix-cache"}) {
    if (verb.count(name) > 0) usage_error(name, "is not for --url");
  }
  if (options.words && options.tokenizer.empty()) usage_error("--words", "needs --tokenizer");
  if (options.load.chat && !options.tokenizer.empty() && !options.words) {
    usage_error("--tokenizer", "cannot be combined with --chat without --words");
  }
}

Result<int> bench_endpoint(const LoadBenchOptions& options, const CommonOptions& common) {
  const auto url = parse_endpoint_url(options.url);
  if (!url) return url.error();
  auto tokenizer = load_tokenizer(options.tokenizer);
  if (!tokenizer) return tokenizer.error();
  auto opened = HttpPosts::open(
      {.url = *url, .api_key = api_key(), .timeout = std::chrono::seconds(options.timeout_s)});
  if (!opened) return opened.error();
  HttpPosts& posts = **opened;
  TrafficOptions load = options.load;
  load.model = common.model;
  if (load.model.empty()) {
    const auto first = ask_first_model(posts);
    if (!first) return first.error();
    load.model = *first;
  }
  if (options.words) {
    fit_vocabulary(**tokenizer, load);
    if (load.ignores_eos) load.forbidden = special_ids(**tokenizer);
    tokenizer->reset();
  }
  if (const auto tried = try_endpoint(posts, load, tokenizer->get()); !tried) return tried.error();
  if (*tokenizer == nullptr && !options.words) fit_vocabulary(posts, load);
  const auto plan = plan_load(load, tokenizer->get());
  std::vector<RequestRecord> records;
  {
    const LoadCounter counter(plan.size());
    records = run_load(posts, load, plan, [&](size_t ended) { counter.show(ended); });
  }
  const auto report = load_report(records, load, options.levels);
  common.json ? write_json(report) : write_out(load_text(report));
  return report["answered"].get<int>() > 0 ? 0 : 1;
}

}  // namespace quire
