// create_backend, list_devices, QUIRE_CPU_ISA, and a backend's memory.

#include <sys/resource.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_features.h"

using namespace quire;

namespace {

constexpr int64_t kInputs = 1024;

std::unique_ptr<LinearWeight> zero_weight(Backend& backend) {
  const std::vector<char> rows(static_cast<size_t>(64 * dtype_span_bytes(DType::kQ8_0, kInputs)));
  const ConstTensorView part(rows.data(), DType::kQ8_0, {64, kInputs});
  return std::move(backend.pack_linear(std::span(&part, 1))).value();
}

/// Allows the process this much more address space while it lives.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(size_t more_bytes) {
    getrlimit(RLIMIT_AS, &m_before);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = m_before;
    limit.rlim_cur = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &m_before); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit m_before = {};
};

}  // namespace

class TestBackendFactory : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { qunsetenv("QUIRE_CPU_ISA"); }

  void create_backend_givesTheCpu_data() {
    QTest::addColumn<QString>("device");
    QTest::newRow("auto") << "auto";
    QTest::newRow("cpu") << "cpu";
  }
  void create_backend_givesTheCpu() {
    QFETCH(QString, device);
    const auto backend = create_backend({.device = device.toStdString(), .num_threads = 3});
    QVERIFY(backend.has_value());
    const DeviceInfo info = (*backend)->info();
    QCOMPARE(info.name, std::string("cpu"));
    QVERIFY(info.available);
    QVERIFY(info.reason.empty());
    QVERIFY(QString::fromStdString(info.description).endsWith(", 3 threads"));
    QVERIFY(info.total_bytes > 0 && info.free_bytes > 0 && info.free_bytes <= info.total_bytes);
  }

  void create_backend_saysWhyADeviceCannotBeUsed_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("code");
    QTest::newRow("cuda") << "cuda" << static_cast<int>(ErrorCode::kUnsupported);
    QTest::newRow("cuda:1") << "cuda:1" << static_cast<int>(ErrorCode::kUnsupported);
    QTest::newRow("cuda:x") << "cuda:x" << static_cast<int>(ErrorCode::kInvalidArgument);
    QTest::newRow("cuda:") << "cuda:" << static_cast<int>(ErrorCode::kInvalidArgument);
    QTest::newRow("a group") << "cuda:0+cuda:1" << static_cast<int>(ErrorCode::kUnsupported);
    for (const char* name :
         {"cuda:0+", "+", "cuda:0+cpu", "cuda:0+cuda:0", "cuda+cuda:0", "cuda:0,cuda:1"}) {
      QTest::newRow(name) << name << static_cast<int>(ErrorCode::kInvalidArgument);
    }
    QTest::newRow("tpu") << "tpu" << static_cast<int>(ErrorCode::kInvalidArgument);
    QTest::newRow("empty") << "" << static_cast<int>(ErrorCode::kInvalidArgument);
  }
  void create_backend_saysWhyADeviceCannotBeUsed() {
    QFETCH(QString, device);
    QFETCH(int, code);
    const auto backend = create_backend({.device = device.toStdString()});
    QVERIFY(!backend.has_value());
    QCOMPARE(static_cast<int>(backend.error().code), code);
    QVERIFY(QString::fromStdString(backend.error().message).contains("cpu"));
  }

  void choose_devices_takesListsAndGroups_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QStringList>("names");  // Empty: refused.
    QTest::newRow("layers apart") << "cuda:1,cuda:0" << QStringList{"cuda:1", "cuda:0", "cpu"};
    QTest::newRow("a group") << "cuda:0+cuda:2" << QStringList{"cuda:0+cuda:2", "cpu"};
    QTest::newRow("both") << "cuda:0+cuda:2,cuda:1"
                          << QStringList{"cuda:0+cuda:2", "cuda:1", "cpu"};
    for (const char* name : {",", "cuda:0,,cuda:1", "cuda:0,cpu", "auto+cuda:0", "cuda:0 ,cuda:1",
                             "cuda:0,cuda:0+cuda:1", "cuda:1,cuda:1"}) {
      QTest::newRow(name) << name << QStringList();
    }
  }
  void choose_devices_takesListsAndGroups() {
    QFETCH(const QString, device);
    QFETCH(const QStringList, names);
    const auto chosen = choose_devices({.device = device.toStdString()});
    QCOMPARE(chosen.has_value(), !names.isEmpty());
    if (!chosen) {
      QVERIFY(chosen.error().message.find("cuda:0+cuda:1") != std::string::npos);
      return;
    }
    QStringList found;
    for (const std::string& name : chosen->names) found.append(QString::fromStdString(name));
    QCOMPARE(found, names);
  }

  void create_backend_rejectsANegativeNumberOfThreads() {
    const auto backend = create_backend({.device = "cpu", .num_threads = -1});
    QVERIFY(!backend.has_value());
    QCOMPARE(backend.error().code, ErrorCode::kInvalidArgument);
  }

  void environment_choosesTheInstructionSet() {
    for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) {
      for (const QByteArray& name :
           {QByteArray(kernels->name), QByteArray(kernels->name).toUpper()}) {
        qputenv("QUIRE_CPU_ISA", name);
        const auto backend = create_backend({});
        QVERIFY(backend.has_value());
        const QString description = QString::fromStdString((*backend)->info().description);
        QVERIFY2(description.contains(QString(", %1, ").arg(kernels->label)),
                 qPrintable(description));
      }
    }
  }

  void environment_withAnUnknownInstructionSetSaysWhatIsSupported() {
    qputenv("QUIRE_CPU_ISA", "mmx");
    const auto backend = create_backend({});
    QVERIFY(!backend.has_value());
    QCOMPARE(backend.error().code, ErrorCode::kInvalidArgument);
    const QString message = QString::fromStdString(backend.error().message);
    QVERIFY(message.contains("mmx") && message.contains("scalar"));
    const std::vector<DeviceInfo> devices = list_devices();
    QVERIFY(!devices[0].available);
    QCOMPARE(devices[0].reason, backend.error().message);
  }

  void list_devices_namesWhatCannotBeUsed() {
    const std::vector<DeviceInfo> devices = list_devices();
    QCOMPARE(devices.size(), size_t{2});
    QCOMPARE(devices[0].name, std::string("cpu"));
    QVERIFY(devices[0].available);
    QCOMPARE(devices[1].name, std::string("cuda"));
    QVERIFY(!devices[1].available);
    QVERIFY(!devices[1].reason.empty());
  }

  void allocate_givesAlignedZeros() {
    const auto backend = std::move(create_backend({})).value();
    for (size_t bytes : {size_t{0}, size_t{1}, size_t{100}, size_t{5} << 20}) {
      const auto buffer = std::move(backend->allocate(bytes)).value();
      QCOMPARE(buffer->size_bytes(), bytes);
      QCOMPARE(reinterpret_cast<uintptr_t>(buffer->data()) % 64, uintptr_t{0});
      const auto* const data = static_cast<const unsigned char*>(buffer->data());
      QCOMPARE(std::accumulate(data, data + bytes, 0), 0);
    }
  }

  void allocate_ofTooMuchNamesTheMegabytes() {
    const auto backend = std::move(create_backend({})).value();
    const auto buffer = backend->allocate(size_t{1} << 50);
    QVERIFY(!buffer.has_value());
    QCOMPARE(buffer.error().code, ErrorCode::kOutOfMemory);
    QVERIFY(QString::fromStdString(buffer.error().message).contains("1125899907 MB"));
  }

  void reserveScratch_ofTooMuchIsAnError() {
    const auto backend = std::move(create_backend({.device = "cpu", .num_threads = 2})).value();
    const auto weight = zero_weight(*backend);
    StepLimits limits = {.activations = {{int64_t{1} << 40, kInputs}}, .max_sequences = 1};
    const Result<void> reserved = backend->reserve_scratch(limits);
    QVERIFY(!reserved);
    QCOMPARE(reserved.error().code, ErrorCode::kOutOfMemory);
    limits.activations[0].num_rows = 16;
    QVERIFY(backend->reserve_scratch(limits).has_value());
  }

  /// Under an address space limit that leaves no room for the quantised activations.
  void reserveScratch_letsTheLargestStepRunWithoutMemory() {
    constexpr int64_t kRows = 2048;
    const auto backend = std::move(create_backend({.device = "cpu", .num_threads = 2})).value();
    const auto weight = zero_weight(*backend);
    std::vector<float> x(kRows * kInputs, 1.0f);
    std::vector<float> out(kRows * 64, 1.0f);
    const StepLimits limits = {.activations = {{kRows, kInputs}}, .max_sequences = 1};
    QVERIFY(backend->reserve_scratch(limits).has_value());
    const AddressSpaceLimit limit(size_t{1} << 20);
    backend->linear({out.data(), DType::kF32, {kRows, 64}},
                    {x.data(), DType::kF32, {kRows, kInputs}}, *weight, {});
    QCOMPARE(std::count(out.begin(), out.end(), 0.0f), kRows * 64);
  }

  void copies_moveBytes() {
    const auto backend = std::move(create_backend({})).value();
    const auto a = std::move(backend->allocate(16)).value();
    const auto b = std::move(backend->allocate(16)).value();
    const std::string text = "a quire of pages";
    char back[16] = {};
    backend->upload(a->data(), text.data(), 16);
    backend->copy(b->data(), a->data(), 16);
    backend->download(back, b->data(), 16);
    backend->copy(nullptr, nullptr, 0);
    QVERIFY(backend->synchronize().has_value());
    QCOMPARE(std::string_view(back, 16), std::string_view(text));
  }
};

QTEST_APPLESS_MAIN(TestBackendFactory)
#include "tst_backend_factory.moc"
