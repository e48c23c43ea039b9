// What Quire makes of a GPU: the ceilings of the device, each kernel's share of them, whole models
// of random weights, and what remains to be gained (docs/gpu-benchmarks.md).
//
// Exit status: 0 also where a target is missed or there is no GPU (then it says "not run"), 1 if
// the GPU failed or a file cannot be read or written, 2 for a mistake in the arguments.

#include <csignal>
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

Result<std::unique_ptr<Backend>> create(const Options& options, bool batch_invariant) {
  auto backend = create_backend({.device = options.device, .batch_invariant = batch_invariant});
  if (backend) return backend;
  // Advice for those who choose where a model runs: here it would measure something else.
  const std::string advice = " Choose the device \"cpu\".";
  Error error = backend.error();
  if (error.message.ends_with(advice)) error.message.resize(error.message.size() - advice.size());
  return error;
}

/// A GPU that does not start has failed; one that is not there was not run.
void add_without_backend(Report& report, const char* name, const Error& error) {
  if (error.code == ErrorCode::kDevice) return report.add_failed(name, error.message);
  report.add_not_run(name, error.message);
}

/// What is faster where rows may depend on how many there are. A processor has one arithmetic.
void run_not_invariant(const Options& options, const Ceilings& ceilings, Report& report) {
  const bool is_wanted = options.wants("kernels") || options.wants("models");
  if (!is_wanted || (!options.device.starts_with("cuda") && !options.is_tiny)) return;
  report.begin_section("not batch-invariant", "large products of 16-bit weights");
  auto backend = create(options, /*batch_invariant=*/false);
  if (!backend) return add_without_backend(report, "not batch-invariant", backend.error());
  const Bench bench{**backend, options, ceilings, report};
  if (options.wants("kernels")) bench_linear_not_invariant(bench);
  if (options.wants("models")) bench_models_not_invariant(bench);
}

/// Errors: kInvalidArgument if there are GPUs, but not that one.
Result<void> run(const Options& options, Report& report) {
  auto backend = create(options, /*batch_invariant=*/true);
  if (!backend) {
    if (backend.error().code == ErrorCode::kInvalidArgument) return backend.error();
    report.set_device("none");
    add_without_backend(report, kEverything, backend.error());
    return {};
  }
  const DeviceInfo info = (*backend)->info();
  std::printf("%s: %s\n", info.name.c_str(), info.description.c_str());
  report.set_device(info.description);
  const Ceilings ceilings = run_sections(**backend, options, report);
  backend->reset();
  if (report.loss().empty()) {
    run_not_invariant(options, ceilings, report);
  } else {
    report.add_failed("not batch-invariant", report.loss());
  }
  return {};
}

Result<void> run_all(const Options& options, Report& report) {
  Result<ReferenceFigures> reference = ReferenceFigures{};
  if (!options.against_path.empty()) reference = read_reference(options.against_path);
  if (!reference) return reference.error();
  if (!options.json_path.empty()) {
    if (auto opened = report.open_json(options.json_path); !opened) return opened;
  }
  const double begin = now_seconds();
  if (auto ran = run(options, report); !ran) return ran;
  if (!reference->empty()) {
    report.begin_section("transformers", "Quire's tokens a second over theirs");
    compare_with_reference(report, *reference);
  }
  const std::vector<TargetResult> targets = check_targets(report, options);
  print_targets(targets);
  std::printf("\n%.0f s\n", now_seconds() - begin);
  return report.write_json(targets);
}

}  // namespace

int main(int argc, char** argv) {
  const Result<Options> options = parse_options(argc, argv);
  if (!options || options->wants_help) {
    if (!options) std::fprintf(stderr, "%s\n", options.error().message.c_str());
    std::fprintf(options ? stdout : stderr, "%s", kUsage);
    return options ? 0 : 2;
  }
  // The one that reads the table may go away; what was asked for as a file is still written.
  std::signal(SIGPIPE, SIG_IGN);
  Report report;
  const Result<void> done = run_all(*options, report);
  if (done) return report.has_failed() ? 1 : 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done.error().code == ErrorCode::kInvalidArgument ? 2 : 1;
}
