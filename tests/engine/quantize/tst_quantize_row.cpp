#include <QtTest>
#include <cmath>
#include <random>
#include <vector>

#include "engine/quantize/quantize_row.h"
#include "kernels/base/dequantize.h"

using namespace quire;

namespace {

constexpr int64_t kRow = 256;
constexpr int64_t kRows = 32;

/// 24 bits of a linear congruential generator, as a number in [0, 1).
class Uniform {
 public:
  explicit Uniform(uint64_t seed) : m_state(seed) {}
  double next() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(m_state >> 40) / 16777216.0;
  }

 private:
  uint64_t m_state;
};

/// Numbers as weights are: nearly normal, one in fifty four times as large.
std::vector<float> weights() {
  Uniform uniform(1);
  std::vector<float> x;
  for (int64_t i = 0; i < kRow * kRows; ++i) {
    const double a = uniform.next(), b = uniform.next(), c = uniform.next(), d = uniform.next();
    const double factor = 1.0 + 3.0 * (uniform.next() > 0.98 ? 1.0 : 0.0);
    x.push_back(static_cast<float>((a + b + c + d - 2.0) * 0.1 * factor));
  }
  return x;
}

std::vector<float> columns() {
  Uniform uniform(2);
  std::vector<float> importance;
  for (int64_t i = 0; i < kRow; ++i) {
    const double v = uniform.next();
    importance.push_back(static_cast<float>(0.05 + v * v * v * v * 4.0));
  }
  return importance;
}

std::vector<uint8_t> quantized(DType dtype, const std::vector<float>& x, const float* importance) {
  const auto rows = static_cast<int64_t>(x.size()) / kRow;
  const auto stride = static_cast<size_t>(dtype_span_bytes(dtype, kRow));
  std::vector<uint8_t> bytes(static_cast<size_t>(rows) * stride);
  for (int64_t r = 0; r < rows; ++r) {
    quantize_row(dtype, x.data() + r * kRow, importance, kRow,
                 bytes.data() + static_cast<size_t>(r) * stride);
  }
  return bytes;
}

std::vector<float> dequantized(DType dtype, const std::vector<uint8_t>& bytes) {
  const auto stride = static_cast<size_t>(dtype_span_bytes(dtype, kRow));
  std::vector<float> x(bytes.size() / stride * kRow);
  for (size_t r = 0; r < bytes.size() / stride; ++r) {
    dequantize_row(dtype, bytes.data() + r * stride, x.data() + r * kRow, kRow);
  }
  return x;
}

double weighted_error(const std::vector<float>& x, const std::vector<float>& y,
                      const float* importance) {
  double sum = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double difference = static_cast<double>(x[i]) - y[i];
    sum += difference * difference * (importance != nullptr ? importance[i % kRow] : 1.0);
  }
  return sum;
}

struct Format {
  DType dtype;
  /// Weighted squared errors of ggml's ggml_quantize_chunk() (llama-cpp-python 0.3.36) for
  /// weights(), without importance and with columns().
  double plain;
  double important;
};

constexpr Format kFormats[] = {
    {DType::kQ4_0, 4.454721e-01, 3.264848e-01},   {DType::kQ4_1, 2.598446e-01, 1.517012e-01},
    {DType::kQ5_0, 1.058612e-01, 8.041429e-02},   {DType::kQ5_1, 6.154807e-02, 3.622813e-02},
    {DType::kQ8_0, 1.689058e-03, 1.511713e-03},   {DType::kQ2_K, 3.652090e+00, 1.835732e+00},
    {DType::kQ3_K, 1.082741e+00, 7.404233e-01},   {DType::kQ4_K, 2.221537e-01, 1.624803e-01},
    {DType::kQ5_K, 5.843840e-02, 4.560708e-02},   {DType::kQ6_K, 1.629502e-02, 1.232438e-02},
    {DType::kIQ4_NL, 2.926671e-01, 2.146687e-01}, {DType::kIQ4_XS, 2.992269e-01, 2.275210e-01},
    {DType::kMXFP4, 6.044632e-01, 5.804203e-01},
};

}  // namespace

/// Numbers to blocks of each format, measured by what dequantize_row() makes of them.
class TestQuantizeRow : public QObject {
  Q_OBJECT

 private:
  static void formats() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kFormats)); ++i) {
      QTest::newRow(std::string(dtype_name(kFormats[i].dtype)).c_str()) << i;
    }
  }

 private slots:
  void error_isNoLargerThanTheReference_data() { formats(); }
  void error_isNoLargerThanTheReference() {
    QFETCH(int, index);
    const Format& format = kFormats[index];
    const std::vector<float> x = weights(), importance = columns();
    const auto plain = dequantized(format.dtype, quantized(format.dtype, x, nullptr));
    const double error = weighted_error(x, plain, nullptr);
    QVERIFY2(error <= format.plain, qPrintable(QString::number(error / format.plain)));
    const auto weighted = dequantized(format.dtype, quantized(format.dtype, x, importance.data()));
    const double other = weighted_error(x, weighted, importance.data());
    QVERIFY2(other <= format.important, qPrintable(QString::number(other / format.important)));
    QVERIFY(other < weighted_error(x, plain, importance.data()));
  }

  void zeros_stayZeros_data() { formats(); }
  void zeros_stayZeros() {
    QFETCH(int, index);
    const std::vector<float> x(kRow, 0.0f);
    const DType dtype = kFormats[index].dtype;
    const std::vector<float> none(kRow, 0.0f);
    QCOMPARE(dequantized(dtype, quantized(dtype, x, nullptr)), x);
    QCOMPARE(dequantized(dtype, quantized(dtype, x, none.data())), x);
    for (const float y : dequantized(dtype, quantized(dtype, weights(), none.data()))) {
      QVERIFY(std::isfinite(y));
    }
  }

  /// Of any size a format can hold, down to numbers whose scales underflow.
  void anySize_keepsItsError_data() { formats(); }
  void anySize_keepsItsError() {
    QFETCH(int, index);
    const DType dtype = kFormats[index].dtype;
    const std::vector<float> ones = weights();
    const double expected =
        weighted_error(ones, dequantized(dtype, quantized(dtype, ones, nullptr)), nullptr);
    for (const float size : {1e-30f, 1e-9f, 1e-4f, 0.5f, 1e2f, 4e4f}) {
      std::vector<float> x = ones;
      for (float& value : x) value *= size;
      const auto y = dequantized(dtype, quantized(dtype, x, nullptr));
      double limit = 1.02 * expected * size * size;
      // The smallest scale in f16 is 6e-8; below it all numbers become zeros.
      if (size < 1e-3f) limit = weighted_error(x, std::vector<float>(x.size()), nullptr);
      const double error = weighted_error(x, y, nullptr);
      QVERIFY2(error <= limit, qPrintable(QString("%1: %2").arg(size).arg(error / limit)));
    }
  }

  /// What a format can express exactly stays as it is: blocks of 8 bits, and powers of two.
  void exactNumbers_stayExact() {
    std::mt19937 random(3);
    std::vector<float> x(kRow);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(static_cast<int>(random() % 255) - 127) / 64.0f;
      if (i % 32 == 0) x[i] = 127.0f / 64.0f;
    }
    QCOMPARE(dequantized(DType::kQ8_0, quantized(DType::kQ8_0, x, nullptr)), x);
    for (float& value : x) value = static_cast<float>(kMxfp4Values[random() % 16]) / 8.0f;
    QCOMPARE(dequantized(DType::kMXFP4, quantized(DType::kMXFP4, x, nullptr)), x);
  }

  void floats_areRoundedToNearest() {
    const std::vector<float> x = weights();
    QCOMPARE(dequantized(DType::kF32, quantized(DType::kF32, x, nullptr)), x);
    const auto half = dequantized(DType::kF16, quantized(DType::kF16, x, nullptr));
    const auto brain = dequantized(DType::kBF16, quantized(DType::kBF16, x, nullptr));
    for (size_t i = 0; i < x.size(); ++i) {
      QCOMPARE(half[i], f16_to_f32(f32_to_f16(x[i])));
      QCOMPARE(brain[i], bf16_to_f32(f32_to_bf16(x[i])));
    }
  }
};

QTEST_APPLESS_MAIN(TestQuantizeRow)
#include "tst_quantize_row.moc"
