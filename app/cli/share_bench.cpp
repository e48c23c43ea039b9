#include "app/cli/share_bench.h"

#include <algorithm>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "app/cli/equal_requests.h"
#include "app/cli/open_model.h"
#include "app/machine/bench_text.h"
#include "engine/model_summary.h"

namespace quire {
namespace {

Result<BenchFigures> measure(Llm& llm, int num_chats, const BenchSizes& sizes) {
  const auto run = run_equal_requests(llm,
                                      {.prompt_tokens = sizes.prompt_tokens,
                                       .generate_tokens = sizes.answer_tokens,
                                       .parallel = num_chats},
                                      static_cast<uint32_t>(num_chats) + 1);
  if (!run) return run.error();
  return BenchFigures{.num_chats = num_chats,
                      .prompt_tokens = sizes.prompt_tokens,
                      .answer_tokens = sizes.answer_tokens,
                      .prefill_per_second = run->prefill_tokens_per_s(),
                      .decode_per_second = run->decode_tokens_per_s(),
                      .first_token_ms = std::ranges::max(run->ttft_ms())};
}

/// Without its name, which may be one that the user gave.
Result<BenchModel> model_of(const std::string& path) {
  const auto summary = inspect_model(path);
  if (!summary) return summary.error();
  return BenchModel{.name = is_bundled_model(path) ? "quire-mini (comes with Quire)" : "",
                    .architecture = summary->architecture,
                    .parameters = summary->num_parameters,
                    .type = summary->dtypes.empty() ? "" : summary->dtypes.front().dtype,
                    .bytes = summary->file_bytes};
}

}  // namespace

Result<int> bench_to_share(const CommonOptions& common, const std::string& version) {
  CommonOptions options = common;
  options.speculation =
      "off";  // Equal requests measure steps whose tokens are computed one by one.
  Result<Llm> llm = open_llm(options, std::ranges::max(kBenchChats));
  if (!llm) return llm.error();
  if (auto warmed = warm_up(*llm); !warmed) return warmed.error();
  const Result<BenchFigures> probe = measure(*llm, 1, kProbeSizes);
  if (!probe) return probe.error();
  const Result<BenchModel> model = model_of(common.model_path());
  if (!model) return model.error();
  BenchReport report = {.version = version,
                        .machine = machine_facts(),
                        .device = llm->backend().info().description,
                        .model = *model};
  report.memory_bytes_per_second = memory_bytes_per_second(report.machine.num_threads);
  for (const int num_chats : kBenchChats) {
    const BenchSizes sizes =
        bench_sizes(*probe, num_chats, static_cast<int>(llm->engine().max_context()));
    const Result<BenchFigures> figures = measure(*llm, num_chats, sizes);
    if (!figures) return figures.error();
    report.figures.push_back(*figures);
  }
  write_out(bench_text(report));
  return 0;
}

}  // namespace quire
