#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/bench_report.h"
#include "app/cli/cli_output.h"
#include "app/cli/equal_requests.h"
#include "app/cli/focus_bench.h"
#include "app/cli/load_bench.h"
#include "app/cli/open_model.h"
#include "app/cli/parallel_chats.h"
#include "app/cli/share_bench.h"
#include "app/cli/speculation_bench.h"
#include "app/cli/state_report.h"

namespace quire {
namespace {

/// Equal requests measure steps whose tokens are computed one by one.
CommonOptions without_speculation(CommonOptions common) {
  common.speculation = "off";
  return common;
}

using Json = nlohmann::ordered_json;

struct BenchOptions {
  EqualRequests requests{.parallel = 0};  ///< 0: not given.
  int repeat = 3;
  std::string scenario;  ///< Empty: equal requests, all submitted at once.
  ParallelChatsOptions chats;
  std::vector<std::string> measures = peer_measures();
  SpeculationBenchOptions speculation;
  LoadBenchOptions load;
  bool share = false;
};

constexpr int kScenarioChats = 8;
constexpr int kMostPeerChats = 16;
constexpr int kFocusOthers = 64;
constexpr const char* kParallelChats = "parallel-chats";
constexpr const char* kPeers = "peers";
constexpr const char* kFocus = "focus";
constexpr const char* kSpeculation = "speculation";
constexpr const char* kBenchExamples =
    "  quire-cli bench --prompt-tokens 512 --generate-tokens 128\n"
    "  quire-cli bench --parallel 16 --shared-prefix 256 --prompt-tokens 288 --json\n"
    "  quire-cli bench --scenario focus --parallel 64 --prompt-tokens 128\n"
    "  quire-cli bench --scenario speculation --texts code,prose --chats 1,4\n"
    "  quire-cli bench --scenario parallel-chats --parallel 8 --persona-tokens 1000 --turns 3\n"
    "  quire-cli bench --share\n"
    "  quire-cli bench --url http://127.0.0.1:8000 --rate 4 --requests 200 --goodput ttft:500";

/// The fields with which every report begins.
Json report_head(const BenchOptions& options, Llm& llm) {
  const DeviceInfo device = llm.backend().info();
  Json head = Json::object();
  if (!options.scenario.empty()) head["scenario"] = options.scenario;
  head["model"] = llm.model().config.name;
  head["device"] = device.name;
  head["device_description"] = device.description;
  return head;
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
  Json json = report_head(options, llm);
  json.update({{"prompt_tokens", options.requests.prompt_tokens},
               {"generate_tokens", options.requests.generate_tokens},
               {"parallel", options.requests.parallel},
               {"shared_prefix", options.requests.shared_prefix},
               {"repeat", options.repeat},
               {"prefill_tokens_per_s", median(prefill)},
               {"decode_tokens_per_s", itl.empty() ? Json() : Json(median(decode))},
               {"ttft_ms", percentiles(ttft)},
               {"itl_ms", percentiles(itl)},
               {"kv_waste", measured_waste ? Json(waste_max) : Json()},
               {"kv_waste_mean", measured_waste ? Json(median(waste_mean)) : Json()},
               {"prefill_runs", prefill},
               {"decode_runs", decode},
               {"states", states_json(llm.engine().stats())}});
  return json;
}

Result<int> bench_chats(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(without_speculation(common), options.requests.parallel);
  if (!llm) return llm.error();
  ParallelChatsOptions chats = options.chats;
  chats.num_chats = options.requests.parallel;
  const auto fits = check_context(tokens_of_a_chat(chats), *llm, "A chat",
                                  "--persona-tokens, --turns, --user-tokens or --generate-tokens");
  if (!fits) return fits.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  ParallelChats play(*llm, chats);
  if (auto played = play.play(); !played) return played.error();
  Json json = report_head(options, *llm);
  json.update(play.report());
  common.json ? write_json(json) : write_out(chats_text(json));
  return 0;
}

Result<int> bench_as_peers(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(without_speculation(common), kMostPeerChats);
  if (!llm) return llm.error();
  Result<Json> figures = measure_as_peers(*llm, options.measures, options.repeat,
                                          common.threads == 1 ? processor_ms : wall_ms);
  if (!figures) return figures.error();
  Json json = report_head(options, *llm);
  json["kv_bytes_per_token"] = llm->engine().stats().bytes_per_block / kBlockSize;
  json["tokens_per_s"] = *figures;
  write_json(json);
  return 0;
}

Result<int> bench_speculation(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, std::ranges::max(options.speculation.chats));
  if (!llm) return llm.error();
  SpeculationBenchOptions speculation = options.speculation;
  speculation.has_draft_model = !common.draft.empty();
  if (common.threads == 1) speculation.clock = processor_ms;
  SpeculationBench measurement(*llm, speculation);
  Result<Json> figures = measurement.measure();
  if (!figures) return figures.error();
  Json json = report_head(options, *llm);
  json["texts"] = std::move(*figures);
  common.json ? write_json(json) : write_out(speculation_text(json));
  return 0;
}

/// As many sequences at once as the window's engine computes.
Result<int> bench_focus(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(without_speculation(common));
  if (!llm) return llm.error();
  const EqualRequests& requests = options.requests;
  const auto fits =
      check_context(requests.prompt_tokens + requests.generate_tokens, *llm,
                    "A prompt with its answer", "--prompt-tokens or --generate-tokens");
  if (!fits) return fits.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  FocusBench measurement(*llm, {.num_others = requests.parallel,
                                .prompt_tokens = requests.prompt_tokens,
                                .generate_tokens = requests.generate_tokens,
                                .repeat = options.repeat});
  Result<Json> figures = measurement.measure();
  if (!figures) return figures.error();
  Json json = report_head(options, *llm);
  json.update(*figures);
  common.json ? write_json(json) : write_out(focus_text(json));
  return 0;
}

Result<int> bench(const BenchOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(without_speculation(common), options.requests.parallel);
  if (!llm) return llm.error();
  const int tokens = options.requests.prompt_tokens + options.requests.generate_tokens;
  const auto fits = check_context(tokens, *llm, "A prompt with its answer",
                                  "--prompt-tokens or --generate-tokens");
  if (!fits) return fits.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  std::vector<BenchRun> runs;
  for (int i = 0; i < options.repeat; ++i) {
    // A different seed for each run, so that no run finds the blocks of another.
    Result<BenchRun> run = run_equal_requests(*llm, options.requests, static_cast<uint32_t>(i) + 1);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  const Json json = report(runs, options, *llm);
  common.json ? write_json(json) : write_out(bench_text(json));
  return 0;
}

void add_number(CLI::App& verb, const char* name, int& value, int least, const char* help) {
  verb.add_option(name, value, help)->check(CLI::Range(least, 1 << 20));
}

void add_scenarios(CLI::App& verb, BenchOptions& options) {
  verb.add_option(
          "--scenario", options.scenario,
          "Scenario to run instead: parallel-chats (--parallel chats with one persona), peers "
          "(the measurements of ./dev bench peers, always in JSON), speculation (texts without "
          "and with speculation, in turns) or focus (a focused chat alone and beside --parallel "
          "requests of low priority)")
      ->check(CLI::IsMember({kParallelChats, kPeers, kSpeculation, kFocus}));
  ParallelChatsOptions& chats = options.chats;
  add_number(verb, "--persona-tokens", chats.persona_tokens, 1,
             "Scenario: tokens in the shared persona");
  add_number(verb, "--turns", chats.turns, 1, "Scenario: messages in each chat");
  add_number(verb, "--user-tokens", chats.user_tokens, 1, "Scenario: tokens in each message");
  add_number(verb, "--message-seed", chats.message_seed, 0,
             "Scenario: seed for the messages; the persona stays the same");
  verb.add_option("--think-ms", chats.think_ms,
                  "Scenario: mean pause between turns, in milliseconds")
      ->transform(whole_number(0, 600000));
  verb.add_option("--measures", options.measures,
                  "Scenario peers: measurements, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(peer_measures()));
}

void add_speculation_scenario(CLI::App& verb, BenchOptions& options, CommonOptions& common) {
  SpeculationBenchOptions& speculation = options.speculation;
  verb.add_option("--sources", speculation.sources,
                  "Scenario speculation: folder of Quire's sources, whose files are the texts");
  verb.add_option("--tokenizer", speculation.tokenizer,
                  "Scenario speculation: model whose tokenizer encodes the texts, for a model with "
                  "random weights. --url: model whose tokens make the prompts (default: words)");
  verb.add_option("--texts", speculation.texts,
                  "Scenario speculation: texts, separated by commas (default: all). Where a draft "
                  "model or the model's own layers guess: prose and talk in its own words")
      ->delimiter(',')
      ->check(CLI::IsMember(speculation_text_names()));
  verb.add_option("--chats", speculation.chats,
                  "Scenario speculation: numbers of chats at once, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  verb.add_option(
      "--draft", common.draft,
      "Scenario speculation: small model or folder of Medusa heads that guesses; the model then "
      "generates its own answers");
}

/// What --url has in common with the other measurements.
void set_load(const CLI::App& verb, BenchOptions& options) {
  if (options.load.url.empty()) return;
  if (options.requests.shared_prefix >= options.requests.prompt_tokens) {
    usage_error("--shared-prefix", "must be less than --prompt-tokens");
  }
  options.load.load.prompt_tokens = options.requests.prompt_tokens;
  options.load.load.generate_tokens = options.requests.generate_tokens;
  options.load.load.shared_prefix = options.requests.shared_prefix;
  options.load.tokenizer = options.speculation.tokenizer;
  check_load_usage(verb, options.load);
}

int default_parallel(const std::string& scenario) {
  if (scenario.empty()) return 1;
  return scenario == kFocus ? kFocusOthers : kScenarioChats;
}

Action chosen_action(const BenchOptions& options, const CommonOptions& common) {
  if (options.share) return [&] { return bench_to_share(common, QUIRE_VERSION); };
  if (!options.load.url.empty()) return [&] { return bench_endpoint(options.load, common); };
  if (options.scenario == kPeers) return [&] { return bench_as_peers(options, common); };
  if (options.scenario == kSpeculation) return [&] { return bench_speculation(options, common); };
  if (!common.draft.empty()) usage_error("--draft", "is for --scenario speculation");
  if (options.scenario == kFocus) return [&] { return bench_focus(options, common); };
  if (options.scenario == kParallelChats) return [&] { return bench_chats(options, common); };
  if (options.requests.shared_prefix > options.requests.prompt_tokens) {
    usage_error("--shared-prefix", "is longer than --prompt-tokens");
  }
  return [&] { return bench(options, common); };
}

}  // namespace

void add_bench(Cli& cli) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb =
      add_verb(cli, "bench", "Measure prefill and decode on random prompts", kBenchExamples);
  EqualRequests& requests = options->requests;
  add_number(*verb, "--prompt-tokens", requests.prompt_tokens, 1, "Tokens in each prompt");
  add_number(*verb, "--generate-tokens", requests.generate_tokens, 1, "Tokens in each answer");
  add_number(*verb, "--parallel", requests.parallel, 1,
             "Parallel chats (default: 1, in a scenario 8, in the scenario focus 64)");
  add_number(*verb, "--shared-prefix", requests.shared_prefix, 0,
             "Tokens at the start that all prompts share");
  add_number(*verb, "--repeat", options->repeat, 1, "Number of runs; the median is reported");
  add_scenarios(*verb, *options);
  add_speculation_scenario(*verb, *options, cli.common);
  add_load_options(*verb, options->load);
  verb->add_flag("--share", options->share,
                 "Measure one, 4 and 16 chats and the memory in half a minute, and print a text "
                 "about this machine without private data");
  verb->callback([&cli, options, verb] {
    int& parallel = options->requests.parallel;
    if (parallel == 0) parallel = default_parallel(options->scenario);
    options->chats.generate_tokens = options->requests.generate_tokens;
    options->speculation.generate_tokens = options->requests.generate_tokens;
    if (verb->count("--prompt-tokens") > 0) {
      options->speculation.prompt_tokens = options->requests.prompt_tokens;
    }
    options->speculation.repeat = options->repeat;
    set_load(*verb, *options);
    cli.action = [options, act = chosen_action(*options, cli.common)] { return act(); };
  });
}

}  // namespace quire
