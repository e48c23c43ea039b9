// The conformance test without Qt, for machines that have a GPU and little else:
//   conformance [--backend NAME] [--filter TEXT]
// runs every column, or that of the name ("cuda", "avx512", ...), on the cases whose name has the
// text, and prints a line for each group of cases. Exit status: 1 if anything differs or the named
// column cannot be used, 2 for a mistake in the arguments.

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "tests/kernels/conformance/conformance.h"

using namespace quire;
using namespace quire::test;

namespace {

struct Arguments {
  std::string column;
  std::string filter;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    if (std::strcmp(argv[i], "--backend") == 0) {
      arguments.column = argv[i + 1];
    } else if (std::strcmp(argv[i], "--filter") == 0) {
      arguments.filter = argv[i + 1];
    } else {
      return false;
    }
  }
  return true;
}

/// Cases of one operation and dtype.
struct Group {
  int num_cases = 0;
  int num_failures = 0;
  Verdict worst;
};

void print(const std::string& name, const Group& group) {
  std::printf("  %-28s %4d cases  ", name.c_str(), group.num_cases);
  if (group.worst.share > 0.0) {
    std::printf("worst error %.2e of %.2e allowed (%.0f %%)", group.worst.error, group.worst.bound,
                100.0 * group.worst.share);
  } else {
    std::printf("equal");
  }
  std::printf(group.num_failures > 0 ? ", %d FAILED\n" : "\n", group.num_failures);
}

/// Runs the column; returns the number of failed cases.
int run(const Column& column, Backend& backend, const Arguments& arguments) {
  const std::unique_ptr<Backend> oracle = make_oracle(column.arithmetic);
  std::map<std::string, Group> groups;
  int num_failures = 0;
  for (const Case& c : conformance_cases(wants_long_tests())) {
    if (c.name().find(arguments.filter) == std::string::npos || !has_case(backend, c)) continue;
    const Verdict verdict = run_case(c, *oracle, backend, column.arithmetic);
    Group& group = groups[c.group];
    ++group.num_cases;
    if (verdict.share > group.worst.share) group.worst = verdict;
    if (verdict.failure.empty()) continue;
    ++group.num_failures;
    ++num_failures;
    std::printf("  FAILED: %s\n", verdict.failure.c_str());
  }
  for (const auto& [name, group] : groups) print(name, group);
  return num_failures;
}

}  // namespace

int main(int argc, char** argv) {
  // A line as soon as it is known, into a file too: the process may not live to the end.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "Usage: conformance [--backend NAME] [--filter TEXT]\n");
    return 2;
  }
  bool is_known = arguments.column.empty();
  bool has_failed = false;
  for (const Column& column : columns(wants_long_tests())) {
    if (!arguments.column.empty() && column.name != arguments.column) continue;
    is_known = true;
    const Result<std::unique_ptr<Backend>> backend = column.create();
    if (!backend) {
      std::printf("%s: not run. %s\n", column.name.c_str(), backend.error().message.c_str());
      has_failed = has_failed || !arguments.column.empty();
      continue;
    }
    std::printf("%s: %s\n", column.name.c_str(), (*backend)->info().description.c_str());
    const int num_failures = run(column, **backend, arguments);
    std::printf("%s: %d failed\n", column.name.c_str(), num_failures);
    has_failed = has_failed || num_failures > 0;
  }
  if (!is_known) std::fprintf(stderr, "There is no column %s.\n", arguments.column.c_str());
  return !is_known ? 2 : has_failed ? 1 : 0;
}
