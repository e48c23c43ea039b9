// rope_cos_sin, rope_and_store and position_scales.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"

namespace quire::cuda {
namespace {

/// Sine and cosine of an angle below a million, with an error of little more than half a unit in
/// the last place. Computed in double: the angle is reduced by quarter turns to at most pi / 4,
/// where the Taylor series are exact to 2^-40. (sinf uses local memory for large angles.)
__device__ __forceinline__ void sin_cos(float angle, float& sine, float& cosine) {
  // pi / 2 in two parts, the first of 33 bits, so that its integer multiples are exact up to 2^20.
  constexpr double kHalfPiHigh = 1.57079632673412561417;
  constexpr double kHalfPiLow = 6.07710050650619224932e-11;
  const double quarters = rint(double{angle} * 0.63661977236758134308);
  const double r = (double{angle} - quarters * kHalfPiHigh) - quarters * kHalfPiLow;
  const double square = r * r;
  double s = 1.0 / 6227020800.0;
  s = s * square - 1.0 / 39916800.0;
  s = s * square + 1.0 / 362880.0;
  s = s * square - 1.0 / 5040.0;
  s = s * square + 1.0 / 120.0;
  s = s * square - 1.0 / 6.0;
  s = s * square * r + r;
  double c = 1.0 / 479001600.0;
  c = c * square - 1.0 / 3628800.0;
  c = c * square + 1.0 / 40320.0;
  c = c * square - 1.0 / 720.0;
  c = c * square + 1.0 / 24.0;
  c = c * square - 0.5;
  c = c * square + 1.0;
  const auto quadrant = static_cast<int64_t>(quarters) & 3;
  const double first = quadrant & 1 ? c : s;
  const double second = quadrant & 1 ? s : c;
  sine = static_cast<float>(quadrant & 2 ? -first : first);
  cosine = static_cast<float>(quadrant == 1 || quadrant == 2 ? -second : second);
}

struct RotationTask {
  Rows cos_sin;
  const int32_t* positions;
  const float* inv_freq;
  int64_t num_angles;  ///< T * R
  int64_t half;        ///< R
  float scale;
};

/// One thread for each angle. Some 25 operations in double, which small GPUs compute 64 times
/// slower than in float; but a step computes the angles once for all layers.
__global__ void rope_cos_sin_kernel(RotationTask task) {
  begin_in_order();
  const int64_t index = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= task.num_angles) return;
  const int64_t t = index / task.half;
  const int64_t i = index % task.half;
  const float angle = __fmul_rn(static_cast<float>(task.positions[t]), task.inv_freq[i]);
  float sine;
  float cosine;
  sin_cos(angle, sine, cosine);
  float* const row = task.cos_sin.row(t);
  row[i] = cosine * task.scale;
  row[task.half + i] = sine * task.scale;
}

/// The pages of keys, or of values.
struct Pages {
  void* data;
  float* scales;  ///< Only for i8.
};

struct RopeTask {
  Rows q;
  Rows k;
  ConstRows v;
  ConstRows cos_sin;
  const int32_t* slot_of_row;  ///< Or null.
  Pages keys;
  Pages values;
  int64_t num_rows;
  int num_heads;
  int num_kv_heads;
  int dim;
  int value_dim;
  int half;  ///< R
  int64_t num_slots;
};

/// Gives the CPU's bits: both products are rounded before their sum.
__device__ __forceinline__ void rotate(float& a, float& b, float cosine, float sine) {
  const float first = __fsub_rn(__fmul_rn(a, cosine), __fmul_rn(b, sine));
  b = __fadd_rn(__fmul_rn(b, cosine), __fmul_rn(a, sine));
  a = first;
}

template <bool kAligned>
__device__ __forceinline__ void rotate_head(float* head, const float* cos_sin, int half) {
  for (int i = 4 * lane_index(); i < half; i += 4 * kWarpSize) {
    float4 a = load_group<kAligned>(head, i, half);
    float4 b = load_group<kAligned>(head + half, i, half);
    const float4 c = load_group<kAligned>(cos_sin, i, half);
    const float4 s = load_group<kAligned>(cos_sin + half, i, half);
    rotate(a.x, b.x, c.x, s.x);
    rotate(a.y, b.y, c.y, s.y);
    rotate(a.z, b.z, c.z, s.z);
    rotate(a.w, b.w, c.w, s.w);
    store_group<kAligned>(head, i, half, a);
    store_group<kAligned>(head + half, i, half, b);
  }
}

/// Stores four elements of a page, with one store if kAligned.
template <bool kAligned, typename Element>
__device__ __forceinline__ void store_elements(Element* page, int i, int n, Element a, Element b,
                                               Element c, Element d) {
  if constexpr (kAligned) {
    struct alignas(4 * sizeof(Element)) Four {
      Element elements[4];
    };
    *reinterpret_cast<Four*>(page + i) = {{a, b, c, d}};
  } else {
    page[i] = a;
    if (i + 1 < n) page[i + 1] = b;
    if (i + 2 < n) page[i + 2] = c;
    if (i + 3 < n) page[i + 3] = d;
  }
}

__device__ __forceinline__ float largest_of(float4 x) {
  return fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
}

/// The scale of a head's integers. NaN if any number is NaN, because integers cannot represent it.
template <bool kAligned>
__device__ __forceinline__ float integer_scale(const float* head, int n) {
  float largest = 0.0f;
  bool is_number = true;
  for (int i = 4 * lane_index(); i < n; i += 4 * kWarpSize) {
    const float4 x = load_group<kAligned>(head, i, n);
    largest = fmaxf(largest, largest_of(x));
    is_number = is_number && x.x == x.x && x.y == x.y && x.z == x.z && x.w == x.w;
  }
  largest = warp_max(largest);
  return __all_sync(kAllLanes, is_number) ? largest / 127.0f : NAN;
}

/// Rounds to nearest even. The quotient can be beyond 127 if the scale is subnormal.
__device__ __forceinline__ int8_t to_integer(float x, float scale) {
  return static_cast<int8_t>(fminf(fmaxf(rintf(x / scale), -127.0f), 127.0f));
}

/// Saturates at the largest f16; NaN stays. An infinity in a page would make NaN (0 * infinity) in
/// every row of the same matrix product, also in rows that do not see it.
__device__ __forceinline__ uint16_t finite_f16(float x) {
  constexpr float kLargest = 65504.0f;
  if (x > kLargest) return float_to_f16(kLargest);
  return float_to_f16(x < -kLargest ? -kLargest : x);
}

/// Stores one head's vector of n floats as row `place` of the pages.
template <DType kDType, bool kAligned>
__device__ __forceinline__ void store_head(const Pages& pages, int64_t place, const float* head,
                                           int n) {
  [[maybe_unused]] float scale = 0.0f;
  if constexpr (kDType == DType::kI8) {
    scale = integer_scale<kAligned>(head, n);
    if (lane_index() == 0) pages.scales[place] = scale;
  }
  for (int i = 4 * lane_index(); i < n; i += 4 * kWarpSize) {
    const float4 x = load_group<kAligned>(head, i, n);
    if constexpr (kDType == DType::kF32) {
      store_group<kAligned>(static_cast<float*>(pages.data) + place * n, i, n, x);
    } else if constexpr (kDType == DType::kF16) {
      store_elements<kAligned>(static_cast<uint16_t*>(pages.data) + place * n, i, n,
                               finite_f16(x.x), finite_f16(x.y), finite_f16(x.z), finite_f16(x.w));
    } else if constexpr (kDType == DType::kBF16) {
      store_elements<kAligned>(static_cast<uint16_t*>(pages.data) + place * n, i, n,
                               float_to_bf16(x.x), float_to_bf16(x.y), float_to_bf16(x.z),
                               float_to_bf16(x.w));
    } else if constexpr (kDType == DType::kF8E4M3) {
      store_elements<kAligned>(static_cast<uint8_t*>(pages.data) + place * n, i, n,
                               float_to_f8_e4m3(x.x), float_to_f8_e4m3(x.y), float_to_f8_e4m3(x.z),
                               float_to_f8_e4m3(x.w));
    } else {
      const bool is_zero = !(scale != 0.0f);
      const float divisor = is_zero ? 1.0f : scale;
      const float4 kept = is_zero ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : x;
      store_elements<kAligned>(static_cast<int8_t*>(pages.data) + place * n, i, n,
                               to_integer(kept.x, divisor), to_integer(kept.y, divisor),
                               to_integer(kept.z, divisor), to_integer(kept.w, divisor));
    }
  }
}

/// One warp for each head: heads of q are rotated in place, those of k are rotated and stored,
/// those of v are stored. Bound by memory: each number is read once, k once more from the cache
/// after its rotation.
template <DType kDType, bool kAligned>
__global__ void rope_and_store_kernel(RopeTask task) {
  begin_in_order();
  const int heads_per_row = task.num_heads + 2 * task.num_kv_heads;
  const int64_t index = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (index >= task.num_rows * heads_per_row) return;
  const int64_t t = index / heads_per_row;
  int head = static_cast<int>(index % heads_per_row);
  const float* const cos_sin = task.cos_sin.row(t);
  if (head < task.num_heads) {
    rotate_head<kAligned>(task.q.row(t) + int64_t{head} * task.dim, cos_sin, task.half);
    return;
  }
  head -= task.num_heads;
  const bool is_key = head < task.num_kv_heads;
  if (!is_key) head -= task.num_kv_heads;
  const int width = is_key ? task.dim : task.value_dim;
  const int64_t column = int64_t{head} * width;
  if (is_key) rotate_head<kAligned>(task.k.row(t) + column, cos_sin, task.half);
  __syncwarp();  // Other lanes read the key next.
  // Rows with slot -1 are not stored; a slot past the pages is the caller's mistake.
  if (task.slot_of_row == nullptr) return;
  const int64_t slot = task.slot_of_row[t];
  if (slot < 0 || slot >= task.num_slots) return;
  const int64_t place =
      (slot / kBlockSize * task.num_kv_heads + head) * kBlockSize + slot % kBlockSize;
  const float* const vector = (is_key ? task.k.row(t) : task.v.row(t)) + column;
  store_head<kDType, kAligned>(is_key ? task.keys : task.values, place, vector, width);
}

struct ScaleTask {
  Rows out;
  const int32_t* positions;
  int64_t num_rows;
  PositionScale params;
};

/// One thread for each row.
__global__ void position_scales_kernel(ScaleTask task) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= task.num_rows) return;
  const int64_t passed = int64_t{__ldg(task.positions + row)} + task.params.offset;
  const auto intervals = static_cast<float>(passed / task.params.interval);
  *task.out.row(row) = __fadd_rn(1.0f, __fmul_rn(task.params.beta, log1pf(intervals)));
}

template <DType kDType>
void submit_rope(CommandQueue& queue, const RopeTask& task, bool aligned) {
  constexpr unsigned kHeadsPerBlock = 4;
  const int64_t warps = task.num_rows * (task.num_heads + 2 * int64_t{task.num_kv_heads});
  const LaunchShape shape{.grid = dim3(grid_size(warps, kHeadsPerBlock)),
                          .block = dim3(kWarpSize, kHeadsPerBlock)};
  launch_early(queue, "rope_and_store",
               aligned ? rope_and_store_kernel<kDType, true> : rope_and_store_kernel<kDType, false>,
               shape, task);
}

void submit_rope(CommandQueue& queue, DType dtype, const RopeTask& task, bool aligned) {
  switch (dtype) {
    case DType::kF32:
      return submit_rope<DType::kF32>(queue, task, aligned);
    case DType::kF16:
      return submit_rope<DType::kF16>(queue, task, aligned);
    case DType::kBF16:
      return submit_rope<DType::kBF16>(queue, task, aligned);
    case DType::kF8E4M3:
      return submit_rope<DType::kF8E4M3>(queue, task, aligned);
    case DType::kI8:
      return submit_rope<DType::kI8>(queue, task, aligned);
    default:
      CHECK(!"keys and values are f32, f16, bf16, f8_e4m3 or i8");
  }
}

}  // namespace

void rope_cos_sin(CommandQueue& queue, TensorView cos_sin, ConstTensorView positions,
                  ConstTensorView inv_freq, float scale) {
  const int64_t num_rows = cos_sin.dim(0);
  const int64_t half = inv_freq.dim(0);
  CHECK(have_shape({cos_sin}, {num_rows, 2 * half}) && have_shape({inv_freq}, {half}));
  CHECK(has_shape(positions, DType::kI32, {num_rows}));
  const RotationTask task{.cos_sin = rows_of(cos_sin),
                          .positions = positions.as<int32_t>(),
                          .inv_freq = inv_freq.as<float>(),
                          .num_angles = num_rows * half,
                          .half = half,
                          .scale = scale};
  constexpr unsigned kThreads = 128;
  launch_early(queue, "rope_cos_sin", rope_cos_sin_kernel,
               {.grid = dim3(grid_size(task.num_angles, kThreads)), .block = dim3(kThreads)}, task);
}

void rope_and_store(CommandQueue& queue, TensorView q, TensorView k, ConstTensorView v,
                    ConstTensorView cos_sin, ConstTensorView slot_mapping, KvLayerView kv) {
  const int64_t num_rows = q.dim(0);
  const int64_t num_heads = q.dim(1);
  const int64_t dim = q.dim(2);
  const int64_t num_kv_heads = k.dim(1), value_dim = v.dim(2);
  const int64_t half = cos_sin.dim(1) / 2;
  CHECK(have_shape({q}, {num_rows, num_heads, dim}));
  CHECK(have_shape({k}, {num_rows, num_kv_heads, dim}));
  CHECK(have_shape({v}, {num_rows, num_kv_heads, value_dim}));
  CHECK(have_shape({cos_sin}, {num_rows, 2 * half}) && 2 * half <= dim);
  CHECK(slot_mapping.empty() || has_shape(slot_mapping, DType::kI32, {num_rows}));
  CHECK(num_kv_heads == 0 || kv.has_shape(num_kv_heads, dim, value_dim, false));
  const auto pages = [](const TensorView& view, const TensorView& scales) {
    return Pages{view.data(), scales.empty() ? nullptr : scales.as<float>()};
  };
  const RopeTask task{.q = rows_of(q),
                      .k = rows_of(k),
                      .v = rows_of(v),
                      .cos_sin = rows_of(cos_sin),
                      .slot_of_row = slot_mapping.empty() ? nullptr : slot_mapping.as<int32_t>(),
                      .keys = pages(kv.keys, kv.key_scales),
                      .values = pages(kv.values, kv.value_scales),
                      .num_rows = num_rows,
                      .num_heads = static_cast<int>(num_heads),
                      .num_kv_heads = static_cast<int>(num_kv_heads),
                      .dim = static_cast<int>(dim),
                      .value_dim = static_cast<int>(value_dim),
                      .half = static_cast<int>(half),
                      .num_slots = kv.keys.dim(0) * kBlockSize};
  const bool aligned = dim % 4 == 0 && value_dim % 4 == 0 && half % 4 == 0 && is_aligned(q) &&
                       is_aligned(k) && is_aligned(v) && is_aligned(cos_sin) &&
                       is_aligned_pointer(kv.keys.data()) && is_aligned_pointer(kv.values.data());
  submit_rope(queue, kv.keys.dtype(), task, aligned);
}

void position_scales(CommandQueue& queue, TensorView out, ConstTensorView positions,
                     const PositionScale& params) {
  const int64_t num_rows = out.dim(0);
  CHECK(have_shape({out}, {num_rows, 1}) && has_shape(positions, DType::kI32, {num_rows}));
  CHECK(params.interval > 0);
  const ScaleTask task{rows_of(out), positions.as<int32_t>(), num_rows, params};
  constexpr unsigned kThreads = 128;
  launch(queue, "position_scales", position_scales_kernel,
         {.grid = dim3(grid_size(num_rows, kThreads)), .block = dim3(kThreads)}, task);
}

}  // namespace quire::cuda
