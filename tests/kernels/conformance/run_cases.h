#pragma once

#include <cstdio>

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// What became of cases.
struct Totals {
  int num_cases = 0;  ///< That ran.
  int num_failures = 0;
  int num_not_run = 0;  ///< After the device was lost.

  void add(const Totals& other);
  /// "120 cases, 3 failed", and how many were not run if any.
  std::string sentence() const;
};

/// Those of the cases whose name has the text.
std::vector<Case> filtered(const std::vector<Case>& cases, const std::string& text);

/// Runs those of the cases that the backend has, and writes each failure at once and a line for
/// each group of cases as soon as its last has run. A device that is lost ends it.
Totals run_cases(const std::vector<Case>& cases, Backend& oracle, Backend& tested,
                 Arithmetic arithmetic, std::FILE* output);

}  // namespace quire::test
