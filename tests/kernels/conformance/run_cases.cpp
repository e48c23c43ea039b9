#include "tests/kernels/conformance/run_cases.h"

#include <algorithm>
#include <map>

namespace quire::test {
namespace {

/// Cases of one operation and dtype.
struct Group {
  int num_waiting = 0;  ///< Cases that have not run yet.
  int num_cases = 0;
  int num_failures = 0;
  Verdict worst;
};

void print(std::FILE* output, const std::string& name, const Group& group) {
  std::fprintf(output, "  %-28s %4d cases  ", name.c_str(), group.num_cases);
  if (group.worst.share > 0.0) {
    std::fprintf(output, "worst error %.2e of %.2e allowed (%.0f %%)", group.worst.error,
                 group.worst.bound, 100.0 * group.worst.share);
  } else {
    std::fprintf(output, group.num_failures < group.num_cases ? "equal" : "no figures");
  }
  if (group.num_failures > 0) std::fprintf(output, ", %d FAILED", group.num_failures);
  std::fprintf(output, "\n");
}

/// A lost device repeats its failure for ever; any other is forgotten once it was reported.
bool is_lost(Backend& backend) {
  return !backend.synchronize() && !backend.synchronize();
}

}  // namespace

void Totals::add(const Totals& other) {
  num_cases += other.num_cases;
  num_failures += other.num_failures;
  num_not_run += other.num_not_run;
}

std::string Totals::sentence() const {
  std::string text =
      std::to_string(num_cases) + " cases, " + std::to_string(num_failures) + " failed";
  if (num_not_run > 0) text += ", " + std::to_string(num_not_run) + " not run";
  return text;
}

std::vector<Case> filtered(const std::vector<Case>& cases, const std::string& text) {
  std::vector<Case> some;
  std::ranges::copy_if(cases, std::back_inserter(some),
                       [&](const Case& c) { return c.name().find(text) != std::string::npos; });
  return some;
}

Totals run_cases(const std::vector<Case>& cases, Backend& oracle, Backend& tested,
                 Arithmetic arithmetic, std::FILE* output) {
  std::map<std::string, Group> groups;
  Totals totals;
  for (const Case& c : cases) {
    if (!has_case(tested, c)) continue;
    ++groups[c.group].num_waiting;
    ++totals.num_not_run;
  }
  for (const Case& c : cases) {
    if (!has_case(tested, c)) continue;
    const Verdict verdict = run_case(c, oracle, tested, arithmetic);
    Group& group = groups[c.group];
    --totals.num_not_run;
    ++totals.num_cases;
    ++group.num_cases;
    if (verdict.share > group.worst.share) group.worst = verdict;
    const bool has_failed = !verdict.failure.empty();
    if (has_failed) {
      ++group.num_failures;
      ++totals.num_failures;
      std::fprintf(output, "  FAILED: %s\n", verdict.failure.c_str());
    }
    if (--group.num_waiting == 0) print(output, c.group, group);
    if (!has_failed || !is_lost(tested)) continue;
    std::fprintf(output, "  The device is lost to this process: %d later cases were not run.\n",
                 totals.num_not_run);
    break;
  }
  return totals;
}

}  // namespace quire::test
