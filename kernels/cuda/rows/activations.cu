// add, multiply, scale, soft_cap, glu, activate, gate and gather_rows: element by element, bound by
// memory.
//
// add, multiply and scale give the same bits as the CPU. In the others, products and divisions are
// IEEE's, and expf and tanhf have errors of at most 2 units in the last place (CUDA C++ Programming
// Guide, mathematical functions), those of the C library at most one: normal results differ from
// the scalar CPU variant's by at most 8 units.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/linear/glu.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"

namespace quire::cuda {
namespace {

struct AddOperation {
  Rows x;
  ConstRows y;

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    float4 sum = load_group<kAligned>(x.row(row), i, n);
    const float4 other = load_group<kAligned>(y.row(row), i, n);
    sum.x += other.x;
    sum.y += other.y;
    sum.z += other.z;
    sum.w += other.w;
    store_group<kAligned>(x.row(row), i, n, sum);
  }
};

/// kIsOne: one factor for a row's all columns.
template <bool kIsOne>
struct MultiplyOperation {
  Rows x;
  ConstRows y;

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    float4 product = load_group<kAligned>(x.row(row), i, n);
    const float one = kIsOne ? *y.row(row) : 0.0f;
    const float4 other =
        kIsOne ? make_float4(one, one, one, one) : load_group<kAligned>(y.row(row), i, n);
    product.x *= other.x;
    product.y *= other.y;
    product.z *= other.z;
    product.w *= other.w;
    store_group<kAligned>(x.row(row), i, n, product);
  }
};

struct ScaleOperation {
  Rows x;
  float factor;

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    float4 value = load_group<kAligned>(x.row(row), i, n);
    value.x *= factor;
    value.y *= factor;
    value.z *= factor;
    value.w *= factor;
    store_group<kAligned>(x.row(row), i, n, value);
  }
};

struct SoftCapOperation {
  Rows x;
  float cap;

  __device__ __forceinline__ float capped(float value) const { return cap * tanhf(value / cap); }

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float4 value = load_group<kAligned>(x.row(row), i, n);
    store_group<kAligned>(
        x.row(row), i, n,
        make_float4(capped(value.x), capped(value.y), capped(value.z), capped(value.w)));
  }
};

template <GluParams::Kind kKind>
struct GluOperation {
  Rows out;
  ConstRows gate_up;
  GluFunction<kKind> glu;

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float4 g = load_group<kAligned>(gate_up.row(row), i, n);
    const float4 u = load_group<kAligned>(gate_up.row(row) + n, i, n);
    store_group<kAligned>(out.row(row), i, n,
                          make_float4(glu(g.x, u.x), glu(g.y, u.y), glu(g.z, u.z), glu(g.w, u.w)));
  }
};

constexpr int kGluThreads = 64;

/// GluOperation with quantised activations: a thread computes a vector of halves (inputs.h), or its
/// inputs in int8, a warp a chunk. Grid: (rows, vectors of halves in a row / kGluThreads). Bound
/// by memory.
template <GluParams::Kind kKind, RowFormat kFormat>
__global__ void __launch_bounds__(kGluThreads)
    quantized_glu_kernel(OutRows out, ConstRows gate_up, GluFunction<kKind> glu, int64_t n,
                         int row_vectors) {
  begin_in_order();
  const int index = static_cast<int>(blockIdx.y * kGluThreads + threadIdx.x);
  if (index >= row_vectors) return;
  const float* const row = gate_up.row(blockIdx.x);
  const bool is_aligned = has_aligned_rows(gate_up.data, gate_up.stride) && n % 2 == 0;
  float2 g[4], u[4];
  load_vector(g, row, index, n, is_aligned);
  load_vector(u, row + n, index, n, is_aligned);
  apply_glu(g, u, glu);
  store_vector(out.words(blockIdx.x), index, g, kFormat, true);
}

template <GluParams::Kind kKind>
auto quantized_glu_kernel_of(DType dtype) {
  switch (row_format(dtype)) {
    case RowFormat::kF16:
      return quantized_glu_kernel<kKind, RowFormat::kF16>;
    case RowFormat::kBF16:
      return quantized_glu_kernel<kKind, RowFormat::kBF16>;
    default:
      return quantized_glu_kernel<kKind, RowFormat::kI8>;
  }
}

template <GluParams::Kind kKind>
void submit_quantized_glu(CommandQueue& queue, const TensorView& out,
                          const ConstTensorView& gate_up, const GluFunction<kKind>& glu) {
  const auto row_vectors = static_cast<int>(num_chunks_of(out.dim(1)) * kChunkVectors);
  launch_early(queue, "glu", quantized_glu_kernel_of<kKind>(out.dtype()),
               {.grid = {static_cast<unsigned>(out.dim(0)), grid_size(row_vectors, kGluThreads)},
                .block = {kGluThreads}},
               out_rows_of(out), rows_of(gate_up), glu, out.dim(1), row_vectors);
}

template <GluParams::Kind kKind>
void submit_glu(CommandQueue& queue, const TensorView& out, const ConstTensorView& gate_up,
                const GluParams& params) {
  const GluFunction<kKind> glu{params.limit, params.alpha};
  if (out.dtype() != DType::kF32) return submit_quantized_glu(queue, out, gate_up, glu);
  const GluOperation<kKind> operation{rows_of(out), rows_of(gate_up), glu};
  for_each_group(queue, "glu", operation, out.dim(0), out.dim(1),
                 is_aligned(out) && is_aligned(gate_up));
}

template <Activation::Kind kKind>
struct ActivateOperation {
  Rows x;
  Activation f;

  __device__ __forceinline__ float activated(float v) const {
    if constexpr (kKind == Activation::Kind::kRelu) {
      return v < 0.0f ? 0.0f : v;
    } else if constexpr (kKind == Activation::Kind::kSquaredRelu) {
      return v < 0.0f ? 0.0f : v * v;
    } else if constexpr (kKind == Activation::Kind::kSilu) {
      return gated(v, v);
    } else if constexpr (kKind == Activation::Kind::kGelu) {
      return v * 0.5f * erfcf(v * -0.70710678118654752f);
    } else if constexpr (kKind == Activation::Kind::kGeluTanh) {
      return gated(v, gelu_slope(v));
    } else {
      if (v > 0.0f) return f.positive * v * v + f.beta * v;
      const double wide = v;
      const double least = wide > f.eps ? f.eps : wide;
      return static_cast<float>((expm1(least) - wide) * f.negative + f.beta * wide);
    }
  }

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float4 v = load_group<kAligned>(x.row(row), i, n);
    store_group<kAligned>(
        x.row(row), i, n,
        make_float4(activated(v.x), activated(v.y), activated(v.z), activated(v.w)));
  }
};

template <Activation::Kind kKind>
void submit_activate(CommandQueue& queue, const TensorView& x, const Activation& f) {
  for_each_group(queue, "activate", ActivateOperation<kKind>{rows_of(x), f}, x.dim(0), x.dim(1),
                 is_aligned(x));
}

template <bool kIsOne>
struct GateOperation {
  Rows x;
  ConstRows gates;

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float4 v = load_group<kAligned>(x.row(row), i, n);
    const float one = kIsOne ? *gates.row(row) : 0.0f;
    const float4 g =
        kIsOne ? make_float4(one, one, one, one) : load_group<kAligned>(gates.row(row), i, n);
    store_group<kAligned>(
        x.row(row), i, n,
        make_float4(gated(v.x, g.x), gated(v.y, g.y), gated(v.z, g.z), gated(v.w, g.w)));
  }
};

struct GatherOperation {
  Rows out;
  ConstRows x;
  const int32_t* sources;
  int64_t num_sources;

  /// An index out of range is the caller's mistake; it is skipped because reading it could fail
  /// with an error that loses the device.
  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const int64_t source = sources[row];
    if (source < 0 || source >= num_sources) return;
    store_group<kAligned>(out.row(row), i, n, load_group<kAligned>(x.row(source), i, n));
  }
};

/// Quantised activations as the f32 that have their bits, to be copied.
template <typename View>
View as_words(const View& view) {
  if (view.dtype() == DType::kF32) return view;
  CHECK(is_quantized_activations(view));
  const int64_t row_bytes = dtype_span_bytes(view.dtype(), view.row_stride());
  return {view.data(), DType::kF32, {view.dim(0), row_bytes / int64_t{sizeof(float)}}};
}

}  // namespace

void add(CommandQueue& queue, TensorView x, ConstTensorView y) {
  CHECK(have_shape({x, y}, {x.dim(0), x.dim(1)}));
  for_each_group(queue, "add", AddOperation{rows_of(x), rows_of(y)}, x.dim(0), x.dim(1),
                 is_aligned(x) && is_aligned(y));
}

void multiply(CommandQueue& queue, TensorView x, ConstTensorView y) {
  const int64_t num_rows = x.dim(0);
  const int64_t n = x.dim(1);
  const bool is_one = y.dim(1) == 1;
  CHECK(have_shape({x}, {num_rows, n}) && have_shape({y}, {num_rows, is_one ? 1 : n}));
  if (is_one) {
    return for_each_group(queue, "multiply", MultiplyOperation<true>{rows_of(x), rows_of(y)},
                          num_rows, n, is_aligned(x));
  }
  for_each_group(queue, "multiply", MultiplyOperation<false>{rows_of(x), rows_of(y)}, num_rows, n,
                 is_aligned(x) && is_aligned(y));
}

void scale(CommandQueue& queue, TensorView x, float factor) {
  CHECK(have_shape({x}, {x.dim(0), x.dim(1)}));
  for_each_group(queue, "scale", ScaleOperation{rows_of(x), factor}, x.dim(0), x.dim(1),
                 is_aligned(x));
}

void soft_cap(CommandQueue& queue, TensorView x, float cap) {
  CHECK(have_shape({x}, {x.dim(0), x.dim(1)}) && cap > 0.0f);
  for_each_group(queue, "soft_cap", SoftCapOperation{rows_of(x), cap}, x.dim(0), x.dim(1),
                 is_aligned(x));
}

void glu(CommandQueue& queue, TensorView out, ConstTensorView gate_up, const GluParams& params) {
  CHECK(has_shape(out, out.dtype(), {out.dim(0), out.dim(1)}));
  CHECK(have_shape({gate_up}, {out.dim(0), 2 * out.dim(1)}));
  switch (params.kind) {
    case GluParams::Kind::kSilu:
      return submit_glu<GluParams::Kind::kSilu>(queue, out, gate_up, params);
    case GluParams::Kind::kGeluTanh:
      return submit_glu<GluParams::Kind::kGeluTanh>(queue, out, gate_up, params);
    case GluParams::Kind::kClampedSwiglu:
      return submit_glu<GluParams::Kind::kClampedSwiglu>(queue, out, gate_up, params);
  }
}

void activate(CommandQueue& queue, TensorView x, const Activation& f) {
  CHECK(have_shape({x}, {x.dim(0), x.dim(1)}));
  switch (f.kind) {
    case Activation::Kind::kRelu:
      return submit_activate<Activation::Kind::kRelu>(queue, x, f);
    case Activation::Kind::kSquaredRelu:
      return submit_activate<Activation::Kind::kSquaredRelu>(queue, x, f);
    case Activation::Kind::kSilu:
      return submit_activate<Activation::Kind::kSilu>(queue, x, f);
    case Activation::Kind::kGelu:
      return submit_activate<Activation::Kind::kGelu>(queue, x, f);
    case Activation::Kind::kGeluTanh:
      return submit_activate<Activation::Kind::kGeluTanh>(queue, x, f);
    case Activation::Kind::kXielu:
      return submit_activate<Activation::Kind::kXielu>(queue, x, f);
  }
}

void gate(CommandQueue& queue, TensorView x, ConstTensorView gate) {
  const int64_t num_rows = x.dim(0);
  const int64_t n = x.dim(1);
  const bool is_one = gate.dim(1) == 1;
  CHECK(have_shape({x}, {num_rows, n}) && have_shape({gate}, {num_rows, is_one ? 1 : n}));
  if (is_one) {
    return for_each_group(queue, "gate", GateOperation<true>{rows_of(x), rows_of(gate)}, num_rows,
                          n, is_aligned(x));
  }
  for_each_group(queue, "gate", GateOperation<false>{rows_of(x), rows_of(gate)}, num_rows, n,
                 is_aligned(x) && is_aligned(gate));
}

void gather_rows(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView rows) {
  CHECK(out.dtype() == x.dtype());
  out = as_words(out);
  x = as_words(x);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({x}, {x.dim(0), n}));
  CHECK(has_shape(rows, DType::kI32, {num_rows}));
  const GatherOperation operation{rows_of(out), rows_of(x), rows.as<int32_t>(), x.dim(0)};
  for_each_group(queue, "gather_rows", operation, num_rows, n, is_aligned(out) && is_aligned(x));
}

}  // namespace quire::cuda
