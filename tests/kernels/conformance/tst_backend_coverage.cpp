// What the CPU backend has and the CUDA backend lacks, which is listed here and nothing else.

#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <set>

#include "kernels/base/state_limits.h"
#include "tests/kernels/conformance/conformance.h"
#include "tests/kernels/conformance/sampling_cases.h"
#include "tests/kernels/conformance/weight_matrix.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Cases for which there is a CPU and no GPU, and why.
struct Exception {
  const char* cases;  ///< A part of their names.
  const char* why;
};
constexpr Exception kOnlyOnCpu[] = {
    {" D=600 ", "No model has heads of more than DeepSeek's 576 dimensions."},
};

/// Operations of the interface that need no cases of their own.
const std::set<QString> kPartsOfOthers = {
    "upload",           // memory
    "download",         // memory
    "copy",             // memory
    "begin_attention",  // attention
    "packed",           // LinearObserver
    "multiplied",       // LinearObserver
};

/// The virtual functions of kernels/backend.h that return nothing: the operations.
QStringList operations() {
  QFile file(QUIRE_SOURCE_DIR "/kernels/backend.h");
  if (!file.open(QIODevice::ReadOnly)) return {};
  static const QRegularExpression kOperation("virtual void (\\w+)\\(");
  QStringList names;
  auto found = kOperation.globalMatch(QString::fromUtf8(file.readAll()));
  while (found.hasNext()) names.push_back(found.next().captured(1));
  return names;
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

std::unique_ptr<Backend> backend_of(const char* column_name) {
  for (const Column& column : columns(false)) {
    if (column.name == column_name) return std::move(column.create().value());
  }
  return nullptr;
}

}  // namespace

class TestBackendCoverage : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    m_cpu = backend_of("scalar");
    m_cuda = backend_of("cuda-harness");
    if (m_cuda == nullptr) QSKIP("This build has no harness for CUDA kernels.");
    m_cases = conformance_cases(true);
    add_sampling_cases(m_cases);
    for (const Case& c : m_cases) {
      if (has_case(*m_cuda, c)) m_groups.insert(text_of(c.group));
    }
  }

  void cuda_hasEveryCaseOfTheCpu() {
    QStringList missing;
    std::set<const char*> used;
    for (const Case& c : m_cases) {
      if (!has_case(*m_cpu, c) || has_case(*m_cuda, c)) continue;
      const QString name = text_of(c.name() + ' ');
      const auto* const found = std::ranges::find_if(
          kOnlyOnCpu, [&](const Exception& exception) { return name.contains(exception.cases); });
      if (found == std::end(kOnlyOnCpu)) missing.push_back(name);
      if (found != std::end(kOnlyOnCpu)) used.insert(found->cases);
    }
    QCOMPARE(missing, QStringList());
    QCOMPARE(used.size(), std::size(kOnlyOnCpu));
  }

  void cuda_hasEveryOperation() {
    const QStringList names = operations();
    QVERIFY(names.size() > 30);
    for (const QString& name : names) {
      if (kPartsOfOthers.contains(name)) continue;
      const bool has_cases = std::ranges::any_of(
          m_groups, [&](const QString& group) { return group.section(' ', 0, 0) == name; });
      QVERIFY2(has_cases, qPrintable(name + " has no conformance case that CUDA runs."));
    }
  }

  void cuda_hasEveryTypeOfWeights() {
    int num_types = 0;
    for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!is_weight_dtype(dtype)) continue;
      ++num_types;
      for (const char* operation : {"linear ", "embed ", "linear_experts "}) {
        const QString group = operation + text_of(std::string(dtype_name(dtype)));
        QVERIFY2(m_groups.contains(group), qPrintable(group));
      }
      const WeightMatrix weight(dtype, 3, 256, 1);
      const ConstTensorView part = weight.view();
      QVERIFY(m_cpu->pack_linear({&part, 1}).has_value());
      QVERIFY(m_cuda->pack_linear({&part, 1}).has_value());
    }
    QCOMPARE(static_cast<size_t>(num_types), weight_types().size());
  }

  void cuda_hasEveryTypeOfPages() {
    for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
      const auto dtype = static_cast<DType>(i);
      QVERIFY(m_cuda->supports_kv(dtype) || !m_cpu->supports_kv(dtype));
    }
  }

  /// Beyond these the engine says so before it loads a model.
  void widths_areLimitedOnCuda() {
    StepLimits limits = {.head_dim = 576, .value_dim = 512};
    QVERIFY(m_cuda->reserve_scratch(limits));
    limits.head_dim = 577;
    QVERIFY(m_cpu->reserve_scratch(limits));
    QCOMPARE(m_cuda->reserve_scratch(limits).error().code, ErrorCode::kUnsupported);
    QCOMPARE(kMaxGpuStateWidth, int64_t{256});  // engine/models/decoder.cpp refuses wider states.
  }

  /// quire-cli measures the importance of weights on the CPU.
  void linear_isObservedOnTheCpuAlone() {
    QVERIFY(m_cpu->observe_linear(nullptr));
    QVERIFY(!m_cuda->observe_linear(nullptr));
  }

 private:
  std::unique_ptr<Backend> m_cpu;
  std::unique_ptr<Backend> m_cuda;
  std::vector<Case> m_cases;
  std::set<QString> m_groups;  ///< Of the cases that CUDA runs.
};

QTEST_APPLESS_MAIN(TestBackendCoverage)
#include "tst_backend_coverage.moc"
