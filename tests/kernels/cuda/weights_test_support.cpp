#include "tests/kernels/cuda/weights_test_support.h"

#include <simt/control.h>

#include <cmath>
#include <numeric>

#include "kernels/base/dequantize.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/weights/formats/formats.h"

namespace quire::test {
namespace {

/// Where a block's scale and minimum are, -1 where it has none.
struct ScalePlaces {
  int scale;
  int minimum;
};

ScalePlaces scale_places(DType dtype) {
  switch (dtype) {
    case DType::kQ2_K:
      return {80, 82};
    case DType::kQ3_K:
      return {108, -1};
    case DType::kQ6_K:
      return {208, -1};
    case DType::kTQ1_0:
      return {52, -1};
    case DType::kTQ2_0:
      return {64, -1};
    case DType::kQ4_1:
    case DType::kQ5_1:
    case DType::kQ4_K:
    case DType::kQ5_K:
      return {0, 2};
    default:
      return {0, -1};
  }
}

/// Where the codes of types with a minimum that is a product are.
int first_code_byte(DType dtype) {
  return dtype == DType::kQ2_K || dtype == DType::kQ4_K || dtype == DType::kQ5_K ? 16 : -1;
}
int end_of_codes(DType dtype) {
  return dtype == DType::kQ2_K ? 80 : static_cast<int>(dtype_block_bytes(dtype));
}

/// The largest |code - zero|, or |value| of a table.
double largest_code(DType dtype) {
  switch (dtype) {
    case DType::kQ2_K:
      return 3;
    case DType::kQ3_K:
      return 4;
    case DType::kQ4_K:
      return 15;
    case DType::kQ5_K:
      return 31;
    case DType::kQ6_K:
      return 32;
    default:
      return 127;
  }
}

constexpr double kRounding = 0x1p-11;
constexpr double kSmallest = 0x1p-25;

double bound_of(DType dtype, double value, double minimum) {
  switch (dtype) {
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kMXFP4:
    case DType::kNVFP4:
      return 0.0;
    case DType::kQ2_K:
    case DType::kQ4_K:
    case DType::kQ5_K:
      return kRounding * (std::fabs(value - minimum) + std::fabs(minimum) + std::fabs(value)) +
             kSmallest * (largest_code(dtype) + 2);
    case DType::kQ3_K:
    case DType::kQ6_K:
    case DType::kIQ4_XS:
      return 2 * kRounding * std::fabs(value) + kSmallest * (largest_code(dtype) + 1);
    case DType::kI8_128:
    case DType::kF8_128:
      return 2 * kRounding * std::fabs(value) + kSmallest;
    case DType::kNF4_64:
      return 3 * kRounding * std::fabs(value) + 2 * kSmallest;
    default:
      return std::max(kRounding * std::fabs(value), kSmallest);
  }
}

/// Whole groups of 16 rows from one unit a warp: out (16 groups, out_stride).
template <typename Format>
__global__ void write_fragments(const uint8_t* units, float* out, int64_t out_stride) {
  const int64_t index = blockIdx.y * gridDim.x + blockIdx.x;
  const int lane = cuda::lane_index();
  const typename Format::Unit unit = Format::load(units + index * Format::kUnitBytes, lane);
  for (int step = 0; step < Format::kUnitInputs / 16; ++step) {
    uint32_t a[4];
    Format::fragment(unit, step, a);
    for (int i = 0; i < 8; ++i) {
      const int r = i / 2;
      const int64_t row = blockIdx.y * 16 + lane / 4 + r % 2 * 8;
      const int64_t input =
          blockIdx.x * Format::kUnitInputs + 16 * step + lane % 4 * 2 + i % 2 + r / 2 * 8;
      const auto bits = static_cast<uint16_t>(a[r] >> (i % 2 * 16));
      out[row * out_stride + input] = cuda::half_to_float<Format::kHalf>(bits);
    }
  }
}

}  // namespace

std::unique_ptr<cuda::CommandQueue> make_queue(int compute_capability) {
  simt::Machine machine;
  machine.compute_capability = compute_capability;
  machine.memory_bytes = size_t{564} << 20;  // 500 of them are the desktop's.
  simt::set_machine(machine);
  return cuda::CommandQueue::create(0).value();
}

WeightNumbers::WeightNumbers(DType type, int64_t num_rows, int64_t num_columns, uint32_t seed)
    : dtype(type), rows(num_rows), columns(num_columns) {
  if (is_quantized(type)) {
    QuantizedNumbers numbers(type, rows, columns, seed);
    bytes = std::move(numbers.blocks);
    exact = std::move(numbers.exact);
    return;
  }
  TypedNumbers numbers = in_dtype(type, Numbers(seed).floats(rows * columns));
  const auto* const data = static_cast<const uint8_t*>(numbers.data());
  bytes.assign(data, data + dtype_span_bytes(type, rows * columns));
  exact = std::move(numbers.exact);
}

void WeightNumbers::set_scales(float scale, float minimum) {
  const ScalePlaces places = scale_places(dtype);
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(dtype));
  for (size_t block = 0; block < bytes.size(); block += block_bytes) {
    const uint16_t halves[2] = {f32_to_f16(scale), f32_to_f16(minimum)};
    std::memcpy(&bytes[block + static_cast<size_t>(places.scale)], &halves[0], 2);
    if (places.minimum < 0) continue;
    std::memcpy(&bytes[block + static_cast<size_t>(places.minimum)], &halves[1], 2);
  }
  dequantize_row(dtype, bytes.data(), exact.data(), rows * columns);
}

std::vector<double> WeightNumbers::bounds() const {
  // With codes of zero a block's values are its minima.
  std::vector<float> minima(exact.size());
  if (first_code_byte(dtype) >= 0) {
    std::vector<uint8_t> zeroed = bytes;
    const auto block_bytes = static_cast<size_t>(dtype_block_bytes(dtype));
    for (size_t block = 0; block < bytes.size(); block += block_bytes) {
      for (int i = first_code_byte(dtype); i < end_of_codes(dtype); ++i) {
        zeroed[block + static_cast<size_t>(i)] = 0;
      }
    }
    dequantize_row(dtype, zeroed.data(), minima.data(), rows * columns);
  }
  std::vector<double> bounds;
  for (size_t i = 0; i < exact.size(); ++i) {
    // The values compared with are themselves rounded, to float.
    bounds.push_back(bound_of(dtype, exact[i], minima[i]) * (1 + 0x1p-9));
  }
  return bounds;
}

std::vector<DType> weight_dtypes() {
  std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16};
  for (DType dtype : quantized_types()) dtypes.push_back(dtype);
  return dtypes;
}

std::vector<float> embed_rows(cuda::CommandQueue& queue, const LinearWeight& weight,
                              const std::vector<int32_t>& ids, float scale) {
  const auto num_tokens = static_cast<int64_t>(ids.size());
  const DeviceArray<int32_t> device_ids(ids);
  const DeviceArray<float> out(
      std::vector<float>(ids.size() * static_cast<size_t>(weight.num_inputs()), NAN));
  cuda::embed(queue, TensorView(out.data(), DType::kF32, {num_tokens, weight.num_inputs()}), weight,
              ConstTensorView(device_ids.data(), DType::kI32, {num_tokens}), scale);
  return out.numbers(queue);
}

std::vector<float> read_back(cuda::CommandQueue& queue, const LinearWeight& weight) {
  std::vector<int32_t> ids(static_cast<size_t>(weight.num_outputs()));
  std::iota(ids.begin(), ids.end(), 0);
  return embed_rows(queue, weight, ids);
}

std::vector<float> read_fragments(cuda::CommandQueue& queue, const cuda::LinearSegment& segment) {
  return cuda::with_format(segment.dtype, queue.facts().has_bf16_mma, [&](auto format) {
    using Format = decltype(format);
    const int64_t groups = (segment.num_outputs + 15) / 16;
    const int64_t stride = segment.num_units * Format::kUnitInputs;
    const DeviceArray<float> out(
        std::vector<float>(static_cast<size_t>(groups * 16 * stride), NAN));
    const dim3 grid(static_cast<unsigned>(segment.num_units), static_cast<unsigned>(groups));
    cuda::launch(queue, "write_fragments", write_fragments<Format>, {grid, dim3(32)}, segment.data,
                 out.data(), stride);
    return out.numbers(queue);
  });
}

std::string first_outside(const std::vector<float>& actual, const std::vector<float>& exact,
                          const std::vector<double>& bounds) {
  if (actual.size() != exact.size()) return "sizes differ";
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = std::fabs(double{actual[i]} - exact[i]);
    if (error <= bounds[i]) continue;  // Written so that NaN is outside.
    return "number " + std::to_string(i) + " is " + std::to_string(actual[i]) + " instead of " +
           std::to_string(exact[i]) + ", the error " + std::to_string(error / bounds[i]) +
           " times its bound";
  }
  return "";
}

}  // namespace quire::test
