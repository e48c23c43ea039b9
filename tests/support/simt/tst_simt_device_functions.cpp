#include <simt/control.h>

#include <QtTest>
#include <cmath>
#include <cstring>

#include "kernels/base/dtype.h"
#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/tensor_core.h"
#include "tests/support/simt/simt_test_support.h"
#include "tests/support/simt/tensor_sum.h"

Q_DECLARE_METATYPE(simt::TensorCores)
Q_DECLARE_METATYPE(std::vector<float>)

namespace {

using quire::cuda::Half;

/// (16, 16) times (16, 8) of halves, both row by row, fragments as tensor_core.h says.
template <Half kHalf>
__global__ void multiply(const uint16_t* a, const uint16_t* b, float* out) {
  const int lane = int(threadIdx.x);
  const int g = lane / 4;
  const int c = lane % 4 * 2;
  const auto pair = [](const uint16_t* first, int step) {
    return quire::cuda::pack_x2(first[0], first[step]);
  };
  const uint32_t fragment_a[4] = {pair(a + g * 16 + c, 1), pair(a + (g + 8) * 16 + c, 1),
                                  pair(a + g * 16 + c + 8, 1), pair(a + (g + 8) * 16 + c + 8, 1)};
  const uint32_t fragment_b[2] = {pair(b + c * 8 + g, 8), pair(b + (c + 8) * 8 + g, 8)};
  float d[4] = {1, 2, 3, 4};
  quire::cuda::mma_m16n8k16<kHalf>(d, fragment_a, fragment_b);
  for (int i = 0; i < 4; ++i) out[(g + i / 2 * 8) * 8 + c + i % 2] = d[i];
}

/// (16, kDepth) times (kDepth, 8) of bytes, both row by row. The fragments as PTX's documentation
/// states them, byte by byte: A's byte i is in row g for i < 4 and 8 <= i < 12, otherwise in row g
/// + 8, and in column 4 (lane % 4) + i % 4, from i = 8 on 16 further; B's byte i in that row and
/// column g.
template <int kDepth>
__global__ void multiply_bytes(const int8_t* a, const int8_t* b, const uint32_t* origins,
                               uint32_t* out) {
  const int lane = int(threadIdx.x);
  const int g = lane / 4;
  uint32_t fragment_a[4] = {};
  uint32_t fragment_b[2] = {};
  for (int i = 0; i < kDepth / 2; ++i) {
    const int row = i < 4 || (i >= 8 && i < 12) ? g : g + 8;
    const int column = lane % 4 * 4 + i % 4 + (i >= 8 ? 16 : 0);
    fragment_a[i / 4] |= uint32_t(uint8_t(a[row * kDepth + column])) << (i % 4 * 8);
  }
  for (int i = 0; i < kDepth / 4; ++i) {
    const int row = lane % 4 * 4 + i % 4 + (i >= 4 ? 16 : 0);
    fragment_b[i / 4] |= uint32_t(uint8_t(b[row * 8 + g])) << (i % 4 * 8);
  }
  uint32_t c[4];
  for (int i = 0; i < 4; ++i) c[i] = origins[i];
  uint32_t d[4];
  if constexpr (kDepth == 32) {
    quire::cuda::mma_s8_m16n8k32(d, fragment_a, fragment_b, c);
  } else {
    quire::cuda::mma_s8_m16n8k16(d, fragment_a[0], fragment_a[1], fragment_b[0], c);
  }
  for (int i = 0; i < 4; ++i) out[(g + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

template <bool kIsTransposed>
__global__ void load_matrices(const uint4* x, uint32_t* out) {
  auto* const shared = quire::cuda::dynamic_shared<uint4>();
  const unsigned lane = threadIdx.x;
  shared[lane] = x[lane];
  __syncwarp();
  uint32_t r[4];
  if constexpr (kIsTransposed) {
    quire::cuda::load_matrix_x4_transposed(r, shared + lane);
  } else {
    quire::cuda::load_matrix_x4(r, shared + lane);
  }
  for (unsigned i = 0; i < 4; ++i) out[i * 32 + lane] = r[i];
}

/// Two groups of copies; what the thread sees of the first and the second after each step.
__global__ void copy_in_groups(const uint4* x, unsigned* out) {
  __shared__ uint4 buffers[3];
  for (unsigned i = 0; i < 3; ++i) buffers[i] = make_uint4(5, 5, 5, 5);
  unsigned* seen = out;
  const auto look = [&] {
    for (unsigned i = 0; i < 3; ++i) *seen++ = buffers[i].w;
  };
  quire::cuda::copy_async_16(buffers, x);
  quire::cuda::copy_async_commit();
  quire::cuda::copy_async_16(buffers + 1, x + 1);
  quire::cuda::copy_async_16(buffers + 2, nullptr, false);
  look();
  quire::cuda::copy_async_commit();
  quire::cuda::copy_async_wait<1>();
  look();
  quire::cuda::copy_async_wait<0>();
  look();
}

uint32_t pair_of(float low, float high, bool is_bf16) {
  return is_bf16 ? quire::cuda::pack_bf16x2(low, high) : quire::cuda::pack_f16x2(low, high);
}

}  // namespace

class TestSimtDeviceFunctions : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }
  void product_everyLaneHasItsElements_data();
  void product_everyLaneHasItsElements();
  void product_ofBytes_isExact_data();
  void product_ofBytes_isExact();
  void product_keepsSpecialValues();
  void product_addsAsTheGpuDoes_data();
  void product_addsAsTheGpuDoes();
  void loadMatrix_bothWays();
  void copyAsync_arrivesWhenWaitedFor();
  void fma_roundsOnce();
  void f8_roundTripsAndRounds();
  void bits_likeTheGuide();
};

void TestSimtDeviceFunctions::product_everyLaneHasItsElements_data() {
  QTest::addColumn<bool>("is_bf16");
  QTest::addColumn<simt::TensorCores>("tensor_cores");
  for (const bool is_bf16 : {false, true}) {
    const char* const type = is_bf16 ? "bf16" : "f16";
    QTest::addRow("%s, chain", type) << is_bf16 << simt::TensorCores::kChain;
    QTest::addRow("%s, eight", type) << is_bf16 << simt::TensorCores::kSumsOfEight;
    QTest::addRow("%s, sixteen", type) << is_bf16 << simt::TensorCores::kSumsOfSixteen;
  }
}

/// Products and sums of few bits, which are exact whatever the tensor core.
void TestSimtDeviceFunctions::product_everyLaneHasItsElements() {
  QFETCH(bool, is_bf16);
  QFETCH(simt::TensorCores, tensor_cores);
  simt::set_machine({.tensor_cores = tensor_cores});
  std::vector<uint16_t> a(16 * 16);
  std::vector<uint16_t> b(16 * 8);
  const auto number = [](size_t i) { return float(int(i * 37 % 23) - 11) / 4; };
  const auto half = [&](float x) { return is_bf16 ? quire::f32_to_bf16(x) : quire::f32_to_f16(x); };
  for (size_t i = 0; i < a.size(); ++i) a[i] = half(number(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = half(number(i + 5));
  const OnDevice<uint16_t> a_on_device(a);
  const OnDevice<uint16_t> b_on_device(b);
  const OnDevice<float> out(16 * 8);
  const auto kernel = is_bf16 ? &multiply<Half::kBF16> : &multiply<Half::kF16>;
  QCOMPARE(launch(kernel, {}, a_on_device.data(), b_on_device.data(), out.data()), cudaSuccess);
  const std::vector<float> found = out.values();
  for (size_t row = 0; row < 16; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      float expected = float(1 + row / 8 * 2 + column % 2);
      for (size_t k = 0; k < 16; ++k) expected += number(row * 16 + k) * number(k * 8 + column + 5);
      QCOMPARE(found[row * 8 + column], expected);
    }
  }
}

/// Sums that tell tensor cores apart (the sources of tensor_sum.h).
void TestSimtDeviceFunctions::product_addsAsTheGpuDoes_data() {
  QTest::addColumn<float>("sum");
  QTest::addColumn<std::vector<float>>("products");  // By k; each a power of two times its sign.
  QTest::addColumn<float>("by_eight");
  QTest::addColumn<float>("by_sixteen");
  const float next = 1.0f + 0x1p-23f;
  const auto at = [](std::vector<unsigned> places, float x) {
    std::vector<float> products(16);
    for (const unsigned k : places) products[k] = x;
    return products;
  };
  QTest::newRow("half a unit is cut off") << 1.0f << at({0}, 0x1p-24f) << 1.0f << 1.0f;
  QTest::newRow("towards zero") << -1.0f << at({0}, -0x1.8p-24f) << -1.0f << -1.0f;
  QTest::newRow("two halves") << 1.0f << at({0, 1}, 0x1p-24f) << next << next;
  QTest::newRow("two halves apart") << 1.0f << at({0, 8}, 0x1p-24f) << 1.0f << next;
  QTest::newRow("quarters") << 1.0f << at({0, 1, 2, 3}, 0x1p-25f) << 1.0f << next;
  QTest::newRow("eighths") << 1.0f << at({0, 1, 2, 3, 4, 5, 6, 7}, 0x1p-26f) << 1.0f << 1.0f;
  QTest::newRow("a product that is zero")
      << 0x1p-10f * next << at({}, 0) << 0x1p-10f * next << 0x1p-10f * next;
  QTest::newRow("subnormal inputs") << 0.0f << at({3}, 0x1p-48f) << 0x1p-48f << 0x1p-48f;
}

void TestSimtDeviceFunctions::product_addsAsTheGpuDoes() {
  QFETCH(float, sum);
  QFETCH(std::vector<float>, products);
  QFETCH(float, by_eight);
  QFETCH(float, by_sixteen);
  // As operands: the zeros meet the largest f16, whose exponent must not matter.
  const auto f16 = [](float x, int exponent) {
    return simt::operand_of(std::ldexp(x, exponent), 10, -14);
  };
  simt::Operand a[16];
  simt::Operand b[16];
  for (size_t k = 0; k < 16; ++k) {
    a[k] = f16(products[k], 24);
    b[k] = products[k] == 0.0f ? f16(65504.0f, 0) : f16(1.0f, -24);
  }
  float found = sum;
  for (size_t k = 0; k < 16; k += 8) {
    found = simt::add_products(simt::kSumsOfEight, found, a + k, b + k, 10);
  }
  QCOMPARE(found, by_eight);
  QCOMPARE(simt::add_products(simt::kSumsOfSixteen, sum, a, b, 10), by_sixteen);
}

void TestSimtDeviceFunctions::product_ofBytes_isExact_data() {
  QTest::addColumn<int>("depth");
  QTest::newRow("32") << 32;
  QTest::newRow("16") << 16;
}

void TestSimtDeviceFunctions::product_ofBytes_isExact() {
  QFETCH(int, depth);
  std::vector<int8_t> a(static_cast<size_t>(16 * depth));
  std::vector<int8_t> b(static_cast<size_t>(depth * 8));
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int8_t>(i * 101 % 256 - 128);
  const OnDevice<int8_t> a_on_device(a);
  const OnDevice<int8_t> b_on_device(b);
  const OnDevice<uint32_t> origins({0x4b400000u, 0x4b400001u, 0x4b400002u, 0x4b400003u});
  const OnDevice<uint32_t> out(16 * 8);
  const auto kernel = depth == 32 ? &multiply_bytes<32> : &multiply_bytes<16>;
  QCOMPARE(launch(kernel, {}, a_on_device.data(), b_on_device.data(), origins.data(), out.data()),
           cudaSuccess);
  const std::vector<uint32_t> found = out.values();
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      int sum = 0x4b400000 + row / 8 * 2 + column % 2;
      for (int k = 0; k < depth; ++k) {
        sum += a[static_cast<size_t>(row * depth + k)] * b[static_cast<size_t>(k * 8 + column)];
      }
      QCOMPARE(found[static_cast<size_t>(row * 8 + column)], static_cast<uint32_t>(sum));
    }
  }
}

void TestSimtDeviceFunctions::product_keepsSpecialValues() {
  std::vector<uint16_t> a(16 * 16);
  std::vector<uint16_t> b(16 * 8);
  const float inputs[] = {0x1p-24f, -0x1.ffcp-15f, 65504.0f, INFINITY, NAN, -0.0f};
  for (size_t i = 0; i < 6; ++i) a[i * 16] = quire::f32_to_f16(inputs[i]);
  for (size_t column = 0; column < 8; ++column) b[column] = quire::f32_to_f16(1.0f);
  const OnDevice<uint16_t> a_on_device(a);
  const OnDevice<uint16_t> b_on_device(b);
  const OnDevice<float> out(16 * 8);
  const auto kernel = &multiply<Half::kF16>;
  QCOMPARE(launch(kernel, {}, a_on_device.data(), b_on_device.data(), out.data()), cudaSuccess);
  for (size_t i = 0; i < 6; ++i) {
    const float found = out.values()[i * 8];
    const float expected = 1.0f + inputs[i];
    QVERIFY(found == expected || (std::isnan(found) && std::isnan(expected)));
  }
}

void TestSimtDeviceFunctions::loadMatrix_bothWays() {
  // Four matrices of 8 x 8: the element is 100 * matrix + 10 * row + column.
  std::vector<uint16_t> elements(4 * 64);
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = uint16_t(i / 64 * 100 + i / 8 % 8 * 10 + i % 8);
  }
  std::vector<uint4> rows(32);
  std::memcpy(rows.data(), elements.data(), 512);
  const OnDevice<uint4> x(rows);
  const OnDevice<uint32_t> out(4 * 32);
  for (const bool is_transposed : {false, true}) {
    const auto kernel = is_transposed ? &load_matrices<true> : &load_matrices<false>;
    QCOMPARE(launch(kernel, {1, 32, 512}, x.data(), out.data()), cudaSuccess);
    const std::vector<uint32_t> found = out.values();
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t g = i % 32 / 4;
      const uint32_t c = i % 4 * 2;
      const uint32_t low = i / 32 * 100 + (is_transposed ? c * 10 + g : g * 10 + c);
      const uint32_t high = low + (is_transposed ? 10 : 1);
      QCOMPARE(found[i], low | high << 16);
    }
  }
}

void TestSimtDeviceFunctions::copyAsync_arrivesWhenWaitedFor() {
  const OnDevice<uint4> x(std::vector<uint4>{{1, 1, 1, 1}, {2, 2, 2, 2}});
  const OnDevice<unsigned> out(9);
  QCOMPARE(launch(&copy_in_groups, {1, 1}, x.data(), out.data()), cudaSuccess);
  const unsigned unset = ~0u;
  QCOMPARE(out.values(), (std::vector<unsigned>{unset, unset, unset, 1, unset, unset, 1, 2, 0}));
}

void TestSimtDeviceFunctions::fma_roundsOnce() {
  // Exact in f64: the products have 22 bits, and the sums of these few more.
  const float numbers[] = {1.0f, 1.0009765625f, -0.99951171875f, 3.140625f, 0x1p-10f, 129.125f};
  for (const float a : numbers) {
    for (const float b : numbers) {
      for (const float c : numbers) {
        const double exact = double(a) * b + c;
        const uint32_t f16 =
            simt::fma_f16x2(pair_of(a, 1, false), pair_of(b, 1, false), pair_of(c, 1, false));
        const float found = quire::f16_to_f32(uint16_t(f16));
        const double step = std::ldexp(1.0, std::max(std::ilogb(exact), -14) - 10);
        QVERIFY(exact == 0 || std::fabs(found - exact) <= step / 2);
        QCOMPARE(f16 >> 16, uint32_t(quire::f32_to_f16(2.0f)));
      }
    }
  }
  // 1 + 2^-11 is half way and goes to even; the least bit beyond decides otherwise.
  const auto one_plus = [](float a, float b) {
    const uint32_t sum =
        simt::fma_f16x2(pair_of(a, a, false), pair_of(b, b, false), pair_of(1, 1, false));
    return quire::f16_to_f32(uint16_t(sum));
  };
  QCOMPARE(one_plus(0x1p-11f, 1.0f), 1.0f);
  QCOMPARE(one_plus(0x1.004p-11f, 1.0f), 1.0f + 0x1p-10f);
  const uint32_t tiny = simt::fma_bf16x2(pair_of(0x1p-100f, 0x1p-8f, true),
                                         pair_of(0x1p-100f, 1.0f, true), pair_of(1, 1, true));
  QCOMPARE(tiny, pair_of(1, 1, true));
}

void TestSimtDeviceFunctions::f8_roundTripsAndRounds() {
  QCOMPARE(simt::f8_e4m3_to_float(0x7e), 448.0f);
  QCOMPARE(simt::f8_e4m3_to_float(0x01), 0x1p-9f);
  QCOMPARE(simt::f8_e4m3_to_float(0x38), 1.0f);
  for (int bits = 0; bits < 256; ++bits) {
    const float x = simt::f8_e4m3_to_float(uint8_t(bits));
    if ((bits & 0x7f) == 0x7f) {
      QVERIFY(std::isnan(x));
      continue;
    }
    QCOMPARE(int(simt::float_to_f8_e4m3(x)), bits);
    if ((bits & 0x7f) == 0x7e) continue;
    // Half way goes to the even one of two neighbours.
    const float next = simt::f8_e4m3_to_float(uint8_t(bits + 1));
    const int even = bits % 2 == 0 ? bits : bits + 1;
    QCOMPARE(int(simt::float_to_f8_e4m3((x + next) / 2)), even);
    QCOMPARE(int(simt::float_to_f8_e4m3(std::nextafterf((x + next) / 2, x))), bits);
    QCOMPARE(int(simt::float_to_f8_e4m3(std::nextafterf((x + next) / 2, next))), bits + 1);
  }
  QCOMPARE(int(simt::float_to_f8_e4m3(1e9f)), 0x7e);
  QCOMPARE(int(simt::float_to_f8_e4m3(-INFINITY)), 0xfe);
  QCOMPARE(int(simt::float_to_f8_e4m3(NAN)), 0x7f);
}

void TestSimtDeviceFunctions::bits_likeTheGuide() {
  QCOMPARE(__byte_perm(0x33221100u, 0x77665544u, 0x7520u), 0x77552200u);
  QCOMPARE(__byte_perm(0x33221180u, 0u, 0x1888u), 0x11ffffffu);
  QCOMPARE(__dp4a(int(0xff02fd04u), int(0x01020304u), 10), 10 - 1 + 4 - 9 + 16);
  QCOMPARE(__dp4a(0xff02fd04u, 0x01020304u, 10u), 10u + 255 + 4 + 759 + 16);
  QCOMPARE(__brev(0x00000003u), 0xc0000000u);
  QCOMPARE(__clz(1), 31);
  QCOMPARE(__clz(0), 32);
  QCOMPARE(__ffs(0), 0);
  QCOMPARE(__ffs(8), 4);
  QCOMPARE(__umulhi(0x80000000u, 6u), 3u);
  QCOMPARE(__funnelshift_l(0x80000000u, 1u, 1u), 3u);
  QCOMPARE(__funnelshift_r(2u, 1u, 1u), 0x80000001u);
  QCOMPARE(__float2int_rn(2.5f), 2);
  QCOMPARE(__float2int_rn(1e20f), INT32_MAX);
  QCOMPARE(__float2int_rz(-2.9f), -2);
  QCOMPARE(min(3u, 7u), 3u);
  QCOMPARE(max(-1.5f, 2.0f), 2.0f);
}

QTEST_GUILESS_MAIN(TestSimtDeviceFunctions)
#include "tst_simt_device_functions.moc"
