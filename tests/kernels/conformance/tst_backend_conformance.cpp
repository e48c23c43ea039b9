// The conformance test as Qt runs it: a row for each column and case.

#include <QTest>
#include <cstdlib>

#include "tests/kernels/conformance/conformance.h"
#include "tests/kernels/conformance/faulty_backend.h"
#include "tests/kernels/conformance/run_cases.h"
#include "tests/kernels/conformance/sampling_cases.h"

using namespace quire;
using namespace quire::test;

Q_DECLARE_METATYPE(quire::test::Fault)

namespace {

/// A column's backend and its oracle.
struct Bench {
  std::unique_ptr<Backend> oracle;
  std::unique_ptr<Backend> tested;
  Arithmetic arithmetic;
  std::string reason;  ///< Why there is no backend.

  explicit Bench(const Column& column)
      : oracle(make_oracle(column.arithmetic)), arithmetic(column.arithmetic) {
    Result<std::unique_ptr<Backend>> backend = column.create();
    if (backend) {
      tested = std::move(*backend);
      arithmetic = arithmetic_of(column, *tested);
    } else {
      reason = backend.error().message;
    }
  }
};

}  // namespace

class TestBackendConformance : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    m_cases = conformance_cases(wants_long_tests());
    add_sampling_cases(m_cases);
  }
  void cleanupTestCase() { m_bench.reset(); }

  void conforms_data() {
    QTest::addColumn<size_t>("column");
    QTest::addColumn<size_t>("index");
    for (size_t c = 0; c < m_columns.size(); ++c) {
      const char* const name = m_columns[c].name.c_str();
      const Backend* const backend = bench(c).tested.get();
      if (backend == nullptr) QTest::addRow("%s", name) << c << size_t{0};
      for (size_t i = 0; backend != nullptr && i < m_cases.size(); ++i) {
        if (!runs_case(m_columns[c], m_cases[i]) || !has_case(*backend, m_cases[i])) continue;
        QTest::addRow("%s %s", name, m_cases[i].name().c_str()) << c << i;
      }
    }
  }
  void conforms() {
    QFETCH(size_t, column);
    QFETCH(size_t, index);
    const Bench& b = bench(column);
    if (b.tested == nullptr) QSKIP(b.reason.c_str());
    const Verdict verdict = run_case(m_cases[index], *b.oracle, *b.tested, b.arithmetic);
    QVERIFY2(verdict.failure.empty(), verdict.failure.c_str());
  }

  /// The test finds what it is there to find.
  void run_case_findsFaults_data() {
    QTest::addColumn<Fault>("fault");
    QTest::addColumn<QString>("group");
    const std::pair<Fault, const char*> faults[] = {
        {Fault::kEmbedScale, "embed q4_k"},
        {Fault::kWeightBit, "linear q4_0"},
        {Fault::kWeightBit, "linear q6_k"},
        {Fault::kWeightBit, "linear bf16"},
        {Fault::kWeightBit, "linear_experts mxfp4"},
        {Fault::kBatchDependence, "linear q8_0"},
        {Fault::kNoBias, "linear f16"},
        {Fault::kNormEpsilon, "rms_norm"},
        {Fault::kLayerNormBias, "layer_norm"},
        {Fault::kActivationKind, "activate"},
        {Fault::kGate, "gate"},
        {Fault::kGluKind, "glu"},
        {Fault::kSlotShift, "rope_and_store f16"},
        {Fault::kAngle, "rope_cos_sin"},
        {Fault::kWindow, "attention bf16"},
        {Fault::kChunk, "attention f16"},
        {Fault::kPositionScale, "position_scales"},
        {Fault::kLastKey, "attention f16"},
        {Fault::kExpertOrder, "route_experts"},
        {Fault::kGatedNormOrder, "gated_norm"},
        {Fault::kConvHistory, "causal_conv"},
        {Fault::kStateSnapshot, "gated_delta"},
        {Fault::kScanSplit, "mamba2_scan"},
        {Fault::kDirtyMemory, "memory"},
        {Fault::kStaleStep, "launch_graph"},
        {Fault::kNoMemory, "linear bf16"},
        {Fault::kNoMemory, "linear parts"},
        {Fault::kNoMemory, "linear_experts q4_0"},
        {Fault::kNoMemory, "attention f16"},
        {Fault::kNoMemory, "rope_and_store f16"},
        {Fault::kNoMemory, "launch_graph"},
        {Fault::kNoMemory, "glu"},
        {Fault::kNoMemory, "gated_delta"},
        {Fault::kNoMemory, "memory"},
        {Fault::kNoWeights, "embed parts"},
        {Fault::kNoWeights, "linear columns"},
        {Fault::kNoWeights, "linear_experts q4_0"},
        {Fault::kNoWeights, "launch_graph"},
    };
    for (const auto& [fault, group] : faults) {
      QTest::addRow("%d in %s", static_cast<int>(fault), group) << fault << QString(group);
    }
  }
  void run_case_findsFaults() {
    QFETCH(Fault, fault);
    QFETCH(QString, group);
    Bench& scalar = bench(0);
    const std::unique_ptr<Backend> oracle = make_oracle(Arithmetic::kTensorCores);
    const std::unique_ptr<Backend> faulty = make_faulty_backend(*scalar.tested, fault);
    // By the loosest bounds: those of tensor cores.
    int num_failures = 0;
    for (const Case& c : m_cases) {
      if (c.group != group.toStdString() || !has_case(*faulty, c)) continue;
      const Verdict verdict = run_case(c, *oracle, *faulty, Arithmetic::kTensorCores);
      if (!verdict.failure.empty()) ++num_failures;
    }
    QCOMPARE_GE(num_failures, 1);
  }

  /// Failures of memory are the cases' and no more: later cases run.
  void run_cases_goesOnWithoutMemory() {
    const std::vector<Case> some = filtered(m_cases, "linear q4_0");
    const Totals totals = run_faulty(Fault::kNoMemory, some);
    QCOMPARE(totals.num_failures, static_cast<int>(some.size()));
    QCOMPARE(totals.num_not_run, 0);
    QVERIFY(m_output.contains("There is no memory."));
  }

  void run_cases_endsWithALostDevice() {
    const std::vector<Case> some = filtered(m_cases, "linear q");
    const Totals totals = run_faulty(Fault::kLostDevice, some);
    QVERIFY(totals.num_cases > 1);
    QCOMPARE(totals.num_failures, 1);
    QCOMPARE(totals.num_cases + totals.num_not_run, static_cast<int>(some.size()));
    QVERIFY(m_output.contains("The device is lost to this process: " +
                              QByteArray::number(totals.num_not_run) + " later cases"));
    QCOMPARE(QByteArray::fromStdString(totals.sentence()),
             QByteArray::number(totals.num_cases) + " cases, 1 failed, " +
                 QByteArray::number(totals.num_not_run) + " not run");
  }

  /// A line for each group when its last case has run, not at the end of all.
  void run_cases_printsGroupsInTheirOrder() {
    const Totals totals = run_faulty(Fault::kWeightBit, filtered(m_cases, "linear q"));
    QVERIFY(totals.num_failures > 0);
    const qsizetype first = m_output.indexOf("  linear q5_k ");
    const qsizetype second = m_output.indexOf("FAILED: linear q6_k");
    QVERIFY(first >= 0);
    QVERIFY(second > first);
  }

 private:
  /// What is printed goes to m_output.
  Totals run_faulty(Fault fault, const std::vector<Case>& cases) {
    const std::unique_ptr<Backend> oracle = make_oracle(Arithmetic::kTensorCores);
    const std::unique_ptr<Backend> faulty = make_faulty_backend(*bench(0).tested, fault);
    char* text = nullptr;
    size_t size = 0;
    std::FILE* const output = open_memstream(&text, &size);
    const Totals totals = run_cases(cases, *oracle, *faulty, Arithmetic::kTensorCores, output);
    std::fclose(output);
    m_output = QByteArray(text, static_cast<qsizetype>(size));
    std::free(text);
    return totals;
  }

  /// One at a time, as columns() asks.
  Bench& bench(size_t column) {
    if (m_bench == nullptr || m_bench_column != column) {
      m_bench.reset();
      m_bench = std::make_unique<Bench>(m_columns[column]);
      m_bench_column = column;
    }
    return *m_bench;
  }

  std::vector<Column> m_columns = columns(wants_long_tests());
  std::vector<Case> m_cases;
  std::unique_ptr<Bench> m_bench;
  size_t m_bench_column = 0;
  QByteArray m_output;
};

QTEST_APPLESS_MAIN(TestBackendConformance)
#include "tst_backend_conformance.moc"
