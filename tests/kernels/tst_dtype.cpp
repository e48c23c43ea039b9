// Conversions between float and 16-bit floats, over all 65536 patterns.

#include <QTest>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/dtype.h"

using namespace quire;

namespace {

/// IEEE 754 binary16 (5 exponent bits, 10 mantissa bits) by its definition.
double f16_value(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// bfloat16: 8 exponent bits, 7 mantissa bits.
double bf16_value(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 7) & 0xff;
  const int mantissa = bits & 0x7f;
  if (exponent == 255) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -133);
  return sign * std::ldexp(128 + mantissa, exponent - 134);
}

bool same_value(float a, double b) {
  if (std::isnan(b)) return std::isnan(a);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// The midpoint of each two neighbours goes to the even one, the floats beside it to the nearer.
template <typename Narrow, typename Value>
bool rounds_to_nearest_even(Narrow narrow, Value value, uint16_t largest) {
  for (uint16_t low = 0; low < largest; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const auto middle = static_cast<float>((value(low) + value(high)) / 2.0);
    const uint16_t even = low % 2 == 0 ? low : high;
    for (uint16_t sign : {0, 0x8000}) {
      const float m = sign != 0 ? -middle : middle;
      const float to_zero = std::nextafter(m, 0.0f);
      const float to_infinity = std::nextafter(m, sign != 0 ? -HUGE_VALF : HUGE_VALF);
      if (narrow(m) != (even | sign)) return false;
      if (narrow(to_zero) != (low | sign)) return false;
      if (narrow(to_infinity) != (high | sign)) return false;
    }
  }
  return true;
}

}  // namespace

class TestDType : public QObject {
  Q_OBJECT

 private slots:
  void widening_isExactForEveryPattern() {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = static_cast<uint16_t>(bits);
      QVERIFY2(same_value(f16_to_f32(half), f16_value(half)), qPrintable(QString::number(bits)));
      QVERIFY2(same_value(bf16_to_f32(half), bf16_value(half)), qPrintable(QString::number(bits)));
    }
  }

  void narrowing_undoesWideningForEveryPattern() {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = static_cast<uint16_t>(bits);
      const float f16 = f16_to_f32(half);
      if (std::isnan(f16)) {
        QVERIFY(std::isnan(f16_to_f32(f32_to_f16(f16))));
      } else {
        QCOMPARE(f32_to_f16(f16), half);
      }
      const float bf16 = bf16_to_f32(half);
      if (std::isnan(bf16)) {
        QVERIFY(std::isnan(bf16_to_f32(f32_to_bf16(bf16))));
      } else {
        QCOMPARE(f32_to_bf16(bf16), half);
      }
    }
  }

  void narrowing_roundsToNearestEven() {
    QVERIFY(rounds_to_nearest_even(f32_to_f16, f16_value, 0x7bff));
    // Below the smallest normal bf16 (also f32's) midpoints are still floats.
    QVERIFY(rounds_to_nearest_even(f32_to_bf16, bf16_value, 0x7f7f));
  }

  void narrowing_overflowsToInfinity() {
    QCOMPARE(f32_to_f16(65504.0f), uint16_t{0x7bff});
    QCOMPARE(f32_to_f16(65519.996f), uint16_t{0x7bff});
    QCOMPARE(f32_to_f16(65520.0f), uint16_t{0x7c00});
    QCOMPARE(f32_to_f16(-1e30f), uint16_t{0xfc00});
    QCOMPARE(f32_to_bf16(std::numeric_limits<float>::max()), uint16_t{0x7f80});
    QCOMPARE(f32_to_bf16(-HUGE_VALF), uint16_t{0xff80});
  }

  void dtype_hasNameAndSize() {
    QCOMPARE(dtype_name(DType::kBF16), std::string_view("bf16"));
    QCOMPARE(dtype_bytes(DType::kF32), 4);
    QCOMPARE(dtype_bytes(DType::kF16), 2);
    QCOMPARE(dtype_bytes(DType::kI32), 4);
  }
};

QTEST_APPLESS_MAIN(TestDType)
#include "tst_dtype.moc"
