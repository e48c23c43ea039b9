#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/kernels/conformance/comparison.h"
#include "tests/kernels/conformance/device_array.h"

/// One conformance test for every Backend: each operation, dtype and quantised type, against an
/// oracle within a stated bound (bounds.h), over shapes that are no multiple of anything; and what
/// a backend promises of bits: batch invariance and determinism.
///
/// Needs no Qt, so that it runs on a bare GPU machine too. Tensors are in the memory of the backend
/// that they are for.
namespace quire::test {

/// How a column computes, which decides what it is compared with and how close it must be.
enum class Arithmetic {
  kScalar,           ///< The oracle of the others: compared with the same in double precision.
  kVector,           ///< A CPU's instruction set: products are the oracle's bit for bit.
  kInt8Inputs,       ///< The same, but inputs of quantised weights are rounded to 8 bits.
  kBf16Inputs,       ///< And those of halves to bf16, as f16 weights are.
  kTensorCores,      ///< A GPU: products of halves, summed in f32.
  kInt8TensorCores,  ///< A GeForce: the same, but quantised weights are multiplied in int8.
  kF16TensorCores,   ///< One of sm_75, on which all halves are f16.
};
/// Whether it is that of a GPU.
bool has_tensor_cores(Arithmetic arithmetic);

/// A backend under test.
struct Column {
  std::string name;  ///< "avx2", "cuda-harness".
  Arithmetic arithmetic;
  /// The backend, or why it cannot be had here.
  std::function<Result<std::unique_ptr<Backend>>()> create;
  std::vector<std::string_view> operations = {};  ///< Only cases whose group begins so; none: all.
};

/// Every column of this build, usable here or not; "scalar" first. There is at most one backend of
/// the SIMT harness at a time: each of its columns has a machine of its own.
std::vector<Column> columns(bool is_long);

/// What a case has while it runs.
struct Trial {
  Device oracle;
  Device tested;
  Arithmetic arithmetic;
  Comparison compare = {};
};

struct Case {
  std::string group;  ///< The operation, and the dtype if it has any: "linear q4_k".
  std::string shape;  ///< "T=7 N=131 K=544".
  std::function<void(Trial&)> run;
  /// Whether the backend has what the case is about, such as pages of 8 bits; empty: all have.
  std::function<bool(const Backend&)> is_for = {};

  std::string name() const { return shape.empty() ? group : group + " " + shape; }
};

inline bool runs_case(const Column& column, const Case& conformance_case) {
  return column.operations.empty() ||
         std::ranges::any_of(column.operations, [&](std::string_view operation) {
           return conformance_case.group.starts_with(operation);
         });
}

/// The column's arithmetic, or for a GPU whether it uses int8 GEMMs: found by a product, because a
/// group of GPUs does not say it (Backend::input_dtype).
Arithmetic arithmetic_of(const Column& column, Backend& tested);

inline bool has_case(const Backend& backend, const Case& conformance_case) {
  return !conformance_case.is_for || conformance_case.is_for(backend);
}

/// All cases; with `is_long` more shapes, some of them large.
std::vector<Case> conformance_cases(bool is_long);

/// What is_long is by the environment: QUIRE_LONG_TESTS is set.
bool wants_long_tests();

/// The oracle for columns of that arithmetic.
std::unique_ptr<Backend> make_oracle(Arithmetic arithmetic);

/// Runs one case. The verdict's failure names the case.
Verdict run_case(const Case& conformance_case, Backend& oracle, Backend& tested,
                 Arithmetic arithmetic);

}  // namespace quire::test
