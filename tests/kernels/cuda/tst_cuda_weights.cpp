#include <QTest>
#include <cmath>

#include "kernels/base/dequantize.h"
#include "kernels/cuda/weights/formats/formats.h"
#include "tests/kernels/cuda/weights_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A GPU with a packer, kept for many tests: setting up takes longer than they do.
struct Gpu {
  std::unique_ptr<cuda::CommandQueue> queue;
  cuda::LinearPacker packer{*queue, size_t{64} << 10};

  explicit Gpu(int compute_capability) : queue(make_queue(compute_capability)) {}
};

const std::vector<cuda::LinearSegment>& segments(const LinearWeight& weight) {
  return static_cast<const cuda::PackedWeight&>(weight).segments();
}

int64_t unit_inputs(DType dtype) {
  return cuda::with_format(
      dtype, true, [](auto format) { return static_cast<int64_t>(decltype(format)::kUnitInputs); });
}

/// Rows and columns that are no multiple of anything a unit wants.
std::vector<std::pair<int64_t, int64_t>> shapes_of(DType dtype) {
  switch (dtype_block_elements(dtype)) {
    case 1:
      return {{1, 1}, {17, 70}, {40, 128}};
    case 32:
      return {{1, 32}, {17, 96}, {40, 160}};
    case 64:
    case 128:
      return {{1, 128}, {17, 640}};
    default:
      return {{1, 256}, {17, 768}};
  }
}

QByteArray row_name(DType dtype, int64_t rows, int64_t columns) {
  const std::string_view name = dtype_name(dtype);
  return QByteArray(name.data(), static_cast<qsizetype>(name.size())) + ' ' +
         QByteArray::number(static_cast<qlonglong>(rows)) + 'x' +
         QByteArray::number(static_cast<qlonglong>(columns));
}

}  // namespace

/// What a packed weight holds: every format's units against dequantize_row, within the bounds that
/// formats/ states.
class TestCudaWeights : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (m_gpu == nullptr) m_gpu = std::make_unique<Gpu>(90);
  }
  void cleanup();
  void readBack_givesEachNumberWithinItsBound_data() { addShapes(); }
  void readBack_givesEachNumberWithinItsBound();
  void fragments_holdTheWeightAndZerosPastIt_data() { addShapes(false); }
  void fragments_holdTheWeightAndZerosPastIt();
  void extremeScales_keepTheBound_data();
  void extremeScales_keepTheBound();
  void oneRounding_givesTheNearestHalf();
  void sizes_areThoseStated_data();
  void sizes_areThoseStated();
  void mxfp4_isExactForEveryExponent();
  void nvfp4_isExactForEveryScale();
  void fp8_hasEveryNumber();
  void int4_hasEveryZeroPoint();
  void scalesInF32_keepTheBound_data();
  void scalesInF32_keepTheBound();
  void segmentBytes_areThoseOfTheUnits();
  void withoutBf16Products_valuesSaturate();
  void embed_scalesRowsInAnyOrder();

 private:
  static void addShapes(bool with_floats = true);
  std::unique_ptr<LinearWeight> pack(const std::vector<ConstTensorView>& parts) {
    return m_gpu->packer.pack(parts).value();
  }
  std::vector<float> readBack(const LinearWeight& weight) {
    return read_back(*m_gpu->queue, weight);
  }

  std::unique_ptr<Gpu> m_gpu;
};

void TestCudaWeights::addShapes(bool with_floats) {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<qlonglong>("rows");
  QTest::addColumn<qlonglong>("columns");
  for (DType dtype : weight_dtypes()) {
    if (dtype == DType::kF32 && !with_floats) continue;
    for (const auto& [rows, columns] : shapes_of(dtype)) {
      QTest::newRow(row_name(dtype, rows, columns).constData())
          << static_cast<int>(dtype) << static_cast<qlonglong>(rows)
          << static_cast<qlonglong>(columns);
    }
  }
}

void TestCudaWeights::readBack_givesEachNumberWithinItsBound() {
  QFETCH(int, dtype);
  QFETCH(qlonglong, rows);
  QFETCH(qlonglong, columns);
  const WeightNumbers numbers(static_cast<DType>(dtype), rows, columns, 11);
  const auto weight = pack({numbers.view()});
  QCOMPARE(weight->num_outputs(), static_cast<int64_t>(rows));
  QCOMPARE(weight->num_inputs(), static_cast<int64_t>(columns));
  QCOMPARE(first_outside(readBack(*weight), numbers.exact, numbers.bounds()), std::string());
}

void TestCudaWeights::fragments_holdTheWeightAndZerosPastIt() {
  QFETCH(int, dtype);
  QFETCH(qlonglong, rows);
  QFETCH(qlonglong, columns);
  const auto type = static_cast<DType>(dtype);
  const WeightNumbers numbers(type, rows, columns, 12);
  const auto weight = pack({numbers.view()});
  const cuda::LinearSegment& segment = segments(*weight)[0];
  const int64_t stride = segment.num_units * unit_inputs(type);
  const std::vector<float> fragments = read_fragments(*m_gpu->queue, segment);

  std::vector<float> inside;
  for (size_t i = 0; i < fragments.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / stride;
    const int64_t column = static_cast<int64_t>(i) % stride;
    if (row < rows && column < columns) {
      inside.push_back(fragments[i]);
    } else {
      QCOMPARE(fragments[i], 0.0f);
    }
  }
  QCOMPARE(first_outside(inside, numbers.exact, numbers.bounds()), std::string());
}

void TestCudaWeights::extremeScales_keepTheBound_data() {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<float>("scale");
  QTest::addColumn<float>("minimum");
  for (DType dtype : quantized_types()) {
    // Scales that are no half in one place.
    if (dtype == DType::kMXFP4 || dtype == DType::kNVFP4 || dtype == DType::kIQ1_M) continue;
    if (dtype >= DType::kI8_128) continue;
    // The largest with which no value reaches 65,504; part scales are at most 128.
    const bool has_parts = dtype_block_elements(dtype) == 256;
    const float large = has_parts ? 0x1p-3f * 30.0f : 250.0f;
    const std::pair<float, float> scales[] = {
        {0x1p-24f, 0x1p-24f}, {0x1p-14f, -0x1p-20f}, {0x1.8p-11f, 0x1.004p-10f}, {1.0f, 1.0f},
        {-large, large},      {large, 0.0f},         {0x1.554p-8f, 0.1f},        {0.0f, 0.01f}};
    for (const auto& [scale, minimum] : scales) {
      QTest::newRow((row_name(dtype, 3, 256) + " " + QByteArray::number(scale) + " " +
                     QByteArray::number(minimum))
                        .constData())
          << static_cast<int>(dtype) << scale << minimum;
    }
  }
}

void TestCudaWeights::extremeScales_keepTheBound() {
  QFETCH(int, dtype);
  QFETCH(float, scale);
  QFETCH(float, minimum);
  WeightNumbers numbers(static_cast<DType>(dtype), 3, 256, 13);
  numbers.set_scales(scale, minimum);
  const auto weight = pack({numbers.view()});
  QCOMPARE(first_outside(readBack(*weight), numbers.exact, numbers.bounds()), std::string());
}

void TestCudaWeights::oneRounding_givesTheNearestHalf() {
  for (DType dtype : {DType::kQ4_0, DType::kQ5_0, DType::kQ8_0, DType::kIQ4_NL}) {
    const WeightNumbers numbers(dtype, 5, 96, 14);
    std::vector<float> nearest;
    for (float x : numbers.exact) nearest.push_back(f16_to_f32(f32_to_f16(x)));
    const auto weight = pack({numbers.view()});
    QVERIFY(readBack(*weight) == nearest);
  }
}

void TestCudaWeights::sizes_areThoseStated_data() {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<double>("bits");
  const std::pair<DType, double> sizes[] = {
      {DType::kF32, 32},       {DType::kF16, 16},         {DType::kBF16, 16},
      {DType::kQ4_0, 4.5},     {DType::kQ4_1, 5},         {DType::kQ5_0, 5.5},
      {DType::kQ5_1, 6},       {DType::kQ8_0, 8.5},       {DType::kQ2_K, 2.625},
      {DType::kQ3_K, 3.5625},  {DType::kQ4_K, 4.625},     {DType::kQ5_K, 5.625},
      {DType::kQ6_K, 6.5625},  {DType::kIQ4_NL, 4.5},     {DType::kIQ4_XS, 4.3125},
      {DType::kMXFP4, 4.25},   {DType::kIQ2_XXS, 2.0625}, {DType::kIQ2_XS, 2.3125},
      {DType::kIQ2_S, 2.5625}, {DType::kIQ3_XXS, 3.0625}, {DType::kIQ3_S, 3.4375},
      {DType::kIQ1_S, 1.5625}, {DType::kIQ1_M, 1.75},     {DType::kTQ1_0, 1.6875},
      {DType::kTQ2_0, 2.0625}, {DType::kNVFP4, 4.5},      {DType::kQ1_0, 1.125},
      {DType::kQ2_0, 2.25},    {DType::kI4_32, 4.75},     {DType::kI4_64, 4.375},
      {DType::kI4_128, 4.375}, {DType::kI8_128, 8.25},    {DType::kF8_128, 8.25},
      {DType::kNF4_64, 4.25},
  };
  for (const auto& [dtype, bits] : sizes) {
    QTest::newRow(row_name(dtype, 32, 512).constData()) << static_cast<int>(dtype) << bits;
  }
}

void TestCudaWeights::sizes_areThoseStated() {
  QFETCH(int, dtype);
  QFETCH(double, bits);
  const WeightNumbers numbers(static_cast<DType>(dtype), 32, 512, 15);
  const auto weight = pack({numbers.view()});
  const double stated = bits * 32 * 512 / 8;
  QVERIFY(static_cast<double>(weight->size_bytes()) >= stated);
  QVERIFY(static_cast<double>(weight->size_bytes()) < stated + 256);
}

void TestCudaWeights::mxfp4_isExactForEveryExponent() {
  WeightNumbers numbers(DType::kMXFP4, 256, 32, 16);
  for (size_t row = 0; row < 256; ++row) numbers.bytes[row * 17] = static_cast<uint8_t>(row);
  for (size_t row = 0; row < 256; ++row) {
    dequantize_row(DType::kMXFP4, &numbers.bytes[row * 17], &numbers.exact[row * 32], 32);
  }
  // Exponents under 2 become zeros; those over 253 may leave bf16, as floats would.
  std::fill_n(numbers.exact.begin(), 2 * 32, 0.0f);
  const auto weight = pack({numbers.view()});
  const std::vector<float> actual = readBack(*weight);
  for (size_t i = 0; i < actual.size(); ++i) QCOMPARE(actual[i], numbers.exact[i]);
}

void TestCudaWeights::nvfp4_isExactForEveryScale() {
  WeightNumbers numbers(DType::kNVFP4, 256, 64, 21);
  for (size_t row = 0; row < 256; ++row) {
    for (size_t i = 0; i < 4; ++i) numbers.bytes[row * 36 + i] = static_cast<uint8_t>(row);
  }
  dequantize_row(DType::kNVFP4, numbers.bytes.data(), numbers.exact.data(), 256 * 64);
  const auto weight = pack({numbers.view()});
  QVERIFY(readBack(*weight) == numbers.exact);
}

/// All 254 numbers of E4M3, exact where the scale is a power of two. A NaN makes its block NaN, and
/// no other.
void TestCudaWeights::fp8_hasEveryNumber() {
  WeightNumbers numbers(DType::kF8_128, 3, 128, 22);
  const float scale = 0x1p-9f;
  for (size_t row = 0; row < 3; ++row) {
    uint8_t* const block = &numbers.bytes[row * 132];
    std::memcpy(block, &scale, sizeof scale);
    for (size_t i = 0; i < 128; ++i) block[4 + i] = static_cast<uint8_t>(i + 128 * (row % 2));
    if (row < 2) block[4 + 127] = 0;
  }
  dequantize_row(DType::kF8_128, numbers.bytes.data(), numbers.exact.data(), 3 * 128);
  const auto weight = pack({numbers.view()});
  const std::vector<float> actual = readBack(*weight);
  for (size_t i = 0; i < 256; ++i) QCOMPARE(actual[i], numbers.exact[i]);
  for (size_t i = 256; i < 384; ++i) QVERIFY(std::isnan(actual[i]));
}

/// With scales in f16 and in bf16, which are exact.
void TestCudaWeights::int4_hasEveryZeroPoint() {
  for (DType dtype : {DType::kI4_32, DType::kI4_64, DType::kI4_128}) {
    WeightNumbers numbers(dtype, 64, 128, 23);
    const auto block_bytes = static_cast<size_t>(dtype_block_bytes(dtype));
    for (size_t at = 0, n = 0; at < numbers.bytes.size(); at += block_bytes, ++n) {
      const bool is_bf16 = n / 32 % 2 == 1;
      const uint16_t scale = is_bf16 ? f32_to_bf16(0x1.98p-7f) : f32_to_f16(0x1.994p-7f);
      std::memcpy(&numbers.bytes[at], &scale, sizeof scale);
      numbers.bytes[at + 2] = static_cast<uint8_t>(n % 32 | (is_bf16 ? 128 : 0));
    }
    dequantize_row(dtype, numbers.bytes.data(), numbers.exact.data(), 64 * 128);
    std::vector<float> nearest;
    for (float x : numbers.exact) nearest.push_back(f16_to_f32(f32_to_f16(x)));
    const auto weight = pack({numbers.view()});
    QVERIFY(readBack(*weight) == nearest);
  }
}

void TestCudaWeights::scalesInF32_keepTheBound_data() {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<float>("scale");
  for (DType dtype : {DType::kI8_128, DType::kF8_128, DType::kNF4_64}) {
    // Scales that f16 itself holds with fewer bits, or with none.
    for (float scale : {0x1.23456p-20f, -0x1.fffp-16f, 0x1.77p-9f, 100.0f, 0.0f}) {
      QTest::newRow((row_name(dtype, 3, 256) + " " + QByteArray::number(scale)).constData())
          << static_cast<int>(dtype) << scale;
    }
  }
}

void TestCudaWeights::scalesInF32_keepTheBound() {
  QFETCH(int, dtype);
  QFETCH(float, scale);
  WeightNumbers numbers(static_cast<DType>(dtype), 3, 256, 24);
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(numbers.dtype));
  for (size_t block = 0; block < numbers.bytes.size(); block += block_bytes) {
    std::memcpy(&numbers.bytes[block], &scale, sizeof scale);
  }
  dequantize_row(numbers.dtype, numbers.bytes.data(), numbers.exact.data(), 3 * 256);
  const auto weight = pack({numbers.view()});
  QCOMPARE(first_outside(readBack(*weight), numbers.exact, numbers.bounds()), std::string());
}

/// What memory is planned for without CUDA's headers is what the kernels use.
void TestCudaWeights::segmentBytes_areThoseOfTheUnits() {
  for (DType dtype : weight_dtypes()) {
    if (dtype == DType::kF32) continue;
    const int64_t unit_bytes = cuda::with_format(dtype, true, [](auto format) {
      return static_cast<int64_t>(decltype(format)::kUnitBytes);
    });
    const int64_t units = (768 + unit_inputs(dtype) - 1) / unit_inputs(dtype);
    QCOMPARE(cuda::segment_bytes(dtype, 33, 768),
             cuda::round_up_to(3 * units * unit_bytes, cuda::kSegmentAlignment));
  }
}

void TestCudaWeights::withoutBf16Products_valuesSaturate() {
  m_gpu.reset();
  m_gpu = std::make_unique<Gpu>(75);
  std::vector<uint16_t> halves;
  for (float x : {1.0f, -3.0f, 1e9f, -1e30f, 65536.0f, 0x1p-24f, 1e-30f, 0.333f}) {
    halves.push_back(f32_to_bf16(x));
  }
  const auto weight = pack({ConstTensorView(halves.data(), DType::kBF16, {1, 8})});
  const std::vector<float> expected = {1.0f,     -3.0f,    65504.0f, -65504.0f,
                                       65504.0f, 0x1p-24f, 0.0f,     bf16_to_f32(halves[7])};
  QVERIFY(readBack(*weight) == expected);

  const WeightNumbers numbers(DType::kMXFP4, 17, 96, 17);
  const auto codes = pack({numbers.view()});
  QVERIFY(readBack(*codes) == numbers.exact);
}

void TestCudaWeights::cleanup() {
  // The weights of the test are gone by now.
  if (m_gpu->queue->facts().compute_capability != 90) m_gpu.reset();
}

void TestCudaWeights::embed_scalesRowsInAnyOrder() {
  const WeightNumbers floats(DType::kF32, 5, 96, 18);
  const WeightNumbers codes(DType::kQ8_0, 21, 96, 19);
  const auto weight = pack({floats.view(), codes.view()});
  const std::vector<float> all = readBack(*weight);
  const std::vector<int32_t> ids = {25, 0, 4, 5, 25, 12};
  const std::vector<float> rows = embed_rows(*m_gpu->queue, *weight, ids, 3.5f);
  for (size_t i = 0; i < rows.size(); ++i) {
    QCOMPARE(rows[i], all[static_cast<size_t>(ids[i / 96]) * 96 + i % 96] * 3.5f);
  }
}

QTEST_GUILESS_MAIN(TestCudaWeights)
#include "tst_cuda_weights.moc"
