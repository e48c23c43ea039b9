// The conformance test without Qt, for machines that have a GPU and little else (kUsage).

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "tests/kernels/conformance/run_cases.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr const char* kUsage =
    "Usage: conformance [--backend NAME] [--filter TEXT]\n"
    "Compares every operation of a backend with an oracle, within stated bounds.\n"
    "  --backend NAME  only that backend; without it, all that this machine can run\n"
    "  --filter TEXT   only the cases whose name has the text: \"linear q4_k\", \"attention\"\n"
    "  -h, --help      this text\n"
    "QUIRE_LONG_TESTS=1 in the environment adds more and larger shapes.\n"
    "Exit status: 0 if all is as it must be, 1 if a case failed or was not run because the device\n"
    "was lost, or if the named backend cannot be used here, 2 for a mistake in the arguments.\n";

struct Arguments {
  std::string column;
  std::string filter;
  bool wants_help = false;
};

/// A sentence about what is wrong; empty if nothing is.
std::string parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      arguments.wants_help = true;
    } else if (argument != "--backend" && argument != "--filter") {
      return "There is no option " + argument + ".";
    } else if (i + 1 == argc) {
      return argument + " needs a value.";
    } else {
      (argument == "--backend" ? arguments.column : arguments.filter) = argv[++i];
    }
  }
  return "";
}

/// Why those arguments name nothing; empty if they do.
std::string missing(const Arguments& arguments, const std::vector<Column>& all,
                    const std::vector<Case>& cases) {
  std::string names;
  bool is_known = arguments.column.empty();
  for (const Column& column : all) {
    is_known = is_known || column.name == arguments.column;
    names += (names.empty() ? "" : ", ") + column.name;
  }
  if (!is_known) return "There is no backend " + arguments.column + "; there are " + names + ".";
  if (cases.empty()) return "No case has \"" + arguments.filter + "\" in its name.";
  return "";
}

/// Runs the columns; returns whether everything is as it must be.
bool run(const std::vector<Column>& all, const Arguments& arguments,
         const std::vector<Case>& cases) {
  Totals totals;
  bool is_missing = false;
  for (const Column& column : all) {
    if (!arguments.column.empty() && column.name != arguments.column) continue;
    const Result<std::unique_ptr<Backend>> backend = column.create();
    if (!backend) {
      std::printf("%s: not run. %s\n", column.name.c_str(), backend.error().message.c_str());
      is_missing = !arguments.column.empty();
      continue;
    }
    std::printf("%s: %s\n", column.name.c_str(), (*backend)->info().description.c_str());
    const std::unique_ptr<Backend> oracle = make_oracle(column.arithmetic);
    std::vector<Case> of_column;
    std::ranges::copy_if(cases, std::back_inserter(of_column),
                         [&](const Case& c) { return runs_case(column, c); });
    const Arithmetic arithmetic = arithmetic_of(column, **backend);
    const Totals own = run_cases(of_column, *oracle, **backend, arithmetic, stdout);
    std::printf("%s: %s\n", column.name.c_str(), own.sentence().c_str());
    totals.add(own);
  }
  std::printf("%s\n", totals.sentence().c_str());
  return totals.num_failures == 0 && totals.num_not_run == 0 && !is_missing;
}

}  // namespace

int main(int argc, char** argv) {
  // A line as soon as it is known, into a file too: the process may not live to the end.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Arguments arguments;
  std::string mistake = parse(argc, argv, arguments);
  if (mistake.empty() && arguments.wants_help) {
    std::printf("%s", kUsage);
    return 0;
  }
  if (!mistake.empty()) {
    std::fprintf(stderr, "%s\n%s", mistake.c_str(), kUsage);
    return 2;
  }
  const std::vector<Column> all = columns(wants_long_tests());
  const std::vector<Case> cases = filtered(conformance_cases(wants_long_tests()), arguments.filter);
  mistake = missing(arguments, all, cases);
  if (!mistake.empty()) {
    std::fprintf(stderr, "%s\n", mistake.c_str());
    return 2;
  }
  return run(all, arguments, cases) ? 0 : 1;
}
