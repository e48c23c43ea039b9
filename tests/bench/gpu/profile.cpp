#include "tests/bench/gpu/profile.h"

#include <algorithm>

#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

constexpr int kNumOps = static_cast<int>(Op::kHead) + 1;

double floor_seconds(const Cost& cost, const Ceilings& ceilings) {
  if (ceilings.copy_bytes_per_s <= 0.0 || ceilings.matrix_flops <= 0.0) return 0.0;
  return std::max(cost.bytes / ceilings.copy_bytes_per_s, cost.flops / ceilings.matrix_flops);
}

Result<ProfileRow> profile_op(const Bench& bench, StepRunner& runner, Op op, bool as_graph) {
  std::vector<Operation> operations;
  ProfileRow row{.name = op_name(op)};
  for (const Operation& operation : runner.llama().operations()) {
    if (operation.op != op) continue;
    operations.push_back(operation);
    row.floor_seconds += floor_seconds(
        runner.llama().cost(operation, runner.batch(), runner.kv_dtype()), bench.ceilings);
  }
  row.count = static_cast<int>(operations.size());
  const auto seconds = seconds_per_call(
      runner.backend(), {.num_calls = row.count,
                         .call = [&](int i) { runner.run(operations[static_cast<size_t>(i)]); },
                         .is_step = as_graph,
                         .budget_seconds = bench.budget_seconds()});
  if (!seconds) return seconds.error();
  row.seconds = *seconds * row.count;
  return row;
}

Result<ProfileRow> profile_sampling(const Bench& bench, StepRunner& runner) {
  // It uploads its parameters, and so is no part of a captured graph.
  const auto seconds =
      seconds_per_call(runner.backend(), {.call = [&](int) { runner.sample(); },
                                          .is_step = false,
                                          .budget_seconds = bench.budget_seconds()});
  if (!seconds) return seconds.error();
  return ProfileRow{.name = "sample", .count = 1, .seconds = *seconds};
}

}  // namespace

Result<std::vector<ProfileRow>> profile_step(const Bench& bench, StepRunner& runner,
                                             bool as_graph) {
  runner.upload();
  std::vector<ProfileRow> rows;
  for (int op = 0; op < kNumOps; ++op) {
    auto row = profile_op(bench, runner, static_cast<Op>(op), as_graph);
    if (!row) return row.error();
    rows.push_back(*row);
  }
  auto sampling = profile_sampling(bench, runner);
  if (!sampling) return sampling.error();
  rows.push_back(*sampling);
  return rows;
}

double sum_of_seconds(const std::vector<ProfileRow>& rows) {
  double sum = 0.0;
  for (const ProfileRow& row : rows) sum += row.seconds;
  return sum;
}

void report_profile(const Bench& bench, const std::string& step_name,
                    const std::vector<ProfileRow>& rows) {
  const double whole = sum_of_seconds(rows);
  for (const ProfileRow& row : rows) {
    Values values = {{"us each", row.seconds / row.count * 1e6},
                     {"times", static_cast<double>(row.count)},
                     {"ms", row.seconds * 1e3},
                     {"of the whole", row.seconds / whole}};
    if (bench.ceilings.matrix_flops > 0.0) {
      values.emplace_back("ms to gain", (row.seconds - row.floor_seconds) * 1e3);
    }
    bench.report.add(step_name + ": " + row.name, values);
  }
  bench.report.add(step_name + ": all operations", {{"ms", whole * 1e3}});
}

}  // namespace quire::bench
