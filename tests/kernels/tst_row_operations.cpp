// embed, rms_norm, add_rms_norm, add, swiglu, gather_rows: against doubles, with each row's bits
// the same in any batch, and with views into wider tensors.

#include <QTest>
#include <cmath>
#include <functional>

#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// An operation (T, C) -> (T, C) on rows [begin, begin + count) of a fixed input.
using Operation = std::function<std::vector<float>(Backend&, int64_t begin, int64_t count)>;

constexpr int64_t kRows = 300;

void add_widths() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("C");
  for (const std::string& isa : instruction_sets()) {
    for (int C : {1, 7, 8, 16, 67, 128, 515}) {
      QTest::addRow("%s C=%d", isa.c_str(), C) << QString::fromStdString(isa) << C;
    }
  }
}

/// A row alone has the bits that it has among all rows, for 1, 2 and 3 threads.
bool is_batch_invariant(const std::string& isa, int64_t C, const Operation& operation) {
  const std::vector<float> together = operation(*make_backend(isa, 1), 0, kRows);
  for (int threads : {1, 2, 3}) {
    const auto backend = make_backend(isa, threads);
    if (!same_bits(together, operation(*backend, 0, kRows))) return false;
    for (int64_t row : {0, 1, 150, 299}) {
      const std::vector<float> alone = operation(*backend, row, 1);
      if (!same_bits(alone.data(), together.data() + row * C, C)) return false;
    }
  }
  return true;
}

std::vector<double> rms_norm_reference(const std::vector<float>& x,
                                       const std::vector<float>& weight, double eps) {
  const size_t n = weight.size();
  std::vector<double> out;
  for (size_t row = 0; row < x.size(); row += n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) sum += double{x[row + i]} * x[row + i];
    const double inverse = 1.0 / std::sqrt(sum / static_cast<double>(n) + eps);
    for (size_t i = 0; i < n; ++i) out.push_back(x[row + i] * inverse * weight[i]);
  }
  return out;
}

}  // namespace

class TestRowOperations : public QObject {
  Q_OBJECT

 private slots:
  void rms_norm_normsRows_data() { add_widths(); }
  void rms_norm_normsRows() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(1);
    std::vector<float> x = numbers.floats(kRows * C, 10.0f);
    std::vector<float> weight = numbers.floats(C);
    const Operation norm = [&](Backend& backend, int64_t begin, int64_t count) {
      std::vector<float> out(static_cast<size_t>(count * C));
      backend.rms_norm(view(out, {count, C}), view(x, {kRows, C}).rows(begin, count),
                       view(weight, {C}), 1e-5f);
      return out;
    };
    QCOMPARE_LE(largest_error(norm(*make_backend(isa.toStdString(), 2), 0, kRows),
                              rms_norm_reference(x, weight, 1e-5)),
                5e-7);
    QVERIFY(is_batch_invariant(isa.toStdString(), C, norm));
    // In place.
    const std::vector<float> expected = norm(*make_backend(isa.toStdString(), 1), 0, kRows);
    make_backend(isa.toStdString(), 2)
        ->rms_norm(view(x, {kRows, C}), view(x, {kRows, C}), view(weight, {C}), 1e-5f);
    QVERIFY(same_bits(x, expected));
  }

  void rms_norm_ofZerosIsZero() {
    for (const std::string& isa : instruction_sets()) {
      std::vector<float> x(40, 0.0f);
      std::vector<float> weight(40, 2.0f);
      make_backend(isa, 1)->rms_norm(view(x, {1, 40}), view(x, {1, 40}), view(weight, {40}), 1e-6f);
      QCOMPARE(x, std::vector<float>(40, 0.0f));
    }
  }

  void add_rms_norm_isAddThenNorm_data() { add_widths(); }
  void add_rms_norm_isAddThenNorm() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(2);
    const std::vector<float> x = numbers.floats(kRows * C);
    std::vector<float> delta = numbers.floats(kRows * C);
    std::vector<float> weight = numbers.floats(C);
    const auto backend = make_backend(isa.toStdString(), 2);
    std::vector<float> sum = x;
    backend->add(view(sum, {kRows, C}), view(delta, {kRows, C}));
    for (size_t i = 0; i < sum.size(); ++i) QCOMPARE(sum[i], x[i] + delta[i]);
    std::vector<float> normed(sum.size());
    backend->rms_norm(view(normed, {kRows, C}), view(sum, {kRows, C}), view(weight, {C}), 1e-6f);
    std::vector<float> residual = x;
    std::vector<float> out(sum.size());
    backend->add_rms_norm(view(out, {kRows, C}), view(residual, {kRows, C}),
                          view(delta, {kRows, C}), view(weight, {C}), 1e-6f);
    QVERIFY(same_bits(residual, sum));
    QVERIFY(same_bits(out, normed));
    // out may be delta.
    residual = x;
    backend->add_rms_norm(view(delta, {kRows, C}), view(residual, {kRows, C}),
                          view(delta, {kRows, C}), view(weight, {C}), 1e-6f);
    QVERIFY(same_bits(delta, normed));
  }

  void swiglu_multipliesSilu_data() { add_widths(); }
  void swiglu_multipliesSilu() {
    QFETCH(QString, isa);
    QFETCH(int, C);
    Numbers numbers(3);
    std::vector<float> gate_up = numbers.floats(kRows * 2 * C, 12.0f);
    std::vector<double> expected;
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t i = 0; i < C; ++i) {
        const double gate = gate_up[row * 2 * C + i];
        expected.push_back(gate / (1.0 + std::exp(-gate)) * gate_up[row * 2 * C + C + i]);
      }
    }
    const Operation swiglu = [&](Backend& backend, int64_t begin, int64_t count) {
      std::vector<float> out(static_cast<size_t>(count * C));
      backend.glu(view(out, {count, C}), view(gate_up, {kRows, 2 * C}).rows(begin, count), {});
      return out;
    };
    QCOMPARE_LE(largest_error(swiglu(*make_backend(isa.toStdString(), 2), 0, kRows), expected),
                5e-7);
    QVERIFY(is_batch_invariant(isa.toStdString(), C, swiglu));
  }

  void swiglu_isAccurateOverTheWholeRange() {
    // Relative error of silu, from where it vanishes to where it is the identity.
    std::vector<float> gate_up;
    for (int i = -1000; i < 1000; ++i) gate_up.push_back(static_cast<float>(i) * 0.1f);
    gate_up.resize(4000, 1.0f);
    for (const std::string& isa : instruction_sets()) {
      std::vector<float> out(2000);
      make_backend(isa, 1)->glu(view(out, {1, 2000}), view(gate_up, {1, 4000}), {});
      for (size_t i = 0; i < 2000; ++i) {
        const double gate = gate_up[i];
        const double expected = gate / (1.0 + std::exp(-gate));
        // Below -88 exp(-gate) is infinite in floats, and silu is -0 rather than -1e-37.
        QCOMPARE_LE(std::fabs(out[i] - expected), 4e-7 * std::fabs(expected) + 1e-36);
      }
    }
  }

  void gather_rows_copiesRows() {
    Numbers numbers(6);
    std::vector<float> x = numbers.floats(20 * 30);
    std::vector<int32_t> rows = {19, 0, 7, 7};
    std::vector<float> out(4 * 10);
    // Columns 5 to 15 of a wider tensor.
    make_backend("scalar", 2)
        ->gather_rows(view(out, {4, 10}), view(x, {20, 30}).columns(5, 10), view(rows, {4}));
    for (size_t i = 0; i < 40; ++i) {
      QCOMPARE(out[i], x[static_cast<size_t>(rows[i / 10]) * 30 + 5 + i % 10]);
    }
  }

  void operations_acceptNoRows() {
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      std::vector<float> none;
      std::vector<float> weight(8, 1.0f);
      backend->rms_norm(view(none, {0, 8}), view(none, {0, 8}), view(weight, {8}), 1e-6f);
      backend->add(view(none, {0, 8}), view(none, {0, 8}));
      backend->glu(view(none, {0, 8}), view(none, {0, 16}), {});
    }
  }
};

QTEST_APPLESS_MAIN(TestRowOperations)
#include "tst_row_operations.moc"
