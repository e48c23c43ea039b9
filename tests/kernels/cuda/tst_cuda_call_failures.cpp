// Calls of the CUDA runtime fail, each that the backend makes, at some of its turns (at all of them
// with QUIRE_LONG_TESTS, at fewer under ThreadSanitizer): the step ends with an error that names
// CUDA's, or with the right numbers; nothing is left behind; and the next backend on the same
// device works.

#include <simt/records.h>

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>
#include <array>
#include <optional>
#include <set>

#include "kernels/cuda/cuda_backend.h"
#include "simt/control.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// So many inputs that the kernel needs more shared memory than it has unasked.
constexpr int64_t kInputs = 8192;
constexpr int64_t kOutputs = 32;
constexpr int64_t kRows = 6;
/// For a prefix that is split, with states in the workspace.
constexpr int32_t kContext = 600;
constexpr int64_t kPages = (kContext + kBlockSize - 1) / kBlockSize;
constexpr int64_t kDim = 32;

using Calls = std::map<std::string, int>;

/// What a step comes to, and how often each function had been called before the backend ended.
struct Step {
  Result<std::vector<float>> numbers;
  Calls calls;
};

/// A backend that packs a weight and runs some operations three times as a graph.
class Scenario {
 public:
  static Step run() {
    Scenario scenario;
    Result<std::vector<float>> numbers = scenario.compute();
    return {std::move(numbers), simt::calls()};
  }

 private:
  Result<void> allocate() {
    constexpr size_t kBytes[] = {kRows * kInputs * 4, kRows * kOutputs * 4,
                                 kRows * 4,           2 * kPages * kBlockSize * kDim * 2,
                                 3 * kPages * 4,      3 * kDim * 4};
    for (size_t i = 0; i < m_memory.size(); ++i) {
      auto memory = m_backend->allocate(kBytes[i]);
      if (!memory) return memory.error();
      m_memory[i] = std::move(*memory);
    }
    auto pinned = m_backend->allocate_host(kRows * kOutputs * 4);
    if (!pinned) return pinned.error();
    m_pinned = std::move(*pinned);
    return {};
  }

  Result<void> open() {
    auto backend = cuda::CudaBackend::create(0, {.device = "cuda"});
    if (!backend) return backend.error();
    m_backend = std::move(*backend);
    QuantizedNumbers numbers(DType::kQ8_0, kOutputs, kInputs, 1);
    const ConstTensorView part(numbers.blocks.data(), DType::kQ8_0, {kOutputs, kInputs});
    auto weight = m_backend->pack_linear({{part}});
    if (!weight) return weight.error();
    m_weight = std::move(*weight);
    return allocate();
  }

  void upload() {
    const std::vector<float> x = Numbers(2).floats(kRows * kInputs, 0.1f);
    m_backend->upload(data(0), x.data(), x.size() * 4);
    const std::vector<float> rows = Numbers(3).floats(3 * kDim);
    m_backend->upload(data(5), rows.data(), rows.size() * 4);
    std::vector<int32_t> tables(3 * kPages, 0);
    for (int i = 0; i < kPages; ++i) tables[static_cast<size_t>(i)] = i;
    tables[kPages] = 0;
    tables[kPages + 1] = 1;
    tables[kPages + 2] = kContext;
    m_backend->upload(data(4), tables.data(), tables.size() * 4);
    const std::vector<int32_t> start = {0, 1};
    const std::vector<int32_t> context = {kContext};
    tables.resize(kPages);
    m_backend->begin_attention(batch(), {start, context, tables});
  }

  AttentionBatch batch() const {
    auto* const numbers = static_cast<int32_t*>(data(4));
    return {.query_start = {numbers + kPages, DType::kI32, {2}},
            .context_len = {numbers + kPages + 2, DType::kI32, {1}},
            .block_tables = {numbers, DType::kI32, {1, kPages}}};
  }

  void submit() {
    const TensorView out(data(1), DType::kF32, {kRows, kOutputs});
    m_backend->linear(out, {data(0), DType::kF32, {kRows, kInputs}}, *m_weight, {});
    auto* const rows = static_cast<float*>(data(5));
    const TensorView pages(data(3), DType::kF16, {kPages, 1, kBlockSize, kDim});
    m_backend->attention({rows + kDim, DType::kF32, {1, 1, kDim}},
                         {rows, DType::kF32, {1, 1, kDim}}, {pages, pages}, batch(),
                         {.scale = 0.1f});
    m_backend->copy(rows + 2 * kDim, rows + kDim, kDim * 4);
  }

  Result<std::vector<float>> compute() {
    if (Result<void> opened = open(); !opened) return opened.error();
    upload();
    static_cast<void>(m_backend->info());
    for (int i = 0; i < 3; ++i) m_backend->launch_graph(7, [this] { submit(); });
    auto* const out = static_cast<float*>(m_pinned->data());
    m_backend->download(out, data(1), kRows * kOutputs * 4);
    std::vector<float> attended(kDim);
    m_backend->download(attended.data(), static_cast<float*>(data(5)) + 2 * kDim, kDim * 4);
    if (Result<void> waited = m_backend->wait_for(m_backend->mark()); !waited) {
      return waited.error();
    }
    std::vector<float> numbers(out, out + kRows * kOutputs);
    numbers.insert(numbers.end(), attended.begin(), attended.end());
    if (Result<void> sampled = sample(numbers); !sampled) return sampled.error();
    return numbers;
  }

  /// Adds the tokens to the numbers.
  Result<void> sample(std::vector<float>& numbers) {
    const std::vector<SampleRow> rows(kRows, {.temperature = 1.0f, .top_k = 5, .uniform = 0.5});
    m_backend->sample({data(2), DType::kI32, {kRows}}, {data(1), DType::kF32, {kRows, kOutputs}},
                      {.rows = rows});
    std::vector<int32_t> tokens(kRows);
    m_backend->download(tokens.data(), data(2), kRows * 4);
    Result<void> done = m_backend->synchronize();
    numbers.insert(numbers.end(), tokens.begin(), tokens.end());
    return done;
  }

  void* data(size_t i) const { return m_memory[i]->data(); }

  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<LinearWeight> m_weight;
  /// Inputs, outputs, tokens, pages, the batch of the attention and its rows.
  std::array<std::unique_ptr<DeviceBuffer>, 6> m_memory;
  std::unique_ptr<DeviceBuffer> m_pinned;
};

/// Of the functions that kernels/cuda calls, by their sources; cuBLAS is another library's.
std::set<std::string> functions_in_sources() {
  std::set<std::string> names;
  const QRegularExpression call("\\b(cuda[A-Z]\\w+)\\(");
  QDirIterator files(QUIRE_SOURCE_DIR "/kernels/cuda", {"*.h", "*.cpp", "*.cu"}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    if (file.fileName().contains("cublas") || !file.open(QFile::ReadOnly)) continue;
    auto found = call.globalMatch(QString::fromUtf8(file.readAll()));
    while (found.hasNext()) names.insert(found.next().captured(1).toStdString());
  }
  return names;
}

/// What cannot fail: texts, the last error, and versions, which the harness does not count.
const std::set<std::string> kCannotFail = {"cudaGetErrorName", "cudaGetErrorString",
                                           "cudaGetLastError", "cudaDriverGetVersion",
                                           "cudaRuntimeGetVersion"};
/// They are called after another failure only.
const std::set<std::string> kAfterFailures = {"cudaGetDevice", "cudaDeviceReset",
                                              "cudaStreamIsCapturing"};
/// If one of these fails, the object stays: that is the driver's.
const std::set<std::string> kDestroy = {"cudaFree",          "cudaFreeHost",
                                        "cudaStreamDestroy", "cudaEventDestroy",
                                        "cudaGraphDestroy",  "cudaGraphExecDestroy"};
/// If one of these fails, the step is submitted operation by operation.
const std::set<std::string> kMayFail = {"cudaStreamBeginCapture", "cudaStreamEndCapture",
                                        "cudaGraphInstantiate"};

struct Fault {
  std::string function;
  int nth;
  cudaError_t error;
  bool stays;

  QString text() const {
    return QString("%1 number %2 fails with %3%4: ")
        .arg(function.c_str())
        .arg(nth)
        .arg(cudaGetErrorName(error), stays ? ", and all later ones" : "");
  }
  bool loses_device() const { return cuda::cuda_is_sticky(error); }
  /// CUDA's own name or text, or the sentence that has taken its place.
  bool is_named_in(const std::string& message) const {
    if (message.find("has no code for") != std::string::npos) return false;  // That is not why.
    std::vector<std::string> names = {cudaGetErrorName(error), cudaGetErrorString(error)};
    if (error == cudaErrorMemoryAllocation) names.push_back("of memory that it can keep in place");
    if (error == cudaErrorMemoryAllocation) names.push_back("left for Quire");
    if (error == cudaErrorNoDevice) names.push_back("finds no GPU");
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return message.find(name) != std::string::npos;
    });
  }
};

/// Empty, or what is wrong with how the backend takes the fault.
QString wrong_with(const Fault& fault, const std::vector<float>& expected, const Calls& calls) {
  simt::set_machine({});
  simt::fail_call(fault.function, fault.nth, fault.error, fault.stays);
  const Step step = Scenario::run();
  simt::fail_no_calls();
  const bool is_ignored = kDestroy.count(fault.function) != 0 ||
                          (kMayFail.count(fault.function) != 0 && !fault.loses_device());
  const auto before_end = calls.find(fault.function);
  if (step.numbers) {
    // A step whose capture fails is submitted again: what fails for once may change nothing.
    if (fault.stays && !is_ignored && before_end != calls.end() &&
        fault.nth <= before_end->second) {
      return fault.text() + "nothing is said of it";
    }
    if (*step.numbers != expected) return fault.text() + "the numbers are wrong";
  } else if (!fault.is_named_in(step.numbers.error().message)) {
    return fault.text() + step.numbers.error().message.c_str();
  }
  const std::string left = simt::live_objects().text();
  if (!left.empty() && kDestroy.count(fault.function) == 0) {
    return fault.text() + "these are left: " + left.c_str();
  }
  if (!left.empty()) cudaDeviceReset();  // The next machine is not to find it.
  const Step again = Scenario::run();
  if (!again.numbers) return fault.text() + "then " + again.numbers.error().message.c_str();
  return *again.numbers == expected ? QString() : fault.text() + "then the numbers are wrong";
}

/// ThreadSanitizer makes a step take thirty times as long, and which call fails changes little of
/// what it watches.
#ifdef QUIRE_SIMT_TSAN
constexpr bool kTriesFewTurns = true;
#else
constexpr bool kTriesFewTurns = false;
#endif

bool is_long_test() {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
}

/// The turns that are tried: the first three of a function's calls, the last, and two between.
/// Under ThreadSanitizer the first and the last.
std::set<int> turns(int count) {
  if (kTriesFewTurns && !is_long_test()) return {1, count};
  std::set<int> some;
  for (int nth = 1; nth <= (is_long_test() ? count : std::min(count, 3)); ++nth) some.insert(nth);
  some.insert({(count + 2) / 3, (2 * count + 2) / 3, count});
  return some;
}

/// Those from which on all calls fail.
std::set<int> first_turns(int count) {
  if (kTriesFewTurns && !is_long_test()) return {(count + 1) / 2};
  return {1, (count + 1) / 2, count};
}

/// From each of these allocations on no memory is left.
std::set<int> full_turns(int count) {
  std::set<int> some;
  const int step = kTriesFewTurns && !is_long_test() ? 4 : 1;
  for (int nth = 1; nth <= count; nth += step) some.insert(nth);
  return some;
}

/// Those that are tried with a function.
std::vector<cudaError_t> errors_of(const std::string& function) {
  if (function == "cudaMalloc" || function == "cudaMallocHost") {
    return {cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorIllegalAddress};
  }
  // A device that has no queue yet is not lost.
  if (function == "cudaGetDeviceCount" || function == "cudaGetDeviceProperties") {
    return {cudaErrorInvalidValue};
  }
  return {cudaErrorInvalidValue, cudaErrorIllegalAddress};
}

}  // namespace

class TestCudaCallFailures : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    simt::set_machine({});
    const Step step = Scenario::run();
    QVERIFY2(step.numbers, step.numbers ? "" : step.numbers.error().message.c_str());
    m_expected = *step.numbers;
    m_before_end = step.calls;
    m_calls = simt::calls();
    QCOMPARE(simt::live_objects().text(), std::string());
  }

  /// A function that the sources call and that never fails here is missing in the scenario.
  void allFunctions_areCalled() {
    for (std::string name : functions_in_sources()) {
      if (name == "cudaLaunchKernelEx") name = "cudaLaunchKernelExC";
      if (kCannotFail.count(name) != 0 || kAfterFailures.count(name) != 0) continue;
      QVERIFY2(m_calls.count(name) != 0, name.c_str());
    }
  }

  void calls_failOnceOrLoseTheDevice_data() {
    QTest::addColumn<QString>("function");
    for (const auto& [name, count] : m_calls) QTest::newRow(name.c_str()) << QString(name.c_str());
  }
  void calls_failOnceOrLoseTheDevice() {
    QFETCH(QString, function);
    const std::string name = function.toStdString();
    const int count = m_calls[name];
    QVERIFY(count > 0);
    for (const int nth : turns(count)) {
      for (const cudaError_t error : errors_of(name)) {
        const QString wrong = wrong_with({name, nth, error, false}, m_expected, m_before_end);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
      }
    }
  }

  /// The driver finds the device no more: from then on no call of that function works.
  void devices_disappear_data() { calls_failOnceOrLoseTheDevice_data(); }
  void devices_disappear() {
    QFETCH(QString, function);
    const std::string name = function.toStdString();
    for (const int nth : first_turns(m_calls[name])) {
      const QString wrong =
          wrong_with({name, nth, cudaErrorNoDevice, true}, m_expected, m_before_end);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

  /// What is called after a failure fails too.
  void failuresAfterFailures_changeNothing_data() {
    QTest::addColumn<QString>("function");
    for (const std::string& name : kAfterFailures) QTest::newRow(name.c_str()) << name.c_str();
  }
  void failuresAfterFailures_changeNothing() {
    QFETCH(QString, function);
    const cudaError_t error =
        function == "cudaStreamIsCapturing" ? cudaErrorInvalidValue : cudaErrorIllegalAddress;
    simt::set_machine({});
    simt::fail_call("cudaLaunchKernelExC", 2, error);
    simt::fail_call(function.toStdString(), 1, cudaErrorInvalidValue);
    const Step step = Scenario::run();
    QVERIFY(!step.numbers);
    QVERIFY(simt::calls()[function.toStdString()] > 0);
    QVERIFY2(Fault({"", 1, error, false}).is_named_in(step.numbers.error().message),
             step.numbers.error().message.c_str());
    simt::fail_no_calls();
    QCOMPARE(simt::live_objects().text(), std::string());
    const Step again = Scenario::run();
    QVERIFY2(again.numbers, again.numbers ? "" : again.numbers.error().message.c_str());
    QVERIFY(*again.numbers == m_expected);
  }

  /// One allocation more each time, until all fit; under ThreadSanitizer four more.
  void memory_runsOutAtEveryAllocation() {
    for (const int nth : full_turns(m_calls["cudaMalloc"])) {
      const QString wrong = wrong_with({"cudaMalloc", nth, cudaErrorMemoryAllocation, true},
                                       m_expected, m_before_end);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

 private:
  std::vector<float> m_expected;
  Calls m_before_end;  ///< Of the sound scenario, until its backend ends.
  Calls m_calls;       ///< All of it.
};

QTEST_GUILESS_MAIN(TestCudaCallFailures)
#include "tst_cuda_call_failures.moc"
