#include "tests/kernels/conformance/conformance.h"

#include <cstdlib>

#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/reference_backend.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {

std::vector<Case> conformance_cases(bool is_long) {
  std::vector<Case> cases;
  add_memory_cases(cases);
  add_embed_cases(cases);
  add_linear_cases(cases, is_long);
  add_expert_cases(cases);
  add_row_cases(cases);
  add_recurrent_cases(cases);
  add_rope_cases(cases);
  add_attention_cases(cases, is_long);
  add_step_cases(cases);
  return cases;
}

bool wants_long_tests() {
  return std::getenv("QUIRE_LONG_TESTS") != nullptr;
}

std::unique_ptr<Backend> make_oracle(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kScalar) return make_reference_backend();
  return make_backend("scalar", 1);
}

Verdict run_case(const Case& conformance_case, Backend& oracle, Backend& tested,
                 Arithmetic arithmetic) {
  Trial trial{Device(oracle), Device(tested), arithmetic};
  conformance_case.run(trial);
  trial.tested.finish();
  Verdict verdict = trial.compare.verdict();
  // A failure of the device explains the wrong numbers that come with it.
  if (!trial.oracle.failure.empty()) verdict.failure = "the oracle failed: " + trial.oracle.failure;
  if (!trial.tested.failure.empty()) verdict.failure = trial.tested.failure;
  if (!verdict.failure.empty()) verdict.failure = conformance_case.name() + ": " + verdict.failure;
  return verdict;
}

}  // namespace quire::test
