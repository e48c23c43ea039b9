// The CPU's choices: all give the same bits, the faster is found, and a backend applies what is
// known.

#include <QTest>

#include <atomic>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>

#include "kernels/base/processor_cores.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/tuning/compare_tunings.h"
#include "kernels/cpu/tuning/processor_signature.h"
#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

cpu::CpuBackend& cpu_backend(Backend& backend) {
  return static_cast<cpu::CpuBackend&>(backend);
}

/// What the tuner measures, and more: the nearest and the farthest distance.
std::vector<LinearTuning> all_tunings() {
  std::vector<LinearTuning> tunings;
  for (const int32_t ahead : {0, 64, 4096, 32768, kMostAheadBytes}) {
    for (const bool into_l2 : {false, true}) {
      for (int32_t rows = 0; rows <= kMostGemvRows; ++rows) {
        tunings.push_back({ahead, into_l2, rows});
      }
    }
  }
  return tunings;
}

/// Some rows of a weight of that dtype.
struct Weight {
  DType dtype;
  int64_t num_outputs;
  int64_t num_inputs;

  /// fn(view) of random numbers.
  template <typename Fn>
  void with_view(Fn fn) const {
    if (is_quantized(dtype)) {
      const QuantizedNumbers blocks(dtype, num_outputs, num_inputs, 31);
      return fn(blocks_view(blocks, num_outputs, num_inputs));
    }
    Numbers numbers(32);
    TypedNumbers typed = in_dtype(dtype, numbers.floats(num_outputs * num_inputs));
    fn(ConstTensorView(typed.data(), dtype, {num_outputs, num_inputs}));
  }
};

/// A machine whose passes take what the test says; each also takes `drift` longer than the one
/// before.
struct Machine {
  std::map<int32_t, double> seconds;  ///< By ahead_bytes.
  double drift = 1.0;
  double factor = 1.0;
  int num_passes = 0;

  cpu::ComparedTunings compare(std::span<const LinearTuning> candidates, double budget = 1e9) {
    return cpu::compare_tunings(
        candidates,
        [this](const LinearTuning& tuning) {
          ++num_passes;
          factor *= drift;
          const double pass = factor * seconds.at(tuning.ahead_bytes);
          return cpu::TuningPass{pass, pass};
        },
        budget);
  }
};

constexpr LinearTuning kThree[] = {{0, true, 2}, {64, true, 2}, {128, true, 2}};

/// Keeps what is saved; gives what a test puts there.
struct MemoryStore : TuningStore {
  std::vector<TunedFormat> formats;
  TuningKey saved_key;
  int num_saved = 0;
  Result<void> answer;  ///< Of save().

  std::vector<TunedFormat> load(const TuningKey&) override { return formats; }
  Result<void> save(const TuningKey& key, std::span<const TunedFormat> all) override {
    saved_key = key;
    formats.assign(all.begin(), all.end());
    ++num_saved;
    return answer;
  }
};

/// Uses a store while it lives.
struct StoreInUse {
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  StoreInUse() { use_tuning_store(store); }
  ~StoreInUse() { use_tuning_store(nullptr); }
};

/// A Q8_0 weight of one row, for which a step is reserved.
void load_model(Backend& backend) {
  const QuantizedNumbers weight(DType::kQ8_0, 1, 32, 33);
  const auto packed = pack(backend, blocks_view(weight, 1, 32));
  StepLimits limits;
  limits.activations = {{1, 32}};
  QVERIFY(backend.reserve_scratch(limits).has_value());
}

}  // namespace

class TestLinearTuning : public QObject {
  Q_OBJECT

 private slots:
  void tunings_giveTheSameBits_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    for (const std::string& isa : instruction_sets()) {
      for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
        const auto dtype = static_cast<DType>(i);
        if (!is_weight_dtype(dtype)) continue;
        QTest::addRow("%s %s", isa.c_str(), dtype_name(dtype).data())
            << QString::fromStdString(isa) << i;
      }
    }
  }
  void tunings_giveTheSameBits() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    // The last chunk of inputs is a part of one, where blocks are small enough.
    const int64_t block = dtype_block_elements(static_cast<DType>(dtype));
    const Weight weight = {static_cast<DType>(dtype), 70, block > 32 ? 768 : 544};
    const auto backend = make_backend(isa.toStdString(), 2, true);
    Numbers numbers(34);
    std::vector<float> x = numbers.floats(3 * weight.num_inputs);
    std::vector<float> bias = numbers.floats(weight.num_outputs);
    weight.with_view([&](const ConstTensorView& view) {
      const auto packed = pack(*backend, view);
      // Three rows are too many for a GEMV: theirs are the bits of the GEMM.
      const std::vector<float> expected = run(*backend, *packed, x, bias, 3);
      for (const LinearTuning& tuning : all_tunings()) {
        cpu_backend(*backend).set_tuning(weight.dtype, tuning);
        for (int64_t T = 1; T <= 3; ++T) {
          const std::vector<float> out = run(*backend, *packed, x, bias, T);
          QVERIFY(same_bits(out.data(), expected.data(), T * weight.num_outputs));
        }
      }
    });
  }

  void compare_findsTheFastest() {
    Machine machine = {{{0, 1.0}, {64, 0.9}, {128, 0.8}}};
    const cpu::ComparedTunings compared = machine.compare(kThree);
    QCOMPARE(compared.chosen, size_t{2});
    QCOMPARE(compared.seconds, (std::vector<double>{1.0, 0.9, 0.8}));
    machine.seconds[0] = 0.7;
    QCOMPARE(machine.compare(kThree).chosen, size_t{0});
  }

  void compare_keepsTheDefaultWithinNoise() {
    Machine machine = {{{0, 1.0}, {64, 0.98}, {128, 0.99}}};
    QCOMPARE(machine.compare(kThree).chosen, size_t{0});
    machine.seconds[64] = 0.96;
    QCOMPARE(machine.compare(kThree).chosen, size_t{1});
  }

  /// Each pass is slower than the one before: measured one after the other, the default, which is
  /// first, would seem to be the fastest.
  void compare_isNotMisledByASlowingMachine() {
    Machine machine = {{{0, 1.0}, {64, 0.9}, {128, 1.2}}, 1.01};
    QCOMPARE(machine.compare(kThree).chosen, size_t{1});
    machine = {{{0, 1.0}, {64, 1.0}, {128, 1.0}}, 0.99};
    QCOMPARE(machine.compare(kThree).chosen, size_t{0});
  }

  /// A candidate that is faster in most rounds, but not when it is measured again.
  void compare_asksTwice() {
    int num_passes = 0;
    const auto measure = [&](const LinearTuning& tuning) {
      ++num_passes;
      const double pass = tuning.ahead_bytes == 128 && num_passes <= 13 ? 0.5 : 1.0;
      return cpu::TuningPass{pass, pass};
    };
    // Three rounds of three, then two of the default and of the other.
    QCOMPARE(cpu::compare_tunings(kThree, measure, 12.0).chosen, size_t{0});
    num_passes = -1000;
    QCOMPARE(cpu::compare_tunings(kThree, measure, 12.0).chosen, size_t{2});
  }

  void compare_endsWithItsBudget() {
    Machine machine = {{{0, 1.0}, {64, 1.0}, {128, 1.0}}};
    machine.compare(kThree);
    QCOMPARE(machine.num_passes, 3 * 15);
    machine.num_passes = 0;
    QCOMPARE(machine.compare(kThree, 20.0).elapsed, 18.0);
    // At least three rounds, however slow the passes.
    machine.num_passes = 0;
    machine.compare(kThree, 0.0);
    QCOMPARE(machine.num_passes, 3 * 3);
    // What is clearly slower is measured three times only.
    machine = {{{0, 1.0}, {64, 1.0}, {128, 5.0}}};
    machine.compare(kThree);
    QCOMPARE(machine.num_passes, 2 * 15 + 3);
  }

  void signature_tellsProcessorsApart() {
    std::istringstream x86(
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
        "model name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\n\n"
        "processor\t: 1\nmodel name\t: another\n");
    const TuningKey key = cpu::processor_signature(x86);
    QCOMPARE(key.processor, std::string("cpu family 25, model 17, AMD EPYC, stepping 1"));
    QCOMPARE(key.microcode, std::string("0x1000065"));
    std::istringstream arm("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
    QCOMPARE(cpu::processor_signature(arm).processor,
             std::string("CPU implementer 0x41, CPU part 0xd0c"));
    std::istringstream nothing("");
    QVERIFY(!cpu::processor_signature(nothing).processor.empty());
  }

  void backend_appliesWhatIsKnown() {
    const std::string isa = instruction_sets().back();
    const LinearTuning known = {1024, true, 1};
    const auto q8 = static_cast<size_t>(DType::kQ8_0);
    {
      const StoreInUse use;
      use.store->formats = {{.dtype = DType::kQ8_0, .choice = known}};
      const auto backend = make_backend(isa, 2, true);
      load_model(*backend);
      QVERIFY(cpu_backend(*backend).tunings()[q8] == known);
      // f32 activations are for comparisons, also with other programs' versions.
      const auto plain = make_backend(isa, 2, false);
      load_model(*plain);
      QVERIFY(!(cpu_backend(*plain).tunings()[q8] == known));
    }
    const auto backend = make_backend(isa, 2, true);
    load_model(*backend);
    QVERIFY(!(cpu_backend(*backend).tunings()[q8] == known));
  }

  void backend_doesNotMeasureForSmallModels() {
    const StoreInUse use;
    load_model(*make_backend(instruction_sets().back(), 2, true));
    QCOMPARE(use.store->num_saved, 0);
  }

  /// With a part of the threads another choice may be the best.
  void tune_keepsNothingWhileAnotherModelComputes() {
    const std::string isa = instruction_sets().back();
    if (isa == "scalar") QSKIP("This processor has no choice to measure.");
    const StoreInUse use;
    const auto backend = make_backend(isa, 2, true);
    const cpu::LinearTunings before = cpu_backend(*backend).tunings();
    cpu::CoreShare other(4 * num_usable_cores());
    other.begin();
    const DType dtypes[] = {DType::kQ4_0};
    QVERIFY(cpu_backend(*backend).tune(dtypes).has_value());
    QCOMPARE(use.store->num_saved, 0);
    QVERIFY(cpu_backend(*backend).tunings() == before);
  }

  /// A load that is cancelled does not wait until all formats are measured.
  void tune_endsWhenItIsStopped_data() {
    QTest::addColumn<int>("msBefore");
    QTest::newRow("before it began") << 0;
    QTest::newRow("while it measures") << 150;
  }
  void tune_endsWhenItIsStopped() {
    QFETCH(const int, msBefore);
    const StoreInUse in_use;
    cpu::CpuBackend backend(*cpu::chosen_kernels().value(), 1, /*quantize_activations=*/true);
    std::atomic<bool> is_stopped = msBefore == 0;
    std::thread stops([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(msBefore));
      is_stopped = true;
    });
    const StoppableTuning stoppable(is_stopped);
    const DType dtypes[] = {DType::kQ8_0, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K, DType::kF16};
    const Result<void> tuned = backend.tune(dtypes);
    stops.join();
    QVERIFY(!tuned);
    QCOMPARE(tuned.error().code, ErrorCode::kCancelled);
    QVERIFY2(in_use.store->num_saved < 5, qPrintable(QString::number(in_use.store->num_saved)));
    if (msBefore == 0) QCOMPARE(in_use.store->num_saved, 0);
  }

  void tune_keepsWhatItMeasured() {
    const std::string isa = instruction_sets().back();
    if (isa == "scalar") QSKIP("This processor has no choice to measure.");
    const StoreInUse use;
    const auto backend = make_backend(isa, 2, true);
    // FP8 has no choice, and is left out.
    const DType dtypes[] = {DType::kQ4_0, DType::kF8_128};
    QVERIFY(cpu_backend(*backend).tune(dtypes).has_value());
    QCOMPARE(use.store->num_saved, 1);
    QCOMPARE(use.store->formats.size(), size_t{1});
    QCOMPARE(use.store->saved_key.instruction_set, isa);
    QCOMPARE(use.store->saved_key.num_threads, 2);
    const TunedFormat& format = use.store->formats[0];
    QCOMPARE(format.dtype, DType::kQ4_0);
    QVERIFY(format.seconds > 0.0 && format.speeds.size() > 8);
    for (const TuningSpeed& speed : format.speeds) QVERIFY(speed.gigabytes_per_second > 0.0);
    QVERIFY(cpu_backend(*backend).tunings()[static_cast<size_t>(DType::kQ4_0)] == format.choice);

    use.store->answer = Error{ErrorCode::kIo, "the disk is full"};
    const Result<void> tuned = cpu_backend(*backend).tune(dtypes);
    QVERIFY(!tuned.has_value());
    QCOMPARE(tuned.error().message, std::string("the disk is full"));
  }
};

QTEST_APPLESS_MAIN(TestLinearTuning)
#include "tst_linear_tuning.moc"
