#include "app/cli/cli_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include "app/bundled_model.h"
#include "engine/io/text.h"
#include "engine/sampling/sampling_fields.h"
#include "platform/processor.h"

namespace quire {
namespace {

/// More threads than processors would only wait for each other.
std::string check_threads(const std::string& value) {
  constexpr int kMostThreads = 1024;  // Where the system does not say.
  const size_t processors = platform::usable_processors().size();
  const int most = processors == 0 ? kMostThreads : static_cast<int>(processors);
  const std::string wrong = CLI::Range(0, most)(value);
  return wrong.empty()
             ? wrong
             : "must be a whole number from 0 (one thread for each core) to " +
                   std::to_string(most) + ", the number of processors here, not '" + value + "'";
}

std::optional<DType> kv_dtype_of(const std::string& name) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    if (dtype_name(dtype) == name) return dtype;
  }
  return std::nullopt;
}

SpeculationMode speculation_of(const std::string& name) {
  if (name == "off") return SpeculationMode::kOff;
  return name == "always" ? SpeculationMode::kAlways : SpeculationMode::kAuto;
}

/// The option of a sampling parameter: "--top-k" for top_k.
template <typename T>
std::string option_name(T SamplingParams::*member) {
  std::string name = std::string("--") + sampling_field(member).name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

std::string CommonOptions::model_path() const {
  return model.empty() ? bundled_model_path().string() : model;
}

LlmOptions CommonOptions::llm_options() const {
  LlmOptions options;
  options.model_path = model_path();
  options.backend.device = device;
  options.backend.num_threads = threads;
  options.backend.batch_invariant = !fast_batches;
  options.engine.max_context = context;
  options.engine.kv_dtype = kv_dtype_of(kv_dtype);
  options.engine.speculation = speculation_of(speculation);
  if (!adapter.empty()) options.engine.adapters = {adapter};
  return options;
}

SamplingParams SamplingOptions::for_model(const ModelConfig& config) const {
  SamplingParams result = params;
  if (config.default_temperature >= 0.0f) result.temperature = config.default_temperature;
  if (config.default_top_p > 0.0f) result.top_p = config.default_top_p;
  if (config.default_top_k >= 0) result.top_k = config.default_top_k;
  result.temperature = temperature.value_or(result.temperature);
  result.top_p = top_p.value_or(result.top_p);
  result.top_k = top_k.value_or(result.top_k);
  return result;
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  const std::string group = "Model and device";
  app.add_option("-m,--model", options.model,
                 "Model folder or GGUF file (default: the bundled model)")
      ->check([](const std::string& path) {
        return path.empty() ? std::string("is empty; omit it to use the bundled model")
                            : std::string();
      })
      ->group(group);
  app.add_option("--device", options.device,
                 "auto, cpu, cuda, cuda:N; cuda:0,cuda:1 have layers of their own, cuda:0+cuda:1 "
                 "compute each together")
      ->group(group);
  app.add_option("--threads", options.threads, "CPU threads (0: one for each core)")
      ->check(check_threads)
      ->group(group);
  app.add_option("--context", options.context, "Context length in tokens (0: the model's own)")
      ->check(CLI::Range(0, 1 << 30))
      ->group(group);
  app.add_option("--kv-dtype", options.kv_dtype,
                 "KV cache type; auto is f16, or bf16 on processors with fast bf16 "
                 "arithmetic. i8 takes little more than half the memory; f8_e4m3 needs a GPU")
      ->check(CLI::IsMember({"auto", "f32", "f16", "bf16", "f8_e4m3", "i8"}))
      ->group(group);
  app.add_flag("--fast-batches", options.fast_batches,
               "Use cuBLAS for large matrix products on a GPU: faster prefill, but the last "
               "bits of an answer may depend on the other requests")
      ->group(group);
  app.add_option("--prefix-cache", options.prefix_cache,
                 "File for the prefix cache, reused at the next start; created if missing")
      ->group(group);
  app.add_flag("--json", options.json, "Print JSON");
}

void add_sampling_options(CLI::App& app, SamplingOptions& options) {
  const std::string group = "Sampling (defaults come from the model's files)";
  SamplingParams& params = options.params;
  using P = SamplingParams;
  const auto add = [&](auto member, auto& value, const char* help) {
    return app.add_option(option_name(member), value, help)->group(group);
  };
  add(&P::max_tokens, params.max_tokens, "Maximum number of tokens in the answer")
      ->check(CLI::Range(1, 1 << 30));
  add(&P::temperature, options.temperature, "0 is greedy");
  add(&P::top_k, options.top_k, "Keep only the k most likely tokens; 0 keeps all");
  add(&P::top_p, options.top_p, "Keep the smallest set of tokens with this total probability");
  add(&P::min_p, params.min_p, "Drop tokens less likely than this fraction of the most likely one");
  add(&P::seed, params.seed, "Random seed; the same seed gives the same answer (default: 0)")
      ->transform(whole_number(0, std::numeric_limits<uint64_t>::max()));
  add(&P::repetition_penalty, params.repetition_penalty,
      "Values above 1 penalise tokens already seen");
  add(&P::presence_penalty, params.presence_penalty,
      "Subtracted once from the logits of tokens in the answer");
  add(&P::frequency_penalty, params.frequency_penalty, "Subtracted for each occurrence of a token");
  add(&P::stop, params.stop, "Stop before this text (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--logprobs", params.num_logprobs,
                 "Log probabilities of each token and of the N most likely")
      ->check(CLI::Range(0, kMaxLogprobs))
      ->group(group);
  app.add_flag(option_name(&P::ignore_eos), params.ignore_eos, "Continue after an end token")
      ->group(group);
  app.add_option("--min-tokens", params.min_tokens,
                 "Length that an answer has at least, whatever would end it before")
      ->check(CLI::Range(0, 1 << 30))
      ->group(group);
}

void add_speculation_options(CLI::App& app, CommonOptions& options) {
  const std::string group = "Speculation (answers are the same)";
  app.add_option("--speculation", options.speculation,
                 "Guess what repeats and check several tokens at once: off, auto (as far as it is "
                 "faster), always")
      ->check(CLI::IsMember({"off", "auto", "always"}))
      ->group(group);
  app.add_option(
         "--draft", options.draft,
         "Small model of the same vocabulary, or a folder of Medusa heads, that guesses for "
         "--speculation")
      ->check([](const std::string& path) {
        return path.empty() ? std::string("is empty; omit it to use no draft model")
                            : std::string();
      })
      ->group(group);
}

void add_adapter_option(CLI::App& app, CommonOptions& options) {
  app.add_option("--adapter", options.adapter,
                 "LoRA adapter of the model: a folder as PEFT writes it, or a GGUF file")
      ->check([](const std::string& path) {
        return path.empty() ? std::string("is empty; omit it to use no adapter") : std::string();
      })
      ->group("Model and device");
}

CLI::App* add_verb(Cli& cli, const std::string& name, const std::string& description,
                   const std::string& examples) {
  CLI::App* verb = cli.program.add_subcommand(name, description);
  add_common_options(*verb, cli.common);
  verb->footer("Examples:\n" + examples);
  return verb;
}

void usage_error(const std::string& name, const std::string& message) {
  throw CLI::ValidationError(name, message);
}

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  const auto normalise = [least, most](std::string& text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed == std::errc() && stop == end && value >= least && value <= most) {
      text = std::to_string(value);
      return std::string();
    }
    return "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
           ", not '" + for_message(text) + "'";
  };
  return {normalise, std::string()};
}

CLI::Validator record_id() {
  return whole_number(1, std::numeric_limits<int64_t>::max());
}

std::vector<TokenId> parse_token_ids(const std::string& option, std::string_view text) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<TokenId> ids;
  while (true) {
    const size_t begin = text.find_first_not_of(kSeparators);
    if (begin == text.npos) return ids;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kSeparators));
    TokenId id = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (failed != std::errc() || end != word.data() + word.size() || id < 0) {
      usage_error(option, "'" + for_message(word) + "' is not a token id (a number from 0)");
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

std::chrono::local_seconds parse_time(const std::string& option, const std::string& text) {
  using namespace std::chrono;
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0, used = 0;
  const int fields =
      std::sscanf(text.c_str(), "%4d-%2d-%2d %2d:%2d:%2d%n", &y, &mo, &d, &h, &mi, &s, &used);
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)),
                            day(static_cast<unsigned>(d))};
  const bool is_time = h >= 0 && h < 24 && mi >= 0 && mi < 60 && s >= 0 && s < 60;
  if (fields != 6 || static_cast<size_t>(used) != text.size() || !date.ok() || !is_time) {
    usage_error(option,
                "'" + for_message(text) + "' is not a time such as \"2026-11-20 12:00:00\"");
  }
  return local_days(date) + hours(h) + minutes(mi) + seconds(s);
}

}  // namespace quire
