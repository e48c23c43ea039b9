#include "tests/support/fidelity/requantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/check.h"

namespace quire::test {
namespace {

constexpr size_t kGroup = 32;
constexpr size_t kSuperBlock = 256;
constexpr size_t kGroupsOfSuperBlock = kSuperBlock / kGroup;
using Group = std::span<const float, kGroup>;
using Codes = std::array<uint8_t, kGroup>;

/// Written so that compilers vectorise it: the models of a test are rounded while it runs.
uint8_t nearest_code(float value, int largest) {
  return static_cast<uint8_t>(std::clamp(value + 0.5f, 0.0f, static_cast<float>(largest)));
}

/// What a block holds after rounding to 16 bits, which is what codes must be chosen for.
float as_stored(float scale) {
  return f16_to_f32(f32_to_f16(scale));
}

void put_half(std::byte* to, float value) {
  const uint16_t bits = f32_to_f16(value);
  std::memcpy(to, &bits, sizeof bits);
}

// One scale: x = step * (code - half), codes up to 2 half - 1 ----------------------------------

Codes codes_of(Group x, float step, int half) {
  Codes codes;
  const float inverse = step == 0.0f ? 0.0f : 1.0f / step;
  for (size_t i = 0; i < kGroup; ++i) {
    codes[i] = nearest_code(x[i] * inverse + static_cast<float>(half), 2 * half - 1);
  }
  return codes;
}

/// The step of least squared error among some, each refitted to the codes that it leads to. The
/// codes reach one further below zero than above, so the outermost number takes that side.
float find_step(Group x, int half) {
  const float outermost = *std::max_element(
      x.begin(), x.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
  float best_step = 0.0f;
  float best_gain = 0.0f;
  for (int i = -9; i <= 9; ++i) {
    const float reach = static_cast<float>(half) + 0.1f * static_cast<float>(i);
    const Codes codes = codes_of(x, -outermost / reach, half);
    float products = 0.0f, squares = 0.0f;
    for (size_t j = 0; j < kGroup; ++j) {
      const auto code = static_cast<float>(codes[j] - half);
      products += code * x[j];
      squares += code * code;
    }
    if (squares == 0.0f || products * products / squares <= best_gain) continue;
    best_gain = products * products / squares;
    best_step = products / squares;
  }
  return as_stored(best_step);
}

/// Low nibbles are the first half of the group, high ones the second.
void put_nibbles(std::byte* to, const uint8_t* low, const uint8_t* high, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::byte>((low[i] & 15) | (high[i] & 15) << 4);
  }
}

void put_q4_0(std::byte* block, Group x) {
  const float step = find_step(x, 8);
  const Codes codes = codes_of(x, step, 8);
  put_half(block, step);
  put_nibbles(block + 2, codes.data(), codes.data() + 16, 16);
}

void put_q5_0(std::byte* block, Group x) {
  const float step = find_step(x, 16);
  const Codes codes = codes_of(x, step, 16);
  uint32_t fifth_bits = 0;
  for (size_t i = 0; i < kGroup; ++i) fifth_bits |= (uint32_t{codes[i]} >> 4) << i;
  put_half(block, step);
  std::memcpy(block + 2, &fifth_bits, sizeof fifth_bits);
  put_nibbles(block + 6, codes.data(), codes.data() + 16, 16);
}

void put_q8_0(std::byte* block, Group x) {
  float largest = 0.0f;
  for (const float value : x) largest = std::max(largest, std::abs(value));
  const float step = as_stored(largest / 127.0f);
  put_half(block, step);
  for (size_t i = 0; i < kGroup; ++i) {
    const float scaled = step == 0.0f ? 0.0f : x[i] / step;
    const auto code = static_cast<int8_t>(std::clamp(std::lround(scaled), -127L, 127L));
    block[2 + i] = static_cast<std::byte>(code);
  }
}

// Q4_K: x = step * code - drop, codes up to 15, both scales at least zero ----------------------

struct Line {
  float step = 0.0f;
  float drop = 0.0f;
};

Codes codes_of(Group x, Line line) {
  Codes codes{};
  if (line.step == 0.0f) return codes;
  const float inverse = 1.0f / line.step;
  for (size_t i = 0; i < kGroup; ++i) codes[i] = nearest_code((x[i] + line.drop) * inverse, 15);
  return codes;
}

float squared_error(Group x, const Codes& codes, Line line) {
  float sum = 0.0f;
  for (size_t i = 0; i < kGroup; ++i) {
    const float error = line.step * codes[i] - line.drop - x[i];
    sum += error * error;
  }
  return sum;
}

/// The line through (code, x) of least squares, with drop >= 0.
Line fit(Group x, const Codes& codes) {
  float sum_c = 0.0f, sum_cc = 0.0f, sum_x = 0.0f, sum_cx = 0.0f;
  for (size_t i = 0; i < kGroup; ++i) {
    const float c = codes[i];
    sum_c += c, sum_cc += c * c, sum_x += x[i], sum_cx += c * x[i];
  }
  const float n = kGroup;
  const float spread = n * sum_cc - sum_c * sum_c;
  if (spread <= 0.0f) return {0.0f, std::max(0.0f, -sum_x / n)};
  const float step = (n * sum_cx - sum_c * sum_x) / spread;
  const float drop = (step * sum_c - sum_x) / n;
  if (drop >= 0.0f) return {step, drop};
  return {sum_cx / sum_cc, 0.0f};
}

Line find_line(Group x) {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const float drop = std::max(0.0f, -*least);
  const float width = std::max(*most, 0.0f) + drop;
  Line best;
  float best_error = squared_error(x, Codes{}, best);
  for (int i = 0; i <= 16; ++i) {
    // Narrower than the numbers reach: the outermost are cut for the sake of the others.
    const float narrowed = width * (1.0f - 0.025f * static_cast<float>(i));
    const float cut = (width - narrowed) * 0.5f;
    const Line first = {narrowed / 15.0f, std::max(0.0f, drop - cut)};
    const Codes codes = codes_of(x, first);
    const Line line = fit(x, codes);
    const float error = squared_error(x, codes, line);
    if (error < best_error && line.step >= 0.0f) best = line, best_error = error;
  }
  return best;
}

/// Six bits each of eight steps and eight drops, in twelve bytes.
void put_six_bits(std::byte* to, const Codes& steps, const Codes& drops) {
  for (size_t j = 0; j < 4; ++j) {
    to[j] = static_cast<std::byte>(steps[j] | (steps[j + 4] >> 4) << 6);
    to[j + 4] = static_cast<std::byte>(drops[j] | (drops[j + 4] >> 4) << 6);
    to[j + 8] = static_cast<std::byte>((steps[j + 4] & 15) | (drops[j + 4] & 15) << 4);
  }
}

void put_q4_k(std::byte* block, std::span<const float, kSuperBlock> x) {
  const auto group = [&](size_t j) { return Group(x.data() + j * kGroup, kGroup); };
  std::array<Line, kGroupsOfSuperBlock> lines;
  Line largest;
  for (size_t j = 0; j < lines.size(); ++j) {
    lines[j] = find_line(group(j));
    largest.step = std::max(largest.step, lines[j].step);
    largest.drop = std::max(largest.drop, lines[j].drop);
  }
  const Line unit = {as_stored(largest.step / 63.0f), as_stored(largest.drop / 63.0f)};
  Codes steps{}, drops{};
  std::array<Codes, kGroupsOfSuperBlock> codes;
  for (size_t j = 0; j < lines.size(); ++j) {
    if (unit.step > 0.0f) steps[j] = nearest_code(lines[j].step / unit.step, 63);
    if (unit.drop > 0.0f) drops[j] = nearest_code(lines[j].drop / unit.drop, 63);
    codes[j] = codes_of(group(j), {unit.step * steps[j], unit.drop * drops[j]});
  }
  put_half(block, unit.step);
  put_half(block + 2, unit.drop);
  put_six_bits(block + 4, steps, drops);
  for (size_t j = 0; j < codes.size(); j += 2) {
    put_nibbles(block + 16 + j / 2 * kGroup, codes[j].data(), codes[j + 1].data(), kGroup);
  }
}

void put_block(DType dtype, std::byte* block, const float* x) {
  switch (dtype) {
    case DType::kF32:
      std::memcpy(block, x, sizeof *x);
      return;
    case DType::kQ4_0:
      return put_q4_0(block, Group(x, kGroup));
    case DType::kQ5_0:
      return put_q5_0(block, Group(x, kGroup));
    case DType::kQ8_0:
      return put_q8_0(block, Group(x, kGroup));
    case DType::kQ4_K:
      return put_q4_k(block, std::span<const float, kSuperBlock>(x, kSuperBlock));
    default:
      CHECK(false);
  }
}

}  // namespace

std::vector<std::byte> requantize(DType dtype, std::span<const float> x) {
  const auto elements = static_cast<size_t>(dtype_block_elements(dtype));
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(dtype));
  CHECK(x.size() % elements == 0);
  std::vector<std::byte> blocks(x.size() / elements * block_bytes);
  for (size_t b = 0; b * elements < x.size(); ++b) {
    put_block(dtype, blocks.data() + b * block_bytes, x.data() + b * elements);
  }
  return blocks;
}

}  // namespace quire::test
