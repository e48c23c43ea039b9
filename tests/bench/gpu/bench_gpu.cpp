// What Quire makes of a GPU: the ceilings of the device, each kernel's share of them, whole models
// of random weights, and what remains to be gained (docs/gpu-benchmarks.md).
//
// Exit status: 0 also where a target is missed or there is no GPU (then it says "not run"), 1 if a
// file cannot be read or written, 2 for a mistake in the arguments.

#include <cstdio>

#include "tests/bench/gpu/bench_models.h"
#include "tests/bench/gpu/kernel_benches.h"
#include "tests/bench/gpu/reference_figures.h"
#include "tests/bench/gpu/targets.h"
#include "tests/bench/gpu/timing.h"

using namespace quire;
using namespace quire::bench;

namespace {

Ceilings run_sections(Backend& backend, const Options& options, Report& report) {
  const Ceilings ceilings = measure_ceilings(backend, options, report);
  const Bench bench{backend, options, ceilings, report};
  if (options.wants("kernels")) {
    report.begin_section("kernels", "each by itself, on data that no cache holds");
    bench_linear(bench);
    bench_attention(bench);
    bench_rows(bench);
  }
  if (options.wants("models") || options.wants("profile")) bench_models(bench);
  return ceilings;
}

/// What is faster where rows may depend on how many there are. A processor has one arithmetic.
void run_not_invariant(const Options& options, const Ceilings& ceilings, Report& report) {
  const bool is_wanted = options.wants("kernels") || options.wants("models");
  if (!is_wanted || (!options.device.starts_with("cuda") && !options.is_tiny)) return;
  report.begin_section("not batch-invariant", "large products of 16-bit weights");
  auto backend = create_backend({.device = options.device, .batch_invariant = false});
  if (!backend) {
    return report.add_not_run("not batch-invariant", backend.error().message);
  }
  const Bench bench{**backend, options, ceilings, report};
  if (options.wants("kernels")) bench_linear_not_invariant(bench);
  if (options.wants("models")) bench_models_not_invariant(bench);
}

/// The description of what was measured, or why nothing was.
std::string run(const Options& options, Report& report) {
  auto backend = create_backend({.device = options.device});
  if (!backend) {
    std::printf("bench_gpu: not run. %s\n", backend.error().message.c_str());
    return "not run: " + backend.error().message;
  }
  const DeviceInfo info = (*backend)->info();
  std::printf("%s: %s\n", info.name.c_str(), info.description.c_str());
  const Ceilings ceilings = run_sections(**backend, options, report);
  backend->reset();
  run_not_invariant(options, ceilings, report);
  return info.description;
}

Result<void> run_all(const Options& options) {
  Report report;
  Result<ReferenceFigures> reference = ReferenceFigures{};
  if (!options.against_path.empty()) reference = read_reference(options.against_path);
  if (!reference) return reference.error();
  const double begin = now_seconds();
  const std::string device = run(options, report);
  if (!reference->empty()) {
    report.begin_section("transformers", "Quire's tokens a second over theirs");
    compare_with_reference(report, *reference);
  }
  const std::vector<TargetResult> targets = check_targets(report);
  print_targets(targets);
  std::printf("\n%.0f s\n", now_seconds() - begin);
  if (options.json_path.empty()) return {};
  return report.write_json(options.json_path, device, targets);
}

}  // namespace

int main(int argc, char** argv) {
  const Result<Options> options = parse_options(argc, argv);
  if (!options || options->wants_help) {
    if (!options) std::fprintf(stderr, "%s\n", options.error().message.c_str());
    std::fprintf(options ? stdout : stderr, "%s", kUsage);
    return options ? 0 : 2;
  }
  const Result<void> done = run_all(*options);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
