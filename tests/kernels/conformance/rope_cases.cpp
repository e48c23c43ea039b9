// rope_cos_sin, and rope_and_store for pages of every dtype.

#include <cmath>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/page_numbers.h"
#include "tests/kernels/conformance/row_promises.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/key_pages.h"

namespace quire::test {
namespace {

// Angles -----------------------------------------------------------------------------------------

void run_cos_sin(Trial& trial, int64_t R, float factor) {
  const std::vector<int32_t> positions = {0, 1, 2, 63, 4095, 131071, 1000003};
  const auto T = static_cast<int64_t>(positions.size());
  std::vector<float> inv_freq;
  for (int64_t i = 0; i < R; ++i) {
    inv_freq.push_back(1.0f / std::pow(10000.0f, static_cast<float>(i) / static_cast<float>(R)));
  }
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<int32_t> at(device, positions);
    const DeviceArray<float> frequencies(device, inv_freq);
    const DeviceArray<float> out(device, count * 2 * R, -7.0f);
    device.backend.rope_cos_sin(out.view({count, 2 * R}), at.view({T}).rows(begin, count),
                                frequencies.view({R}), factor);
    return out.download();
  };
  const std::vector<float> got = run(trial.tested, 0, T);
  // The angle is a float by definition; the functions of it are right to two units of 1.
  trial.compare.within("cos_sin", got, run(trial.oracle, 0, T), 4.0 * kF32Unit * factor);
  check_row_promises(trial, T, 2 * R, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

void run_position_scales(Trial& trial, const PositionScale& params) {
  const std::vector<int32_t> positions = {0, 1, 6, 7, 8, 8190, 8191, 8192, 131071, 10485759};
  const auto T = static_cast<int64_t>(positions.size());
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<int32_t> at(device, positions);
    const DeviceArray<float> out(device, count, -7.0f);
    device.backend.position_scales(out.view({count, 1}), at.view({T}).rows(begin, count), params);
    return out.download();
  };
  const std::vector<float> got = run(trial.tested, 0, T);
  const std::vector<float> expected = run(trial.oracle, 0, T);
  std::vector<double> bounds;
  for (float factor : expected) bounds.push_back(8.0 * kF32Unit * factor);
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, T, 1, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

// Pages ------------------------------------------------------------------------------------------

constexpr int64_t kRopeRows = 37;
constexpr int64_t kBlocks = 5;
constexpr uint8_t kUntouched = 0x5a;
constexpr float kUntouchedScale = 7.0f;

struct RopeShape {
  DType dtype;
  int64_t H;
  int64_t Hkv;
  int64_t D;
  int64_t R;

  bool is_stored = true;

  int64_t width() const { return (H + 2 * Hkv) * D; }
  /// Of the pages, which a layer without keys of its own does not write.
  int64_t page_heads() const { return Hkv > 0 ? Hkv : 1; }
  int64_t num_slots() const { return kBlocks * page_heads() * kBlockSize; }
  /// Of a slot of a head, counted over the pool.
  int64_t slot_index(int32_t slot, int64_t head) const {
    return (slot / kBlockSize * page_heads() + head) * kBlockSize + slot % kBlockSize;
  }
};

struct RopeInputs {
  std::vector<float> qkv;  ///< (T, (H + 2 Hkv) D)
  std::vector<float> cos_sin;
  std::vector<int32_t> slot_of_row;

  explicit RopeInputs(const RopeShape& s) {
    Numbers numbers(static_cast<uint32_t>(s.D * 10 + s.R));
    qkv = numbers.floats(kRopeRows * s.width(), 3.0f);
    // A row of zeros, and one beyond what E4M3 holds.
    for (int64_t i = 0; i < s.width(); ++i) qkv[static_cast<size_t>(i)] = 0.0f;
    for (int64_t i = s.width(); i < 2 * s.width(); ++i) qkv[static_cast<size_t>(i)] *= 300.0f;
    for (int64_t t = 0; t < kRopeRows; ++t) {
      const std::vector<float> angles = numbers.floats(s.R, 3.0f);
      for (float angle : angles) cos_sin.push_back(std::cos(angle));
      for (float angle : angles) cos_sin.push_back(std::sin(angle));
      const auto slot = static_cast<int32_t>(t * 7 % (kBlocks * kBlockSize));
      slot_of_row.push_back(t % 5 == 4 || !s.is_stored ? -1 : slot);
    }
  }
};

/// What the operation leaves: q, k and v, and the two pools with their scales.
struct RopeOutcome {
  std::vector<float> qkv;
  std::vector<uint8_t> pools[2];
  std::vector<float> scales[2];
};

RopeOutcome run(Device& device, const RopeShape& s, const RopeInputs& inputs, int64_t begin,
                int64_t count) {
  const DeviceArray<float> qkv(device, inputs.qkv);
  const DeviceArray<float> cos_sin(device, inputs.cos_sin);
  const DeviceArray<int32_t> slot_mapping(device, inputs.slot_of_row);
  const int64_t pool_bytes = page_bytes(s.dtype, s.num_slots() * s.D);
  const DeviceArray<uint8_t> keys(device, pool_bytes, kUntouched);
  const DeviceArray<uint8_t> values(device, pool_bytes, kUntouched);
  const DeviceArray<float> key_scales(device, s.num_slots(), kUntouchedScale);
  const DeviceArray<float> value_scales(device, s.num_slots(), kUntouchedScale);
  const KeyPages key_pages(device.backend, s.D);
  KvLayerView kv = {key_pages.view(keys.data(), s.dtype, kBlocks, s.page_heads()),
                    values.view(s.dtype, {kBlocks, s.page_heads(), kBlockSize, s.D})};
  if (s.dtype == DType::kI8) {
    kv.key_scales = key_scales.view({kBlocks, s.page_heads(), kBlockSize});
    kv.value_scales = value_scales.view({kBlocks, s.page_heads(), kBlockSize});
  }
  const TensorView rows = qkv.view({kRopeRows, s.width()}).rows(begin, count);
  device.backend.rope_and_store(
      rows.columns(0, s.H * s.D).split_columns(s.D),
      rows.columns(s.H * s.D, s.Hkv * s.D).split_columns(s.D),
      rows.columns((s.H + s.Hkv) * s.D, s.Hkv * s.D).split_columns(s.D),
      cos_sin.view({kRopeRows, 2 * s.R}).rows(begin, count),
      s.is_stored ? slot_mapping.view({kRopeRows}).rows(begin, count) : TensorView(), kv);
  return {qkv.download(),
          {key_pages.from_device(keys.download(), dtype_bytes(s.dtype)), values.download()},
          {key_scales.download(), value_scales.download()}};
}

/// A rotated number is a c - b s, in any order of roundings and fused or not; the others stay.
std::vector<double> rotation_bounds(const RopeShape& s, const RopeInputs& inputs) {
  std::vector<double> bounds(inputs.qkv.size());
  for (int64_t t = 0; t < kRopeRows; ++t) {
    for (int64_t h = 0; h < s.H + s.Hkv; ++h) {
      for (int64_t i = 0; i < s.R; ++i) {
        const auto at = static_cast<size_t>(t * s.width() + h * s.D + i);
        const auto pair = at + static_cast<size_t>(s.R);
        const double size = std::fabs(inputs.qkv[at]) + std::fabs(inputs.qkv[pair]);
        bounds[at] = bounds[pair] = 4.0 * kF32Unit * size;
      }
    }
  }
  return bounds;
}

/// One pool is what the rows' own k (or v) rounds to, and nothing else is touched: to the bit, but
/// for i8, whose scale may be rounded differently, and with it a number half-way between two codes.
void check_pool(Trial& trial, const RopeShape& s, const RopeInputs& inputs, const RopeOutcome& got,
                int which) {
  const int64_t slot_bytes = page_bytes(s.dtype, s.D);
  std::vector<uint8_t> expected(got.pools[which].size(), kUntouched);
  std::vector<float> scales(got.scales[which].size(), kUntouchedScale);
  std::vector<float> numbers;
  std::vector<float> decoded;
  std::vector<double> bounds;
  for (int64_t t = 0; t < kRopeRows; ++t) {
    const int32_t slot = inputs.slot_of_row[static_cast<size_t>(t)];
    for (int64_t h = 0; slot >= 0 && h < s.Hkv; ++h) {
      const float* const x = got.qkv.data() + t * s.width() + (s.H + which * s.Hkv + h) * s.D;
      const int64_t at = s.slot_index(slot, h);
      uint8_t* const to = expected.data() + at * slot_bytes;
      const float scale = encode_slot(s.dtype, x, s.D, to);
      if (s.dtype != DType::kI8) continue;
      const uint8_t* const codes = got.pools[which].data() + at * slot_bytes;
      std::vector<float> slot_numbers(static_cast<size_t>(s.D));
      decode_slot(s.dtype, codes, scale, s.D, slot_numbers.data());
      numbers.insert(numbers.end(), x, x + s.D);
      decoded.insert(decoded.end(), slot_numbers.begin(), slot_numbers.end());
      bounds.insert(bounds.end(), static_cast<size_t>(s.D), scale * (0.5 + 0x1p-10));
      // Compared as numbers; the rest of the pool is compared as bytes.
      std::copy_n(codes, s.D, to);
      scales[static_cast<size_t>(at)] = scale;
    }
  }
  const std::string name = which == 0 ? "keys" : "values";
  trial.compare.within("Stored " + name, decoded, numbers, bounds);
  trial.compare.same_bits("The pool of " + name, got.pools[which], expected);
  std::vector<double> scale_bounds;
  for (float scale : scales) scale_bounds.push_back(4.0 * kF32Unit * scale);
  trial.compare.within("Scales of " + name, got.scales[which], scales, scale_bounds);
}

/// A row alone leaves the same bits in its slots as among the others.
void check_row_alone(Trial& trial, const RopeShape& s, const RopeInputs& inputs,
                     const RopeOutcome& whole, int64_t row) {
  const RopeOutcome alone = run(trial.tested, s, inputs, row, 1);
  const int32_t slot = inputs.slot_of_row[static_cast<size_t>(row)];
  const auto slot_bytes = static_cast<size_t>(page_bytes(s.dtype, s.D));
  for (int which = 0; slot >= 0 && which < 2; ++which) {
    for (int64_t h = 0; h < s.Hkv; ++h) {
      const auto at = static_cast<size_t>(s.slot_index(slot, h));
      trial.compare.same_bits("The slot of row " + std::to_string(row) + " alone",
                              std::span(alone.pools[which]).subspan(at * slot_bytes, slot_bytes),
                              std::span(whole.pools[which]).subspan(at * slot_bytes, slot_bytes));
      trial.compare.same_bits("The scale of row " + std::to_string(row) + " alone",
                              std::span(alone.scales[which]).subspan(at, 1),
                              std::span(whole.scales[which]).subspan(at, 1));
    }
  }
}

void run_rope(Trial& trial, const RopeShape& s) {
  const RopeInputs inputs(s);
  // What the oracle's pages hold does not matter: the tested rows themselves say what to store.
  RopeShape oracle_shape = s;
  oracle_shape.dtype = DType::kF32;
  const RopeOutcome expected = run(trial.oracle, oracle_shape, inputs, 0, kRopeRows);
  const RopeOutcome got = run(trial.tested, s, inputs, 0, kRopeRows);
  trial.compare.within("q, k and v", got.qkv, expected.qkv, rotation_bounds(s, inputs));
  for (int which : {0, 1}) check_pool(trial, s, inputs, got, which);
  for (int64_t row : {int64_t{1}, int64_t{8}, kRopeRows - 1}) {
    check_row_alone(trial, s, inputs, got, row);
  }
  check_row_promises(trial, kRopeRows, s.width(), got.qkv, [&](int64_t begin, int64_t count) {
    const std::vector<float> all = run(trial.tested, s, inputs, begin, count).qkv;
    return std::vector<float>(all.begin() + begin * s.width(),
                              all.begin() + (begin + count) * s.width());
  });
}

}  // namespace

void add_rope_cases(std::vector<Case>& cases) {
  for (const auto& [R, factor] : {std::pair{32, 1.0f}, {1, 1.0f}, {37, 1.5f}}) {
    cases.push_back({"rope_cos_sin", "R=" + std::to_string(R) + " scale=" + to_text(factor),
                     [R = R, factor = factor](Trial& trial) { run_cos_sin(trial, R, factor); }});
  }
  for (const PositionScale& params :
       {PositionScale{0.1f, 8192, 1}, {0.1f, 8, 0}, {2.5f, 1, 0}, {0.0f, 7, 3}}) {
    cases.push_back({"position_scales",
                     "beta=" + to_text(params.beta) +
                         " interval=" + std::to_string(params.interval) +
                         " offset=" + std::to_string(params.offset),
                     [=](Trial& trial) { run_position_scales(trial, params); }});
  }
  const RopeShape without_pages = {DType::kF32, 5, 2, 24, 5, false};
  cases.push_back({"rope_and_store f32", "D=24 R=5 stores nothing",
                   [=](Trial& trial) { run_rope(trial, without_pages); }});
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    // Whole, partial and no rotation; widths that are no multiple of a vector.
    for (const auto& [D, R] : {std::pair{64, 32}, {128, 64}, {80, 20}, {24, 5}, {13, 6}, {16, 0}}) {
      const RopeShape s = {dtype, 5, 2, D, R};
      cases.push_back({"rope_and_store " + std::string(dtype_name(dtype)),
                       "D=" + std::to_string(D) + " R=" + std::to_string(R),
                       [s](Trial& trial) { run_rope(trial, s); },
                       [dtype](const Backend& backend) { return backend.supports_kv(dtype); }});
    }
    // A layer that reads another one's pages.
    const RopeShape s = {dtype, 3, 0, 20, 10};
    cases.push_back({"rope_and_store " + std::string(dtype_name(dtype)), "q alone",
                     [s](Trial& trial) { run_rope(trial, s); },
                     [dtype](const Backend& backend) { return backend.supports_kv(dtype); }});
  }
}

}  // namespace quire::test
