#pragma once

#include <functional>
#include <memory>

#include "app/cli/cli_options.h"
#include "app/cli/load/load_plan.h"
#include "app/cli/load/load_report.h"

namespace quire {

/// `bench --url`: a load generator for any OpenAI-compatible endpoint.
struct LoadBenchOptions {
  std::string url;  ///< Empty: not this.
  TrafficOptions load;
  ServiceLevels levels;
  int timeout_s = 600;
  std::string tokenizer;  ///< A model whose tokenizer makes the prompts; empty: words.
  bool words = false;     ///< Prompts are text all the same: words of one token.
};

/// Adds its options to the verb `bench`.
void add_load_options(CLI::App& verb, LoadBenchOptions& options);
/// A usage error for options of `verb` that were given and are not for --url.
void check_load_usage(const CLI::App& verb, const LoadBenchOptions& options);

/// Sends the load and prints the report. The exit code is 1 if nothing was answered. Errors: of the
/// URL, the host and the tokenizer.
Result<int> bench_endpoint(const LoadBenchOptions& options, const CommonOptions& common);

}  // namespace quire
