#include <algorithm>

#include "kernels/base/rounded_rows.h"
#include "kernels/cuda/linear/cublas_gemm.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/formats/formats.h"

namespace quire::cuda {

int rows_of_tile(GemmShape shape) {
  constexpr int kRows[] = {8, 16, 32, 64, 64, 128};
  return kRows[static_cast<size_t>(shape)];
}

GemmShape choose_shape(const GpuFacts& facts, int64_t rows_of_each, int64_t num_weights,
                       int64_t num_outputs) {
  // The shared memory of kFew64 and kMany128; before sm_80 a block can have only 64 KB.
  constexpr size_t kLargeBytes = 96 * 1024;
  const bool is_large = facts.max_shared_bytes >= kLargeBytes;
  if (rows_of_each <= 8) return GemmShape::kFew8;
  if (rows_of_each <= 16) return GemmShape::kFew16;
  if (rows_of_each <= 32) return GemmShape::kFew32;
  if (rows_of_each <= 64 && is_large) return GemmShape::kFew64;
  // Large tiles read less, but there must be enough of them for all multiprocessors.
  const int64_t tiles = (rows_of_each + 127) / 128 * num_weights * ((num_outputs + 127) / 128);
  return is_large && tiles >= facts.num_multiprocessors ? GemmShape::kMany128 : GemmShape::kMany64;
}

GemmShape choose_linear_shape(const GpuFacts& facts, int64_t num_rows, int64_t num_outputs,
                              int64_t num_inputs) {
  const GemmShape shape = choose_shape(facts, num_rows, 1, num_outputs);
  if (shape != GemmShape::kFew8) return shape;
  // From where on the machine model (docs/cuda.md) has kFew16 in front on three GPUs. Its sets have
  // 32 outputs: where they are too few for the multiprocessors, more inputs are needed.
  constexpr int64_t kInputs = 24 * 1024;
  constexpr int64_t kInputsOfFewSets = 64 * 1024;
  const int64_t num_sets = num_outputs / 32;
  const bool has_few_sets = 4 * num_sets < int64_t{3} * facts.num_multiprocessors;
  const int64_t least = has_few_sets ? kInputsOfFewSets : kInputs;
  return num_rows * num_inputs >= least ? GemmShape::kFew16 : shape;
}

GemmShape choose_float_shape(int64_t rows_of_each) {
  return rows_of_each <= 8 ? GemmShape::kFew8 : GemmShape::kMany64;
}

GemmTask segment_gemm(const LinearSegment& segment, int64_t num_inputs) {
  return {.data = segment.data,
          .bias = nullptr,
          .num_outputs = static_cast<int>(segment.num_outputs),
          .num_inputs = static_cast<int>(num_inputs),
          .row_floats = segment.row_stride,
          .num_units = static_cast<int>(segment.num_units)};
}

void set_inputs(GemmTask& gemm, const ConstTensorView& x) {
  gemm.x_stride = x.row_stride();
  if (x.dtype() == DType::kF32) {
    gemm.x = x.as<float>();
  } else {
    gemm.x = nullptr;
    CHECK(reinterpret_cast<uintptr_t>(x.data()) % sizeof(uint4) == 0);
    gemm.rounded = static_cast<const uint4*>(x.data());
  }
}

DType input_dtype(const CommandQueue& queue, const LinearWeight& weight) {
  const auto* const packed = dynamic_cast<const PackedWeight*>(&weight);
  CHECK(packed != nullptr);
  if (packed->input_order() != nullptr || packed->segments().empty()) return DType::kF32;
  const auto of_segment = [&](const LinearSegment& segment) {
    return input_dtype(segment.dtype, queue.facts());
  };
  const DType dtype = of_segment(packed->segments().front());
  for (const LinearSegment& segment : packed->segments()) {
    if (of_segment(segment) != dtype) return DType::kF32;
  }
  return dtype;
}

DType input_dtype(DType weight, const GpuFacts& facts) {
  if (weight == DType::kF32) return DType::kF32;
  return with_gemm_format(weight, facts, [](auto format) {
    using Format = decltype(format);
    if (ByteFormat<Format>) return DType::kI8;
    return Format::kHalf == Half::kF16 ? DType::kF16 : DType::kBF16;
  });
}

void run_segment(CommandQueue& queue, const char* operation, DType dtype, const GemmTask& gemm,
                 GemmShape shape) {
  if (dtype != DType::kF32) {
    return with_gemm_format(dtype, queue.facts(), [&](auto format) {
      run_gemm<decltype(format)>(queue, operation, gemm, shape);
    });
  }
  const int num_tiles = num_row_tiles(gemm, shape);
  if (shape == GemmShape::kFew8) return run_float_few(queue, operation, gemm, num_tiles);
  run_float_many(queue, operation, gemm, num_tiles);
}

void linear(CommandQueue& queue, TensorView out, ConstTensorView x, const LinearWeight& weight,
            ConstTensorView bias, CublasGemm* fast) {
  constexpr const char* kOperation = "linear";
  const auto* const packed = dynamic_cast<const PackedWeight*>(&weight);
  CHECK(packed != nullptr);
  const int64_t num_rows = out.dim(0);
  const int64_t num_inputs = packed->num_inputs();
  CHECK(have_shape({out}, {num_rows, packed->num_outputs()}));
  CHECK(has_shape(x, x.dtype(), {num_rows, num_inputs}));
  const bool is_rounded = x.dtype() != DType::kF32;
  CHECK(!is_rounded || (is_rounded_rows(x) && x.dtype() == input_dtype(queue, weight)));
  CHECK(bias.empty() || have_shape({bias}, {packed->num_outputs()}));
  if (num_rows == 0) return;

  uint4* rounded = nullptr;
  if (packed->input_order() != nullptr) {
    const size_t bytes = ordered_activation_bytes(num_rows, num_inputs);
    void* const memory = queue.workspace(bytes + rounded_activation_bytes(num_rows, num_inputs));
    if (memory == nullptr) return;
    rounded = reinterpret_cast<uint4*>(static_cast<uint8_t*>(memory) + bytes);
    x = order_activations(queue, kOperation, static_cast<float*>(memory), x, packed->input_order());
  }
  const ConstTensorView late_bias = bias;
  if (packed->output_scales() != nullptr) bias = {};
  DType rounded_to = DType::kF32;
  for (const LinearSegment& segment : packed->segments()) {
    const DType dtype = input_dtype(segment.dtype, queue.facts());
    const GemmShape shape =
        dtype != DType::kF32
            ? choose_linear_shape(queue.facts(), num_rows, segment.num_outputs, num_inputs)
            : choose_float_shape(num_rows);
    if (!is_rounded && dtype != DType::kF32 && needs_rounded(shape) && rounded_to != dtype) {
      if (rounded == nullptr) {
        rounded =
            static_cast<uint4*>(queue.workspace(rounded_activation_bytes(num_rows, num_inputs)));
        if (rounded == nullptr) return;
      }
      round_activations(queue, kOperation, rounded, x.as<float>(), x.row_stride(), num_rows,
                        num_inputs, dtype);
      rounded_to = dtype;
    }
    GemmTask gemm = segment_gemm(segment, num_inputs);
    gemm.bias = bias.empty() ? nullptr : bias.as<float>() + segment.first_output;
    gemm.rounded = rounded;
    set_inputs(gemm, x);
    gemm.out = out.as<float>() + segment.first_output;
    gemm.out_stride = out.row_stride();
    gemm.num_rows = static_cast<int>(num_rows);
    if (fast != nullptr && fast->supports(segment.dtype, gemm)) {
      fast->run(kOperation, segment.dtype, gemm);
    } else {
      run_segment(queue, kOperation, segment.dtype, gemm, shape);
    }
  }
  if (packed->output_scales() != nullptr) {
    scale_outputs(queue, kOperation, out, packed->output_scales(), late_bias);
  }
}

}  // namespace quire::cuda
