// glu, soft_cap and scale: against doubles with a stated bound over their whole range, with each
// row's bits the same in any batch, and on columns of wider tensors.

#include <QTest>
#include <cmath>
#include <limits>

#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr int64_t kRows = 120;
const GluParams::Kind kKinds[] = {GluParams::Kind::kSilu, GluParams::Kind::kGeluTanh,
                                  GluParams::Kind::kClampedSwiglu};

void add_widths() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("C");
  for (const std::string& isa : instruction_sets()) {
    for (int C : {1, 7, 16, 67, 515}) {
      QTest::addRow("%s C=%d", isa.c_str(), C) << QString::fromStdString(isa) << C;
    }
  }
}

/// The definitions of GluParams::Kind; `sensitivity` is how an error of the exponent grows in it.
double glu_of(const GluParams& params, double gate, double up, double& sensitivity) {
  sensitivity = 1.0 + std::fabs(gate);
  if (params.kind == GluParams::Kind::kSilu) return gate / (1.0 + std::exp(-gate)) * up;
  if (params.kind == GluParams::Kind::kGeluTanh) {
    const double inner = std::sqrt(2.0 / M_PI) * (gate + 0.044715 * gate * gate * gate);
    sensitivity = 1.0 + 2.0 * std::fabs(inner);
    // 0.5 (1 + tanh(inner)), written so that doubles do not cancel either.
    return gate / (1.0 + std::exp(-2.0 * inner)) * up;
  }
  const double g = std::min(gate, double{params.limit});
  const double u = std::clamp(up, -double{params.limit}, double{params.limit});
  sensitivity = 1.0 + std::fabs(params.alpha * g);
  return g / (1.0 + std::exp(-params.alpha * g)) * (u + 1.0);
}

std::vector<float> run_glu(Backend& backend, const GluParams& params, std::vector<float>& gate_up,
                           int64_t begin, int64_t count, int64_t C) {
  const auto rows = static_cast<int64_t>(gate_up.size()) / (2 * C);
  std::vector<float> out(static_cast<size_t>(count * C), -7.0f);
  backend.glu(view(out, {count, C}), view(gate_up, {rows, 2 * C}).rows(begin, count), params);
  return out;
}

}  // namespace

class TestActivations : public QObject {
  Q_OBJECT

 private slots:
  void glu_agreesWithDouble_data() { add_widths(); }
  void glu_agreesWithDouble() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(31);
    std::vector<float> gate_up = numbers.floats(kRows * 2 * C, 12.0f);
    for (GluParams::Kind kind : kKinds) {
      const GluParams params = {.kind = kind};
      const auto backend = make_backend(isa.toStdString(), 3);
      const std::vector<float> out = run_glu(*backend, params, gate_up, 0, kRows, C);
      for (int64_t i = 0; i < kRows * C; ++i) {
        const int64_t at = i / C * 2 * C + i % C;
        double sensitivity = 0.0;
        const double expected = glu_of(params, gate_up[at], gate_up[at + C], sensitivity);
        QCOMPARE_LE(std::fabs(out[i] - expected), 4e-7 * sensitivity * std::fabs(expected) + 1e-36);
      }
      for (int64_t row : {int64_t{0}, kRows / 2, kRows - 1}) {
        const auto one = make_backend(isa.toStdString(), 1);
        const std::vector<float> alone = run_glu(*one, params, gate_up, row, 1, C);
        QVERIFY(same_bits(alone.data(), out.data() + row * C, C));
      }
    }
  }

  void glu_isAccurateOverTheWholeRange() {
    // From where the gate vanishes to where it is open, and past both.
    std::vector<float> gate_up;
    for (int i = -2000; i < 2000; ++i) gate_up.push_back(static_cast<float>(i) * 0.05f);
    gate_up.resize(8000, 1.5f);
    for (const std::string& isa : instruction_sets()) {
      for (GluParams::Kind kind : kKinds) {
        const GluParams params = {.kind = kind};
        const auto out = run_glu(*make_backend(isa, 1), params, gate_up, 0, 1, 4000);
        for (size_t i = 0; i < 4000; ++i) {
          double sensitivity = 0.0;
          const double expected = glu_of(params, gate_up[i], 1.5, sensitivity);
          QCOMPARE_LE(std::fabs(out[i] - expected),
                      4e-7 * sensitivity * std::fabs(expected) + 1e-36);
        }
      }
    }
  }

  void glu_clampsAndPassesNoNumbersOn() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const GluParams params = {.kind = GluParams::Kind::kClampedSwiglu};
    for (const std::string& isa : instruction_sets()) {
      // Twenty outputs: whole vectors and a tail.
      for (size_t at : {size_t{0}, size_t{19}}) {
        std::vector<float> gate_up(40, 100.0f);
        gate_up[20 + at] = -infinity;
        auto out = run_glu(*make_backend(isa, 1), params, gate_up, 0, 1, 20);
        QCOMPARE(out[at == 0 ? 1 : 0], 56.0f - 0.0f);
        QCOMPARE(out[at], -42.0f);
        gate_up[20 + at] = nan;
        QVERIFY(std::isnan(run_glu(*make_backend(isa, 1), params, gate_up, 0, 1, 20)[at]));
        gate_up[20 + at] = 0.0f;
        gate_up[at] = nan;
        for (GluParams::Kind kind : kKinds) {
          out = run_glu(*make_backend(isa, 1), {.kind = kind}, gate_up, 0, 1, 20);
          QVERIFY(std::isnan(out[at]));
        }
      }
    }
  }

  void soft_cap_agreesWithDouble_data() { add_widths(); }
  void soft_cap_agreesWithDouble() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(32);
    for (float cap : {0.5f, 30.0f, 50.0f}) {
      const std::vector<float> x = numbers.floats(kRows * (C + 3), 90.0f);
      std::vector<float> out = x;
      make_backend(isa.toStdString(), 3)->soft_cap(view(out, {kRows, C + 3}).columns(2, C), cap);
      for (int64_t i = 0; i < kRows * (C + 3); ++i) {
        const bool inside = i % (C + 3) >= 2 && i % (C + 3) < C + 2;
        const double expected = inside ? cap * std::tanh(double{x[i]} / cap) : double{x[i]};
        QCOMPARE_LE(std::fabs(out[i] - expected), 5e-7 * std::fabs(expected));
      }
      std::vector<float> alone(x.begin() + 5 * (C + 3) + 2, x.begin() + 5 * (C + 3) + 2 + C);
      make_backend(isa.toStdString(), 1)->soft_cap(view(alone, {1, C}), cap);
      QVERIFY(same_bits(alone.data(), out.data() + 5 * (C + 3) + 2, C));
    }
  }

  void scale_multiplies_data() { add_widths(); }
  void scale_multiplies() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(33);
    const std::vector<float> x = numbers.floats(kRows * (C + 3));
    std::vector<float> out = x;
    make_backend(isa.toStdString(), 2)->scale(view(out, {kRows, C + 3}).columns(1, C), 1.7f);
    for (int64_t i = 0; i < kRows * (C + 3); ++i) {
      const bool inside = i % (C + 3) >= 1 && i % (C + 3) < C + 1;
      QCOMPARE(out[i], inside ? x[i] * 1.7f : x[i]);
    }
  }

  void rms_norm_normsHeads_data() { add_widths(); }
  void rms_norm_normsHeads() {
    // q of a fused QKV: heads of D in rows that are wider.
    QFETCH(QString, isa);
    QFETCH(int, C);
    const int64_t H = 3;
    const int64_t width = H * C + 5;
    Numbers numbers(34);
    const std::vector<float> x = numbers.floats(kRows * width, 4.0f);
    std::vector<float> weight = numbers.floats(C);
    std::vector<float> out = x;
    const TensorView heads = view(out, {kRows, width}).columns(4, H * C).split_columns(C);
    make_backend(isa.toStdString(), 3)->rms_norm(heads, heads, view(weight, {C}), 1e-6f);
    const auto one = make_backend(isa.toStdString(), 1);
    for (int64_t row : {int64_t{0}, int64_t{1}, kRows - 1}) {
      for (int64_t h = 0; h < H; ++h) {
        const auto begin = x.begin() + row * width + 4 + h * C;
        std::vector<float> alone(begin, begin + C);
        one->rms_norm(view(alone, {1, C}), view(alone, {1, C}), view(weight, {C}), 1e-6f);
        QVERIFY(same_bits(alone.data(), out.data() + row * width + 4 + h * C, C));
      }
      QCOMPARE(out[row * width + 3], x[row * width + 3]);
      QCOMPARE(out[row * width + 4 + H * C], x[row * width + 4 + H * C]);
    }
  }
};

QTEST_APPLESS_MAIN(TestActivations)
#include "tst_activations.moc"
