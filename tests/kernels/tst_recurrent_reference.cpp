// Recurrent layers' operations on every backend beside transformers' reference functions
// (tests/scripts/make_recurrent_golden.py).

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <limits>

#include "tests/kernels/conformance/recurrent_step.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A case of the file with a device to run it on.
class Golden {
 public:
  Golden(Device& device, const QJsonObject& object) : m_device(device), m_object(object) {}

  bool has(const char* name) const { return m_object.contains(QLatin1String(name)); }
  std::vector<float> numbers(const char* name) const {
    std::vector<float> values;
    for (const auto& value : m_object[QLatin1String(name)].toArray()) {
      values.push_back(static_cast<float>(value.toDouble()));
    }
    return values;
  }
  int64_t dim(int i) const { return m_object[QLatin1String("dims")].toArray()[i].toInteger(); }
  /// In the device's memory while the case lives.
  TensorView tensor(const char* name, std::initializer_list<int64_t> shape) {
    return tensor(numbers(name), shape);
  }
  TensorView tensor(std::vector<float> values, std::initializer_list<int64_t> shape) {
    return m_arrays.emplace_back(m_device, std::move(values)).view(shape);
  }

  /// Runs the operation; the result of out, then the state afterwards.
  std::vector<float> run() {
    const std::string operation = m_object[QLatin1String("operation")].toString().toStdString();
    if (operation == "causal_conv") return run_conv();
    if (operation == "gated_delta") return run_delta();
    if (operation == "mamba2_scan") return run_scan();
    return run_norm();
  }
  std::vector<float> expected() const {
    std::vector<float> all = numbers("out");
    const std::vector<float> after = numbers("after");
    all.insert(all.end(), after.begin(), after.end());
    return all;
  }

 private:
  int64_t size(const char* name) const { return static_cast<int64_t>(numbers(name).size()); }
  /// Slot 0 is what it begins with, slot 1 what it ends with.
  std::vector<float> both_slots(int64_t state_size) const {
    std::vector<float> both = numbers("before");
    both.resize(static_cast<size_t>(2 * state_size), 0.0f);
    return both;
  }
  template <typename Fn>
  std::vector<float> run_sequence(int64_t num_rows, int64_t width, int64_t state_size, Fn fn) {
    const StateSequence sequence = {.in = has("before") ? 0 : -1, .segments = {{num_rows, 1}}};
    const StateBatchArrays batch(m_device, std::span(&sequence, 1));
    const DeviceArray<float> out(m_device, num_rows * width, -7.0f);
    const DeviceArray<float> states(m_device, both_slots(state_size));
    fn(out.view({num_rows, width}), states.data(), batch.view());
    std::vector<float> all = out.download();
    const std::vector<float> both = states.download();
    if (has("after")) all.insert(all.end(), both.begin() + state_size, both.end());
    return all;
  }

  std::vector<float> run_conv() {
    const int64_t C = dim(0), K = dim(1), T = size("x") / C;
    return run_sequence(T, C, (K - 1) * C, [&](TensorView out, float* states, StateBatch batch) {
      m_device.backend.causal_conv(
          out, tensor("x", {T, C}), tensor("weight", {C, K}),
          has("bias") ? ConstTensorView(tensor("bias", {C})) : ConstTensorView(),
          {states, DType::kF32, {2, K - 1, C}}, batch, dim(2) == 1);
    });
  }
  std::vector<float> run_delta() {
    const int64_t Hk = dim(0), H = dim(1), Dk = dim(2), Dv = dim(3), T = size("alpha") / H;
    return run_sequence(
        T, H * Dv, H * Dk * Dv, [&](TensorView out, float* states, StateBatch batch) {
          m_device.backend.gated_delta(out.split_columns(Dv), tensor("q", {T, Hk, Dk}),
                                       tensor("k", {T, Hk, Dk}), tensor("v", {T, H, Dv}),
                                       tensor("alpha", {T, H}), tensor("beta", {T, H}),
                                       {states, DType::kF32, {2, H, Dk, Dv}}, batch,
                                       {.a = tensor("a", {H}), .dt_bias = tensor("dt_bias", {H})});
        });
  }
  std::vector<float> run_scan() {
    const int64_t G = dim(0), H = dim(1), P = dim(2), N = dim(3), T = size("dt") / H;
    Mamba2Params params = {
        .a = tensor("a", {H}), .dt_bias = tensor("dt_bias", {H}), .d = tensor("d", {H})};
    if (has("limits")) {
      params.dt_min = numbers("limits")[0];
      params.dt_max = numbers("limits")[1];
    }
    return run_sequence(T, H * P, H * P * N, [&](TensorView out, float* states, StateBatch batch) {
      m_device.backend.mamba2_scan(out.split_columns(P), tensor("x", {T, H, P}),
                                   tensor("b", {T, G, N}), tensor("c", {T, G, N}),
                                   tensor("dt", {T, H}), {states, DType::kF32, {2, H, P, N}}, batch,
                                   params);
    });
  }
  std::vector<float> run_norm() {
    const int64_t C = dim(0), T = size("x") / C;
    const DeviceArray<float> x(m_device, numbers("x"));
    m_device.backend.gated_norm(x.view({T, C}), tensor("gate", {T, C}),
                                tensor("weight", {size("weight")}),
                                {.group_size = dim(1), .eps = 1e-6f, .gate_first = dim(2) == 1});
    return x.download();
  }

  Device& m_device;
  QJsonObject m_object;
  std::vector<DeviceArray<float>> m_arrays;
};

}  // namespace

class TestRecurrentReference : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/recurrent/golden.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_cases = QJsonDocument::fromJson(file.readAll()).array();
    QCOMPARE(m_cases.size(), 10);
  }

  void agreesWithTransformers_data() {
    QTest::addColumn<size_t>("column");
    for (size_t c = 0; c < m_columns.size(); ++c)
      QTest::addRow("%s", m_columns[c].name.c_str()) << c;
  }
  void agreesWithTransformers() {
    QFETCH(size_t, column);
    Result<std::unique_ptr<Backend>> backend = m_columns[column].create();
    if (!backend) QSKIP(backend.error().message.c_str());
    for (const auto& value : m_cases) {
      Device device(**backend);
      Golden golden(device, value.toObject());
      Comparison comparison;
      comparison.within(value.toObject()[QLatin1String("operation")].toString().toStdString(),
                        golden.run(), golden.expected(), 2e-5);
      QVERIFY2(!comparison.has_failed(), comparison.verdict().failure.c_str());
    }
  }

 private:
  const std::vector<Column> m_columns = columns(wants_long_tests());
  QJsonArray m_cases;
};

QTEST_APPLESS_MAIN(TestRecurrentReference)
#include "tst_recurrent_reference.moc"
