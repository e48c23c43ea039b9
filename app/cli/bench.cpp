#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/bench_report.h"
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
  int parallel = 1;
  int shared_prefix = 0;
  int repeat = 3;
  std::string scenario;  ///< Empty: equal requests, all at once.
  ParallelChatsOptions chats;
};

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
                   "Prompt and answer together do not fit the context of " +
                       std::to_string(llm.engine().max_context()) +
                       " tokens; ask for fewer with --prompt-tokens or --generate-tokens."};
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
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const BenchRun& run : runs) {
    prefill.push_back(run.prefill_tokens_per_s());
    decode.push_back(run.decode_tokens_per_s());
    append(ttft, run.ttft_ms());
    append(itl, run.itl_ms());
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
          {"decode_tokens_per_s", median(decode)},
          {"ttft_ms", percentiles(ttft)},
          {"itl_ms", percentiles(itl)},
          {"kv_waste", waste_max},
          {"kv_waste_mean", median(waste_mean)},
          {"prefill_runs", prefill},
          {"decode_runs", decode}};
}

void print_report(const Json& json) {
  const auto number = [&](const char* key) { return json[key].get<double>(); };
  const auto pair = [&](const char* key, const char* rank) {
    return json[key][rank].get<double>();
  };
  char text[700];
  std::snprintf(text, sizeof text,
                "%s on %s\n%d chat(s), prompts of %d tokens (%d shared), %d generated, %d runs\n"
                "prefill  %10.1f tokens/s\n"
                "decode   %10.1f tokens/s, all chats together\n"
                "ttft     %10.2f ms p50 %10.2f ms p99\n"
                "itl      %10.2f ms p50 %10.2f ms p99\n"
                "kv waste %10.2f %% at most, %.2f %% on average\n",
                json["model"].get<std::string>().c_str(),
                json["device_description"].get<std::string>().c_str(), json["parallel"].get<int>(),
                json["prompt_tokens"].get<int>(), json["shared_prefix"].get<int>(),
                json["generate_tokens"].get<int>(), json["repeat"].get<int>(),
                number("prefill_tokens_per_s"), number("decode_tokens_per_s"),
                pair("ttft_ms", "p50"), pair("ttft_ms", "p99"), pair("itl_ms", "p50"),
                pair("itl_ms", "p99"), 100 * number("kv_waste"), 100 * number("kv_waste_mean"));
  write_out(text);
}

void print_chats(const Json& json) {
  const auto number = [&](const char* key) { return json[key].get<double>(); };
  const auto pair = [&](const char* key, const char* rank) {
    return json[key][rank].get<double>();
  };
  char text[1400];
  std::snprintf(
      text, sizeof text,
      "%s on %s\n%d chats under a persona of %d tokens, %d turns each\n"
      "ttft, first chat     %10.2f ms (%d tokens read from disk)\n"
      "ttft, other chats    %10.2f ms p50 %10.2f ms p99: 1/%.0f of the first\n"
      "ttft, later turns    %10.2f ms p50 %10.2f ms p99\n"
      "itl                  %10.2f ms p50 %10.2f ms p99\n"
      "throughput           %10.1f tokens/s, %.1f while there was work\n"
      "prompts              %.1f %% from memory, %.1f %% from disk, %d of %d tokens computed\n"
      "kv                   %10.1f MB at most; %.1f MB without sharing\n"
      "kv waste             %10.2f %% at most, %.2f %% on average\n"
      "preemptions          %10d\n",
      json["model"].get<std::string>().c_str(),
      json["device_description"].get<std::string>().c_str(), json["chats"].get<int>(),
      json["persona_tokens"].get<int>(), json["turns"].get<int>(), number("ttft_first_ms"),
      json["ttft_first_disk_tokens"].get<int>(), pair("ttft_others_ms", "p50"),
      pair("ttft_others_ms", "p99"),
      number("ttft_first_ms") / std::max(1e-9, pair("ttft_others_ms", "p50")),
      pair("ttft_later_turns_ms", "p50"), pair("ttft_later_turns_ms", "p99"), pair("itl_ms", "p50"),
      pair("itl_ms", "p99"), number("tokens_per_s"), number("busy_tokens_per_s"),
      100 * number("memory_hit_rate"), 100 * number("disk_hit_rate"),
      json["computed_prompt_tokens"].get<int>(), json["prompt_tokens"].get<int>(),
      number("kv_megabytes"), number("kv_megabytes_unshared"), 100 * number("kv_waste"),
      100 * number("kv_waste_mean"), json["preemptions"].get<int>());
  write_out(text);
}

/// One small run first, so that memory is touched and threads are awake.
Result<void> warm_up(Llm& llm) {
  const BenchOptions small{.prompt_tokens = 16, .generate_tokens = 4, .parallel = 1};
  const Result<BenchRun> run = run_once(llm, make_requests(small, *llm.model().tokenizer, 0));
  if (!run) return run.error();
  return {};
}

Result<int> bench_chats(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, options.parallel);
  if (!llm) return llm.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  ParallelChatsOptions chats = options.chats;
  chats.num_chats = options.parallel;
  ParallelChats play(*llm, chats);
  if (auto played = play.play(); !played) return played.error();
  const DeviceInfo device = llm->backend().info();
  Json json = {{"scenario", options.scenario},
               {"model", llm->model().config.name},
               {"device", device.name},
               {"device_description", device.description}};
  json.update(play.report());
  common.json ? write_json(json) : print_chats(json);
  return 0;
}

Result<int> bench(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, options.parallel);
  if (!llm) return llm.error();
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
  common.json ? write_json(json) : print_report(json);
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
  add("--parallel", options->parallel, 1, "Chats at once");
  add("--shared-prefix", options->shared_prefix, 0, "Tokens with which all prompts begin alike");
  add("--repeat", options->repeat, 1, "Runs, of which the median counts");
  verb->add_option("--scenario", options->scenario,
                   "Instead, play parallel-chats: --parallel readers under one persona")
      ->check(CLI::IsMember({"parallel-chats"}));
  ParallelChatsOptions& chats = options->chats;
  add("--persona-tokens", chats.persona_tokens, 1, "Scenario: tokens of the shared persona");
  add("--turns", chats.turns, 1, "Scenario: messages of each reader");
  add("--user-tokens", chats.user_tokens, 1, "Scenario: tokens of each message");
  verb->add_option("--think-ms", chats.think_ms, "Scenario: a reader's mean pause")
      ->check(CLI::Range(0.0, 600000.0));
  verb->callback([&cli, options] {
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
