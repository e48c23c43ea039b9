#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bundled_model.h"
#include "app/cli/batch/batch_run.h"
#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/open_model.h"
#include "app/server/local_api.h"
#include "engine/tuning_file.h"
#include "platform/terminal.h"

namespace quire {
namespace {

constexpr const char* kBatchExamples =
    "  quire-cli batch questions.jsonl answers.jsonl --model ~/models/qwen3-8b.gguf\n"
    "A line of the input: {\"custom_id\": \"1\", \"method\": \"POST\", \"url\": "
    "\"/v1/chat/completions\", \"body\": {\"messages\": [...]}}";

/// Shows how far a batch is on one line of the terminal.
void show(const BatchProgress& progress) {
  if (!platform::is_terminal(platform::Stream::kError)) return;
  std::fprintf(stderr, "\r%lld of %lld lines, %lld failed\033[K",
               static_cast<long long>(progress.done()), static_cast<long long>(progress.lines),
               static_cast<long long>(progress.all_failed()));
}

Result<LocalApiOptions> api_options(const CommonOptions& common) {
  if (const auto tried = try_model(common.model_path()); !tried) return tried.error();
  if (!common.draft.empty()) {
    if (const auto tried = try_model(common.draft); !tried) return tried.error();
  }
  if (auto fits = check_context(common); !fits) return fits.error();
  keep_cpu_tunings(default_tuning_path());
  const LlmOptions llm = common.llm_options();
  LocalApiOptions options{.model = common.model_path(),
                          .draft = common.draft,
                          .bundledModel = bundled_model_path().string(),
                          .backend = llm.backend,
                          .engine = llm.engine};
  auto prefixes = open_prefix_cache(common.prefix_cache);
  if (!prefixes) return prefixes.error();
  options.engine.prefix_store = std::move(*prefixes);
  return options;
}

int report(const BatchProgress& progress, const BatchOptions& batch, bool is_json) {
  if (platform::is_terminal(platform::Stream::kError)) tell("\n");
  if (is_json) {
    write_json({{"lines", progress.lines},
                {"skipped", progress.skipped},
                {"answered", progress.answered},
                {"failed", progress.failed},
                {"failed_before", progress.failed_before}});
  } else {
    tell(format_count(progress.answered) + " answered, " + format_count(progress.failed) +
         " failed, " + format_count(progress.skipped) + " were there already" +
         (progress.failed_before == 0
              ? std::string()
              : ", " + format_count(progress.failed_before) + " of them as errors") +
         ".\n");
  }
  if (progress.all_failed() == 0) return 0;
  complain(format_count(progress.all_failed()) + " of " + format_count(progress.lines) +
           " lines failed; their errors are in " + batch.output +
           ". Ask them again with --retry-failed.");
  return 1;
}

Result<int> batch(const BatchOptions& options, const CommonOptions& common) {
  const auto api = api_options(common);
  if (!api) return api.error();
  std::optional<Result<BatchProgress>> ended;
  const auto served =
      runLocalApi(*api, [&](const LocalAsk& ask) { ended = run_batch(options, ask, show); });
  if (!served) return served.error();
  if (!ended->has_value()) return ended->error();
  return report(**ended, options, common.json);
}

}  // namespace

void add_batch(Cli& cli) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* verb =
      add_verb(cli, "batch", "Answer a file of requests in OpenAI's batch format", kBatchExamples);
  verb->add_option("INPUT", options->input, "File with a request in each line")->required();
  verb->add_option(
          "OUTPUT", options->output,
          "File that answers are added to; requests that it has answers to are skipped, so "
          "that a run that was interrupted can be repeated")
      ->required();
  verb->add_option("--parallel", options->parallel, "Requests at once (default: 128)")
      ->check(CLI::Range(1, 1 << 16));
  verb->add_flag("--retry-failed", options->retries_failed,
                 "Ask again for lines that failed in an earlier run; their new answers are added");
  add_speculation_options(*verb, cli.common);
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return batch(*options, cli.common); }; });
}

}  // namespace quire
