#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/llm.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace quire {

/// The options of every verb: the model, the device, and the form of the output.
struct CommonOptions {
  std::string model;  ///< A file or folder; empty is the bundled model.
  std::string device = "auto";
  int threads = 0;  ///< 0: all cores.
  int context = 0;  ///< Tokens; 0: the model's own.
  std::string kv_dtype = "auto";
  bool fast_batches = false;  ///< BackendOptions::batch_invariant off.
  std::string speculation = "auto";
  std::string draft;         ///< A draft model, or a folder of Medusa heads; empty: none.
  std::string prefix_cache;  ///< The prefix database's file; empty: none.
  std::string adapter;       ///< A LoRA adapter's file or folder; empty: none.
  bool json = false;

  std::string model_path() const;
  /// Everything but the model's path and device, which Llm::open takes from llm_options().
  LlmOptions llm_options() const;
};

/// How an answer is sampled. Of the first three, those that are not given come from the model's
/// files.
struct SamplingOptions {
  std::optional<float> temperature;
  std::optional<int> top_k;
  std::optional<float> top_p;
  SamplingParams params;  ///< All other parameters.

  /// The parameters for a model with this config.
  SamplingParams for_model(const ModelConfig& config) const;
};

/// What a verb does once its options are parsed: the program's exit code, or an Error (exit code
/// 1).
using Action = std::function<Result<int>()>;

/// The program under construction: a verb adds itself to `program` and, when it was chosen, sets
/// `action`.
struct Cli {
  CLI::App& program;
  CommonOptions common;
  Action action;
};

/// Adds the common options to the program or to a verb, so that they may precede or follow the
/// verb.
void add_common_options(CLI::App& app, CommonOptions& options);
void add_sampling_options(CLI::App& app, SamplingOptions& options);
void add_adapter_option(CLI::App& app, CommonOptions& options);
void add_speculation_options(CLI::App& app, CommonOptions& options);

/// A verb with its common options, whose help ends with `examples`.
CLI::App* add_verb(Cli& cli, const std::string& name, const std::string& description,
                   const std::string& examples);

/// Ends with a usage error (exit code 2): a sentence that begins with `name`, an option or verb.
[[noreturn]] void usage_error(const std::string& name, const std::string& message);

/// Accepts whole numbers from `least` to `most`; the error is `--chat: must be a whole number from
/// 1 to 9, not 'abc'`. Pass it to transform(): CLI11 itself reads 010 as 8 and truncates numbers
/// that are too large.
CLI::Validator whole_number(uint64_t least, uint64_t most);
/// Accepts the id of a record.
CLI::Validator record_id();

/// Token ids separated by commas or white space. A usage error names `option` and the bad part.
std::vector<TokenId> parse_token_ids(const std::string& option, std::string_view text);

/// "2026-11-20 12:00:00". A usage error names `option`.
std::chrono::local_seconds parse_time(const std::string& option, const std::string& text);

// Each adds one verb to the program, with its options, its help and its action.
void add_generate(Cli& cli);
void add_chat(Cli& cli);
void add_tokenize(Cli& cli);
void add_detokenize(Cli& cli);
void add_render(Cli& cli);
void add_logits(Cli& cli);
void add_embed(Cli& cli);
void add_inspect(Cli& cli);
void add_perplexity(Cli& cli);
void add_quantize(Cli& cli);
void add_bench(Cli& cli);
void add_replay(Cli& cli);  ///< Only where the store is built, which needs Qt.
void add_serve(Cli& cli);   ///< The same.
void add_batch(Cli& cli);   ///< The same.
void add_pull(Cli& cli);    ///< The same.

}  // namespace quire
