#include "kernels/cuda/linear/linear.h"

#include <algorithm>
#include <optional>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/linear/fast_product.h"
#include "kernels/cuda/linear/product.h"
#include "kernels/cuda/linear/segment_product.h"

namespace quire::cuda {

int rows_of_tile(ProductShape shape) {
  switch (shape) {
    case ProductShape::kFew8:
      return 8;
    case ProductShape::kFew16:
      return 16;
    case ProductShape::kFew32:
      return 32;
    case ProductShape::kFew64:
    case ProductShape::kMany64:
      return 64;
    case ProductShape::kMany128:
      return 128;
  }
  return 0;
}

ProductShape choose_shape(const GpuFacts& facts, int64_t rows_of_each, int64_t num_weights,
                          int64_t num_outputs) {
  // What kFew64 and kMany128 take of shared memory; before sm_80 a block may have 64 KB.
  constexpr size_t kLargeBytes = 96 * 1024;
  const bool is_large = facts.max_shared_bytes >= kLargeBytes;
  if (rows_of_each <= 8) return ProductShape::kFew8;
  if (rows_of_each <= 16) return ProductShape::kFew16;
  if (rows_of_each <= 32) return ProductShape::kFew32;
  if (rows_of_each <= 64 && is_large) return ProductShape::kFew64;
  // Large tiles read less, but only if there are enough of them for every multiprocessor.
  const int64_t tiles = (rows_of_each + 127) / 128 * num_weights * ((num_outputs + 127) / 128);
  return is_large && tiles >= facts.num_multiprocessors ? ProductShape::kMany128
                                                        : ProductShape::kMany64;
}

ProductShape choose_float_shape(int64_t rows_of_each) {
  return rows_of_each <= 8 ? ProductShape::kFew8 : ProductShape::kMany64;
}

void run_segment(CommandQueue& queue, const char* operation, DType dtype, const Product& product,
                 ProductShape shape) {
  if (dtype != DType::kF32) {
    return with_format(dtype, queue.facts().has_bf16_products, [&](auto format) {
      run_product<decltype(format)>(queue, operation, product, shape);
    });
  }
  const int num_tiles = num_row_tiles(product, shape);
  if (shape == ProductShape::kFew8) return run_float_few(queue, operation, product, num_tiles);
  run_float_many(queue, operation, product, num_tiles);
}

void linear(CommandQueue& queue, TensorView out, ConstTensorView x, const LinearWeight& weight,
            ConstTensorView bias, FastProducts* fast) {
  constexpr const char* kOperation = "linear";
  const auto* const packed = dynamic_cast<const PackedWeight*>(&weight);
  CHECK(packed != nullptr && out.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t num_inputs = packed->num_inputs();
  CHECK(has_shape(out, DType::kF32, {num_rows, packed->num_outputs()}));
  CHECK(has_shape(x, DType::kF32, {num_rows, num_inputs}));
  CHECK(bias.empty() || has_shape(bias, DType::kF32, {packed->num_outputs()}));
  if (num_rows == 0) return;

  uint4* rounded = nullptr;
  std::optional<Half> rounded_to;
  for (const LinearSegment& segment : packed->segments()) {
    const std::optional<Half> half = half_of(segment.dtype, queue.facts().has_bf16_products);
    const ProductShape shape = half ? choose_shape(queue.facts(), num_rows, 1, segment.num_outputs)
                                    : choose_float_shape(num_rows);
    if (half && needs_rounded_inputs(shape) && rounded_to != half) {
      if (rounded == nullptr) {
        rounded = static_cast<uint4*>(queue.workspace(rounded_input_bytes(num_rows, num_inputs)));
        if (rounded == nullptr) return;
      }
      round_inputs(queue, kOperation, rounded, x.as<float>(), x.row_stride(), num_rows, num_inputs,
                   *half);
      rounded_to = half;
    }
    Product product = segment_product(segment, num_inputs);
    product.bias = bias.empty() ? nullptr : bias.as<float>() + segment.first_output;
    product.x = x.as<float>();
    product.x_stride = x.row_stride();
    product.rounded = rounded;
    product.out = out.as<float>() + segment.first_output;
    product.out_stride = out.row_stride();
    product.num_rows = static_cast<int>(num_rows);
    if (fast != nullptr && fast->takes(segment.dtype, product)) {
      fast->run(kOperation, segment.dtype, product);
    } else {
      run_segment(queue, kOperation, segment.dtype, product, shape);
    }
  }
}

}  // namespace quire::cuda
