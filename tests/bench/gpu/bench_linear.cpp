#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/bench/gpu/device_memory.h"
#include "tests/bench/gpu/kernel_benches.h"
#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

/// From here on the matrix GEMM is what limits a layer; below it, reading the weight.
constexpr int kManyRows = 64;

struct LinearShape {
  int64_t num_outputs;
  int64_t num_inputs;
};

/// One format and shape, and the numbers of rows to measure.
struct LinearCase {
  DType dtype;
  LinearShape shape;
  std::vector<int> rows;
  std::string suffix = {};  ///< Of the figures' names.
};

std::string name_of(const LinearCase& c, int rows) {
  return "linear " + std::string(dtype_name(c.dtype)) + " " + std::to_string(c.shape.num_outputs) +
         "x" + std::to_string(c.shape.num_inputs) + " T=" + std::to_string(rows) + c.suffix;
}

/// The same numbers in several places, so that none is read from a cache.
std::vector<const LinearWeight*> pack_copies(const Bench& bench, DeviceMemory& memory,
                                             const LinearCase& c) {
  const int64_t bytes = c.shape.num_outputs * dtype_span_bytes(c.dtype, c.shape.num_inputs);
  const std::vector<char> numbers = random_numbers(c.dtype, bytes, 0.03f);
  const ConstTensorView part(numbers.data(), c.dtype, {c.shape.num_outputs, c.shape.num_inputs});
  std::vector<const LinearWeight*> copies;
  for (int i = num_copies(bench, static_cast<double>(bytes)); i > 0; --i) {
    copies.push_back(memory.weight(std::span(&part, 1)));
  }
  return copies;
}

Values values_of(const Bench& bench, const LinearCase& c, int rows, double weight_bytes,
                 double seconds) {
  Values values = {{"us", seconds * 1e6}};
  if (rows <= kManyRows) add_bytes(values, bench.ceilings, weight_bytes, seconds);
  const double size = static_cast<double>(c.shape.num_outputs * c.shape.num_inputs);
  if (rows >= kManyRows) add_flops(values, bench.ceilings, 2.0 * rows * size, seconds);
  return values;
}

void bench_case(const Bench& bench, const LinearCase& c) {
  DeviceMemory memory(bench.backend);
  const int most_rows = *std::max_element(c.rows.begin(), c.rows.end());
  const std::vector<const LinearWeight*> weights = pack_copies(bench, memory, c);
  const TensorView x = memory.random(DType::kF32, {most_rows, c.shape.num_inputs});
  const TensorView out = memory.zeros(DType::kF32, {most_rows, c.shape.num_outputs});
  const Result<void> ready = memory.finish();
  for (const int rows : c.rows) {
    const std::string name = name_of(c, rows);
    if (!ready) {
      bench.report.add_error(name, ready.error(), bench.backend);
      continue;
    }
    const auto call = [&](int i) {
      bench.backend.linear(out.rows(0, rows), x.rows(0, rows), *weights[static_cast<size_t>(i)],
                           {});
    };
    const auto seconds =
        seconds_per_call(bench.backend, {.num_calls = static_cast<int>(weights.size()),
                                         .call = call,
                                         .budget_seconds = bench.budget_seconds()});
    if (!seconds) {
      bench.report.add_error(name, seconds.error(), bench.backend);
      continue;
    }
    const auto bytes = static_cast<double>(weights.front()->size_bytes());
    bench.report.add(name, values_of(bench, c, rows, bytes, *seconds));
  }
}

std::vector<LinearShape> shapes_of(const Options& options) {
  if (options.is_tiny) return {{256, 256}, {512, 256}};
  if (options.is_quick) return {{4096, 4096}, {28672, 4096}};
  return {{4096, 4096}, {28672, 4096}, {4096, 14336}, {128256, 4096}};
}

std::vector<DType> dtypes_of(const Options& options) {
  if (options.is_quick) return {DType::kBF16, DType::kQ8_0, DType::kQ4_K};
  return {DType::kBF16, DType::kF16, DType::kQ8_0, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K};
}

std::vector<int> rows_of(const Options& options) {
  if (options.is_tiny) return {1, 64};
  if (options.is_quick) return {1, 16, 64, 4096};
  return {1, 8, 16, 64, 512, 4096};
}

}  // namespace

int num_copies(const Bench& bench, double bytes, int most) {
  const double copies = std::ceil(static_cast<double>(bench.cold_bytes()) / bytes);
  return static_cast<int>(std::clamp(copies, 1.0, static_cast<double>(most)));
}

void bench_linear(const Bench& bench) {
  for (const DType dtype : dtypes_of(bench.options)) {
    for (const LinearShape& shape : shapes_of(bench.options)) {
      bench_case(bench, {.dtype = dtype, .shape = shape, .rows = rows_of(bench.options)});
    }
  }
}

void bench_linear_not_invariant(const Bench& bench) {
  const bool is_tiny = bench.options.is_tiny;
  for (const DType dtype : {DType::kBF16, DType::kF16}) {
    for (const LinearShape& shape : shapes_of(bench.options)) {
      bench_case(bench, {.dtype = dtype,
                         .shape = shape,
                         .rows = is_tiny ? std::vector{64} : std::vector{512, 4096},
                         .suffix = ", not batch-invariant"});
    }
  }
}

}  // namespace quire::bench
