#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/open_model.h"
#include "engine/io/gguf_types.h"
#include "engine/io/text.h"
#include "engine/quantize/compare_models.h"
#include "engine/quantize/measure_importance.h"
#include "engine/quantize/quantize_job.h"
#include "platform/terminal.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct QuantizeVerb {
  std::string output;
  std::string type = "Q4_K_M";
  bool pure = false;
  bool resume = false;
  bool dry_run = false;
  std::string importance;  ///< A text file.
  std::string measure;     ///< A text file; empty: the bundled one, if it is there.
  bool no_measure = false;
};

constexpr const char* kQuantizeExamples =
    "  quire-cli quantize --model llama-f16.gguf --output llama-q4.gguf --type Q4_K_M\n"
    "  quire-cli quantize --model ~/models/llama --output llama.gguf --type IQ4_XS --importance "
    "text.txt\n"
    "Ctrl+C stops; the same command with --resume continues what was written so far.";

std::atomic<bool> stop_quantizing = false;

/// "F32, BF16, ...", and what the mixed ones mix.
std::string recipe_help() {
  std::string text = "Type of the weights:";
  for (const QuantizeRecipe& recipe : quantize_recipes()) {
    text += "\n" + std::string(recipe.name);
    if (!recipe.mix.empty()) text += ": " + std::string(recipe.mix);
  }
  return text;
}

/// One line on a terminal, rewritten; elsewhere a line for every tenth.
class QuantizeProgress {
 public:
  explicit QuantizeProgress(const char* what) : m_what(what) {}
  ~QuantizeProgress() { finish(); }

  void show(uint64_t done, uint64_t total, const std::string& unit) {
    const int percent = static_cast<int>(done * 100 / std::max<uint64_t>(total, 1));
    if (percent == m_percent || (!m_is_terminal && percent / 10 == m_percent / 10)) return;
    m_percent = percent;
    const std::string line = m_what + std::string(": ") + std::to_string(percent) + "% of " + unit;
    std::fprintf(stderr, m_is_terminal ? "\r\033[K%s" : "%s\n", line.c_str());
  }
  void finish() {
    if (m_is_terminal && m_percent >= 0) std::fprintf(stderr, "\r\033[K");
  }

 private:
  const char* m_what;
  const bool m_is_terminal = platform::is_terminal(platform::Stream::kError);
  int m_percent = -1;
};

/// What tensors have in common over all layers: "attn_q.weight".
std::string role_of(const std::string& name) {
  return layer_of(name) < 0 ? name : name.substr(name.find('.', 4) + 1);
}

/// For each type the tensors that have it: "Q6_K: attn_v.weight (3 of 6 layers), output.weight".
Json types_json(const QuantizePlan& plan) {
  std::map<std::string, int> totals;
  std::map<std::string, std::map<std::string, int>> by_type;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const std::string role = role_of(plan.tensors[i].name);
    ++totals[role];
    ++by_type[ggml_type_name(plan.types[i])][role];
  }
  Json types = Json::object();
  for (const auto& [type, roles] : by_type) {
    Json list = Json::array();
    for (const auto& [role, count] : roles) {
      const int total = totals[role];
      list.push_back(count == total ? for_message(role)
                                    : for_message(role) + " (" + std::to_string(count) + " of " +
                                          std::to_string(total) + " layers)");
    }
    types[type] = std::move(list);
  }
  return types;
}

void print_types(const Json& types) {
  for (const auto& [type, roles] : types.items()) {
    std::string line = type + ":";
    for (const auto& role : roles)
      line += (line.back() == ':' ? " " : ", ") + role.get<std::string>();
    write_out(line + "\n");
  }
}

/// What a run did, for people or as JSON.
struct QuantizeReport {
  Json types;
  uint64_t bytes = 0;
  uint64_t source_bytes = 0;
  double seconds = 0.0;
  std::optional<ModelComparison> comparison = {};
};

void print_report(const QuantizeReport& report, bool was_written) {
  print_types(report.types);
  std::string line = format_bytes(report.source_bytes) + " to " + format_bytes(report.bytes);
  char text[160];
  if (was_written) {
    std::snprintf(text, sizeof text, " in %.1f s (%.0f MB/s of the source)", report.seconds,
                  static_cast<double>(report.source_bytes) / 1e6 / std::max(report.seconds, 1e-3));
    line += text;
  }
  write_out(line + "\n");
  if (!report.comparison) return;
  const ModelComparison& found = *report.comparison;
  std::snprintf(
      text, sizeof text,
      "perplexity %.4f, of the original %.4f; mean KL divergence %.6f; same most likely token "
      "%.1f%% (%lld tokens)\n",
      found.other_perplexity, found.perplexity, found.mean_divergence,
      100.0 * found.same_top_fraction, static_cast<long long>(found.num_tokens));
  write_out(text);
}

void write_report(const QuantizeReport& report, const std::string& output) {
  Json json = {{"output", output},
               {"bytes", report.bytes},
               {"source_bytes", report.source_bytes},
               {"seconds", report.seconds},
               {"types", report.types}};
  if (report.comparison) {
    json["tokens"] = report.comparison->num_tokens;
    json["perplexity"] = report.comparison->other_perplexity;
    json["original_perplexity"] = report.comparison->perplexity;
    json["mean_kl_divergence"] = report.comparison->mean_divergence;
    json["same_top"] = report.comparison->same_top_fraction;
  }
  write_json(json);
}

/// The bundled model's held-out text, which is only in the source tree.
std::string bundled_text() {
  const auto path = bundled_model_path().parent_path() / "training/held_out.txt";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : std::string();
}

/// What both models are to predict; empty: nothing is compared. It is read before anything is
/// written, because writing may take hours.
Result<std::string> comparison_text(const QuantizeVerb& verb) {
  if (verb.no_measure || verb.dry_run) return std::string();
  const std::string path = verb.measure.empty() ? bundled_text() : verb.measure;
  if (path.empty()) return std::string();
  Result<std::string> text = read_input(path);
  if (text && text->empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 path + " is empty; choose another text, or compare nothing with --no-measure"};
  }
  return text;
}

Result<std::optional<ModelComparison>> measure(const QuantizeVerb& verb, const std::string& text,
                                               const CommonOptions& common) {
  if (text.empty()) return std::optional<ModelComparison>();
  QuantizeProgress progress("measuring");
  auto found = compare_models(common.model_path(), verb.output, text, verb.measure.empty(),
                              {.num_threads = common.threads,
                               .progress =
                                   [&](size_t done, size_t total) {
                                     progress.show(done, total, format_count(total) + " tokens");
                                   },
                               .cancelled = &stop_quantizing});
  if (!found) {
    return Error{found.error().code,
                 verb.output + " is written, but was not measured: " + found.error().message};
  }
  return std::optional(*found);
}

Result<std::optional<Importance>> importance_of(const QuantizeVerb& verb,
                                                const CommonOptions& common) {
  if (verb.importance.empty()) return std::optional<Importance>();
  const Result<std::string> text = read_input(verb.importance);
  if (!text) return text.error();
  QuantizeProgress progress("importance");
  auto found =
      measure_importance(common.model_path(), *text,
                         {.num_threads = common.threads,
                          .progress =
                              [&](size_t done, size_t total) {
                                progress.show(done, total, format_count(total) + " tokens");
                              },
                          .cancelled = &stop_quantizing});
  if (!found) return found.error();
  return std::optional(std::move(*found));
}

Error explained(const Error& error) {
  if (error.code != ErrorCode::kCancelled) return error;
  return {error.code, "Stopped; the same command with --resume continues."};
}

Result<QuantizePlan> run_job(const QuantizeVerb& verb, const QuantizeRecipe& recipe,
                             TensorSource& source, const Importance* importance,
                             const CommonOptions& common) {
  QuantizeProgress progress("quantizing");
  const QuantizeOptions options = {
      .output = verb.output,
      .recipe = recipe,
      .pure = verb.pure,
      .resume = verb.resume,
      .importance = importance,
      .num_threads = common.threads,
      .progress = [&](uint64_t done,
                      uint64_t total) { progress.show(done, total, format_bytes(total)); },
      .cancelled = &stop_quantizing};
  return verb.dry_run ? plan_quantization(source, options) : quantize_model(source, options);
}

Result<int> quantize(const QuantizeVerb& verb, const CommonOptions& common) {
  const Result<QuantizeRecipe> recipe = find_quantize_recipe(verb.type);
  if (!recipe) return recipe.error();
  const Result<std::string> text = comparison_text(verb);
  if (!text) return text.error();
  if (const auto tried = try_model(common.model_path()); !tried) return tried.error();
  auto model = open_any_model(common.model_path(), kWholeContext);
  if (!model) return model.error();
  auto source = open_tensor_source(*model, common.model_path());
  if (!source) return source.error();
  if (has_quantized_tensors(**source)) {
    complain("The source is quantised already; one in F32, F16 or BF16 gives better results.");
  }
  // The first Ctrl+C stops between two pieces, the second ends the program.
  platform::flag_interrupts(stop_quantizing, /*only_first=*/true);
  auto importance = importance_of(verb, common);
  if (!importance) return explained(importance.error());
  const auto begin = std::chrono::steady_clock::now();
  const auto plan = run_job(verb, *recipe, **source, *importance ? &**importance : nullptr, common);
  if (!plan) return explained(plan.error());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  QuantizeReport report{.types = types_json(*plan),
                        .bytes = plan->layout.file_bytes,
                        .source_bytes = (*source)->weights().file_bytes(),
                        .seconds = elapsed.count()};
  if (!verb.dry_run) {
    auto comparison = measure(verb, *text, common);
    if (!comparison) return comparison.error();
    report.comparison = *comparison;
  }
  if (common.json) {
    write_report(report, verb.output);
  } else {
    print_report(report, !verb.dry_run);
  }
  return 0;
}

}  // namespace

void add_quantize(Cli& cli) {
  auto options = std::make_shared<QuantizeVerb>();
  CLI::App* verb =
      add_verb(cli, "quantize", "Write a model as a GGUF file of another type", kQuantizeExamples);
  verb->add_option("--output", options->output, "The file to write, which must not exist")
      ->required();
  verb->add_option("--type", options->type, recipe_help())->capture_default_str();
  verb->add_option("--importance", options->importance,
                   "A text whose inputs say which columns matter; improves types below 6 bits");
  verb->add_option("--measure", options->measure,
                   "A text on which the result is compared with the original");
  verb->add_flag("--no-measure", options->no_measure, "Compare nothing");
  verb->add_flag("--pure", options->pure, "Every matrix in the same type, the output too");
  verb->add_flag("--resume", options->resume, "Continue what an interrupted run left");
  verb->add_flag("--dry-run", options->dry_run, "Only say which tensors would get which type");
  // Every verb accepts these options, but they have no effect here: the comparison computes on the
  // CPU and has no chats. So the help does not list them.
  for (const char* unused :
       {"--device", "--context", "--kv-dtype", "--fast-batches", "--prefix-cache"}) {
    verb->get_option(unused)->group("");
  }
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return quantize(*options, cli.common); }; });
}

}  // namespace quire
