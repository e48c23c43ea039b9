#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/bench_report.h"
#include "app/cli/bench_text.h"
#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/parallel_chats.h"
#include "app/cli/verbs.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  int prompt_tokens = 512;
  int generate_tokens = 128;
  int parallel = 0;  ///< 0: not given.
  int shared_prefix = 0;
  int repeat = 3;
  std::string scenario;  ///< Empty: equal requests, all at once.
  ParallelChatsOptions chats;
};

constexpr int kScenarioChats = 8;
constexpr const char* kExamples =
    "  quire-cli bench --prompt-tokens 512 --generate-tokens 128\n"
    "  quire-cli bench --parallel 16 --shared-prefix 256 --prompt-tokens 288 --json\n"
    "  quire-cli bench --scenario parallel-chats --parallel 8 --persona-tokens 1000 --turns 3";

std::vector<Request> make_requests(const BenchOptions& options, const Tokenizer& tokenizer,
                                   uint32_t seed) {
  RandomPrompts random(tokenizer, seed);  // They begin alike for `shared_prefix` tokens.
  const std::vector<TokenId> prefix = random.make(options.shared_prefix);
  std::vector<Request> requests(static_cast<size_t>(options.parallel));
  for (Request& request : requests) {
    request.prompt = prefix;
    const std::vector<TokenId> own = random.make(options.prompt_tokens - options.shared_prefix);
    request.prompt.insert(request.prompt.end(), own.begin(), own.end());
    request.sampling.temperature = 0.0f;
    request.sampling.max_tokens = options.generate_tokens;
    request.sampling.ignore_eos = true;
  }
  return requests;
}

Result<BenchRun> run_once(Llm& llm, std::vector<Request> requests) {
  BenchRun run(requests.size());
  const std::vector<Completion> answers =
      llm.generate(std::move(requests), [&](size_t index, const RequestEvent& event) {
        run.record(index, event);
        // Every request has an event in each step in which all decode; stats cost more than that.
        if (index == 0) run.record_pool(llm.engine().stats());
        return true;
      });
  for (const Completion& answer : answers) {
    if (answer.finish == FinishReason::kFailed) {
      return Error{ErrorCode::kInvalidArgument, answer.error};
    }
    if (answer.finish != FinishReason::kLength) {
      return Error{ErrorCode::kInvalidArgument,
                   "An answer ended early, because the memory for keys and values is full; ask for "
                   "fewer tokens with --prompt-tokens or --generate-tokens."};
    }
  }
  return run;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Json report(const std::vector<BenchRun>& runs, const BenchOptions& options, Llm& llm) {
  std::vector<double> prefill, decode, ttft, itl, waste_mean;
  double waste_max = 0.0;
  bool measured_waste = false;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const BenchRun& run : runs) {
    prefill.push_back(run.prefill_tokens_per_s());
    decode.push_back(run.decode_tokens_per_s());
    append(ttft, run.ttft_ms());
    append(itl, run.itl_ms());
    measured_waste = measured_waste || run.has_kv_waste();
    waste_mean.push_back(run.kv_waste_mean());
    waste_max = std::max(waste_max, run.kv_waste_max());
  }
  const DeviceInfo device = llm.backend().info();
  return {{"model", llm.model().config.name},
          {"device", device.name},
          {"device_description", device.description},
          {"prompt_tokens", options.prompt_tokens},
          {"generate_tokens", options.generate_tokens},
          {"parallel", options.parallel},
          {"shared_prefix", options.shared_prefix},
          {"repeat", options.repeat},
          {"prefill_tokens_per_s", median(prefill)},
          {"decode_tokens_per_s", itl.empty() ? Json() : Json(median(decode))},
          {"ttft_ms", percentiles(ttft)},
          {"itl_ms", percentiles(itl)},
          {"kv_waste", measured_waste ? Json(waste_max) : Json()},
          {"kv_waste_mean", measured_waste ? Json(median(waste_mean)) : Json()},
          {"prefill_runs", prefill},
          {"decode_runs", decode}};
}

/// That a sequence of so many tokens fits. `options` are those that would ask for less of a
/// `sequence`.
Result<void> check_context(int64_t tokens, Llm& llm, const std::string& sequence,
                           const std::string& options) {
  const int context = llm.engine().max_context();
  if (tokens <= context) return {};
  return Error{ErrorCode::kContextOverflow, sequence + " needs " + std::to_string(tokens) +
                                                " tokens, and the context holds " +
                                                std::to_string(context) + "; ask for fewer with " +
                                                options + ", or for a larger one with --context."};
}

/// One small run first, so that memory is touched and threads are awake.
Result<void> warm_up(Llm& llm) {
  const int context = llm.engine().max_context();
  const BenchOptions small{.prompt_tokens = std::clamp(context - 4, 1, 16),
                           .generate_tokens = std::clamp(context - 1, 1, 4),
                           .parallel = 1};
  const Result<BenchRun> run = run_once(llm, make_requests(small, *llm.model().tokenizer, 0));
  if (!run) return run.error();
  return {};
}

Result<int> bench_chats(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, options.parallel);
  if (!llm) return llm.error();
  ParallelChatsOptions chats = options.chats;
  chats.num_chats = options.parallel;
  const auto fits = check_context(tokens_of_a_chat(chats), *llm, "A chat",
                                  "--persona-tokens, --turns, --user-tokens or --generate-tokens");
  if (!fits) return fits.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  ParallelChats play(*llm, chats);
  if (auto played = play.play(); !played) return played.error();
  const DeviceInfo device = llm->backend().info();
  Json json = {{"scenario", options.scenario},
               {"model", llm->model().config.name},
               {"device", device.name},
               {"device_description", device.description}};
  json.update(play.report());
  common.json ? write_json(json) : write_out(chats_text(json));
  return 0;
}

Result<int> bench(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, options.parallel);
  if (!llm) return llm.error();
  const int tokens = options.prompt_tokens + options.generate_tokens;
  const auto fits = check_context(tokens, *llm, "A prompt with its answer",
                                  "--prompt-tokens or --generate-tokens");
  if (!fits) return fits.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  std::vector<BenchRun> runs;
  for (int i = 0; i < options.repeat; ++i) {
    // Other prompts each time, so that no run finds the last one's blocks.
    Result<BenchRun> run = run_once(
        *llm, make_requests(options, *llm->model().tokenizer, static_cast<uint32_t>(i) + 1));
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  const Json json = report(runs, options, *llm);
  common.json ? write_json(json) : write_out(bench_text(json));
  return 0;
}

}  // namespace

void add_bench(Cli& cli) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb =
      add_verb(cli, "bench", "Measure prefill and decode on random prompts", kExamples);
  const auto add = [verb](const char* name, int& value, int least, const char* help) {
    verb->add_option(name, value, help)->check(CLI::Range(least, 1 << 20));
  };
  add("--prompt-tokens", options->prompt_tokens, 1, "Tokens of each prompt");
  add("--generate-tokens", options->generate_tokens, 1, "Tokens of each answer");
  add("--parallel", options->parallel, 1, "Chats at once; 1 if not given, in a scenario 8");
  add("--shared-prefix", options->shared_prefix, 0, "Tokens with which all prompts begin alike");
  add("--repeat", options->repeat, 1, "Runs, of which the median counts");
  verb->add_option("--scenario", options->scenario,
                   "Instead, play parallel-chats: --parallel readers under one persona")
      ->check(CLI::IsMember({"parallel-chats"}));
  ParallelChatsOptions& chats = options->chats;
  add("--persona-tokens", chats.persona_tokens, 1, "Scenario: tokens of the shared persona");
  add("--turns", chats.turns, 1, "Scenario: messages of each reader");
  add("--user-tokens", chats.user_tokens, 1, "Scenario: tokens of each message");
  verb->add_option("--think-ms", chats.think_ms, "Scenario: a reader's mean pause in milliseconds")
      ->transform(whole_number(0, 600000));
  verb->callback([&cli, options] {
    if (options->parallel == 0) options->parallel = options->scenario.empty() ? 1 : kScenarioChats;
    options->chats.generate_tokens = options->generate_tokens;
    if (!options->scenario.empty()) {
      cli.action = [&cli, options] { return bench_chats(*options, cli.common); };
      return;
    }
    if (options->shared_prefix > options->prompt_tokens) {
      usage_error("--shared-prefix", "is longer than --prompt-tokens");
    }
    cli.action = [&cli, options] { return bench(*options, cli.common); };
  });
}

}  // namespace quire
