#include <algorithm>
#include <limits>

#include "kernels/base/quantized_activations.h"
#include "kernels/cuda/linear/cublas_gemm.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/linear/out_rows.h"
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
    CHECK(is_aligned_pointer(x.data()));
    gemm.quantized = static_cast<const uint4*>(x.data());
  }
}

DType input_dtype(const CommandQueue& queue, const LinearWeight& weight) {
  const PackedWeight& packed = packed_weight(weight);
  if (packed.input_order() != nullptr || packed.segments().empty()) return DType::kF32;
  const auto of_segment = [&](const LinearSegment& segment) {
    return input_dtype(segment.dtype, queue.facts());
  };
  const DType dtype = of_segment(packed.segments().front());
  for (const LinearSegment& segment : packed.segments()) {
    if (of_segment(segment) != dtype) return DType::kF32;
  }
  return dtype;
}

DType input_dtype(DType weight, const GpuFacts& facts) {
  if (weight == DType::kF32) return DType::kF32;
  return with_gemm_format(weight, facts, [](auto format) {
    using Format = decltype(format);
    if (Int8GemmFormat<Format>) return DType::kI8;
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

namespace {

constexpr const char* kOperation = "linear";

/// out = x W^T + bias; or if there is a glu_out, that is written instead (GemmTask::out_format).
struct LinearCall {
  TensorView out;
  ConstTensorView x;
  const PackedWeight& weight;
  ConstTensorView bias;
  CublasGemm* fast = nullptr;
  TensorView glu_out = {};
  GluParams glu = {};

  int64_t num_rows() const { return out.dim(0); }
  int64_t num_inputs() const { return weight.num_inputs(); }
  GemmShape shape(const CommandQueue& queue, const LinearSegment& segment) const {
    return segment.dtype == DType::kF32
               ? choose_float_shape(num_rows())
               : choose_linear_shape(queue.facts(), num_rows(), segment.num_outputs, num_inputs());
  }
};

void check_call(const CommandQueue& queue, const LinearCall& call) {
  const ConstTensorView& x = call.x;
  CHECK(have_shape({call.out}, {call.num_rows(), call.weight.num_outputs()}));
  CHECK(has_shape(x, x.dtype(), {call.num_rows(), call.num_inputs()}));
  CHECK(x.dtype() == DType::kF32 ||
        (is_quantized_activations(x) && x.dtype() == input_dtype(queue, call.weight)));
  CHECK(call.bias.empty() || have_shape({call.bias}, {call.weight.num_outputs()}));
}

/// quantized: x in the dtype that the segment's GEMM reads, unless x is that itself.
void run_linear_segment(CommandQueue& queue, const LinearCall& call, const LinearSegment& segment,
                        const uint4* quantized) {
  GemmTask gemm = segment_gemm(segment, call.num_inputs());
  gemm.bias = call.bias.empty() ? nullptr : call.bias.as<float>() + segment.first_output;
  gemm.quantized = quantized;
  set_inputs(gemm, call.x);
  gemm.out = call.out.as<float>() + segment.first_output;
  gemm.out_stride = call.out.row_stride();
  gemm.num_rows = static_cast<int>(call.num_rows());
  if (!call.glu_out.empty()) {
    const OutRows rows = out_rows_of(call.glu_out);
    gemm.out = static_cast<float*>(rows.data);
    gemm.out_stride = rows.row_words;
    gemm.out_format = rows.format;
    gemm.glu = call.glu;
  }
  if (call.fast != nullptr && call.fast->supports(segment.dtype, gemm)) {
    call.fast->run(kOperation, segment.dtype, gemm);
  } else {
    run_segment(queue, kOperation, segment.dtype, gemm, call.shape(queue, segment));
  }
}

void run_call(CommandQueue& queue, LinearCall call) {
  check_call(queue, call);
  if (call.num_rows() == 0) return;
  const PackedWeight& weight = call.weight;
  const size_t quantized_bytes = quantized_activation_bytes(call.num_rows(), call.num_inputs());
  uint4* quantized = nullptr;
  if (weight.input_order() != nullptr) {
    const size_t bytes = ordered_activation_bytes(call.num_rows(), call.num_inputs());
    void* const memory = queue.workspace(bytes + quantized_bytes);
    if (memory == nullptr) return;
    quantized = reinterpret_cast<uint4*>(static_cast<uint8_t*>(memory) + bytes);
    call.x = order_activations(queue, kOperation, static_cast<float*>(memory), call.x,
                               weight.input_order());
  }
  const ConstTensorView late_bias = call.bias;
  if (weight.output_scales() != nullptr) call.bias = {};
  DType quantized_to = DType::kF32;
  for (const LinearSegment& segment : weight.segments()) {
    const DType dtype = input_dtype(segment.dtype, queue.facts());
    if (is_to_be_quantized(call.x, dtype, call.shape(queue, segment)) && quantized_to != dtype) {
      if (quantized == nullptr) quantized = static_cast<uint4*>(queue.workspace(quantized_bytes));
      if (quantized == nullptr) return;
      quantize_activations(queue, kOperation, quantized, call.x, dtype);
      quantized_to = dtype;
    }
    run_linear_segment(queue, call, segment, quantized);
  }
  if (weight.output_scales() != nullptr) {
    scale_outputs(queue, kOperation, call.out, weight.output_scales(), late_bias);
  }
}

/// Whether a GEMM of many rows can store the GLU: of one format, and in whole chunks of out. From
/// the gate to the up projection are GroupWeights::group_bytes, an int.
bool can_fuse_glu(const CommandQueue& queue, const LinearCall& call, const TensorView& out) {
  const PackedWeight& weight = call.weight;
  if (weight.segments().size() != 1 || weight.input_order() != nullptr ||
      weight.output_scales() != nullptr || out.dtype() == DType::kF32 ||
      out.dim(1) % kChunkInputs != 0) {
    return false;
  }
  const LinearSegment& segment = weight.segments().front();
  if (segment.dtype == DType::kF32) return false;
  const GemmShape shape = call.shape(queue, segment);
  const bool is_many = shape == GemmShape::kMany64 || shape == GemmShape::kMany128;
  const int64_t bytes = segment_bytes(segment.dtype, segment.num_outputs, call.num_inputs());
  return is_many && bytes / 2 <= std::numeric_limits<int>::max();
}

}  // namespace

void linear(CommandQueue& queue, TensorView out, ConstTensorView x, const LinearWeight& weight,
            ConstTensorView bias, CublasGemm* fast) {
  run_call(queue, {out, x, packed_weight(weight), bias, fast});
}

bool linear_glu(CommandQueue& queue, TensorView out, TensorView gate_up, ConstTensorView x,
                const GluWeight& gate_and_up) {
  CHECK(gate_up.dim(0) == out.dim(0) && gate_up.dim(1) == 2 * out.dim(1));
  LinearCall call = {gate_up, x, packed_weight(gate_and_up.weight), gate_and_up.bias};
  if (!can_fuse_glu(queue, call, out)) return false;
  call.glu_out = out;
  call.glu = gate_and_up.params;
  run_call(queue, call);
  return true;
}

}  // namespace quire::cuda
