// Several CPU backends that compute each operation together: the bits of one, for sizes that are no
// multiple of anything.

#include <QTest>
#include <numeric>

#include "tests/kernels/host_links.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr int64_t kFewest = 40;

/// Memory of a backend with numbers from the host, kept while it lives.
class Arrays {
 public:
  explicit Arrays(Backend& backend) : m_backend(backend) {}

  TensorView floats(std::initializer_list<int64_t> shape, uint32_t seed) {
    const TensorView view(nullptr, DType::kF32, shape);
    return filled(view, Numbers(seed).floats(view.num_elements()).data());
  }
  TensorView ints(const std::vector<int32_t>& numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return filled(TensorView(nullptr, DType::kI32, {count}), numbers.data());
  }
  std::vector<float> read(const TensorView& view) {
    std::vector<float> numbers(static_cast<size_t>(view.num_elements()));
    m_backend.download(numbers.data(), view.data(), numbers.size() * sizeof(float));
    CHECK(m_backend.synchronize().has_value());
    return numbers;
  }

 private:
  TensorView filled(const TensorView& view, const void* numbers) {
    const auto bytes = static_cast<size_t>(4 * view.num_elements());
    m_buffers.push_back(std::move(*m_backend.allocate(bytes)));
    m_backend.upload(m_buffers.back()->data(), numbers, bytes);
    CHECK(m_backend.synchronize().has_value());
    return view.at(m_buffers.back()->data());
  }

  Backend& m_backend;
  std::vector<std::unique_ptr<DeviceBuffer>> m_buffers;
};

/// A weight of parts with those outputs.
struct Parts {
  std::vector<std::vector<float>> numbers;
  std::vector<float> scales;
  std::vector<int32_t> order;
  int64_t num_inputs;

  Parts(std::vector<int64_t> outputs, int64_t inputs, bool has_vectors, uint32_t seed = 5)
      : num_inputs(inputs) {
    for (const int64_t count : outputs) {
      numbers.push_back(Numbers(seed++).floats(count * inputs));
    }
    if (!has_vectors) return;
    scales = Numbers(99).floats(std::accumulate(outputs.begin(), outputs.end(), int64_t{0}));
    order.resize(static_cast<size_t>(inputs));
    std::iota(order.rbegin(), order.rend(), 0);
  }

  std::unique_ptr<LinearWeight> pack(Backend& backend) const {
    std::vector<ConstTensorView> parts;
    for (const auto& part : numbers) {
      parts.push_back(
          {part.data(), DType::kF32, {static_cast<int64_t>(part.size()) / num_inputs, num_inputs}});
    }
    if (!order.empty()) parts.push_back({order.data(), DType::kI32, {num_inputs}});
    if (!scales.empty()) {
      parts.push_back({scales.data(), DType::kF32, {static_cast<int64_t>(scales.size())}});
    }
    return std::move(backend.pack_linear(parts)).value();
  }
};

/// compute(backend) on one CPU backend and on groups of them.
template <typename Compute>
bool has_the_same_bits(const Compute& compute) {
  const auto one = make_backend("", 1);
  const std::vector<float> wanted = compute(*one);
  for (const int count : {2, 3, 5}) {
    const auto group = make_cpu_group(count, kFewest);
    if (!same_bits(compute(*group), wanted)) {
      qWarning("%d devices differ", count);
      return false;
    }
  }
  return true;
}

}  // namespace

class TestTensorParallel : public QObject {
  Q_OBJECT

 private slots:
  void linear_hasTheBitsOfOneDevice_data() {
    QTest::addColumn<QList<int>>("outputs");
    QTest::addColumn<int>("rows");
    const QList<QList<int>> all = {{16},     {41},     {64},     {100},     {1000},
                                   {50, 50}, {64, 64}, {33, 47}, {40, 8, 8}};
    for (const QList<int>& outputs : all) {
      for (const int rows : {1, 3}) {
        QTest::addRow("%d in %d parts, %d rows",
                      int(std::accumulate(outputs.begin(), outputs.end(), 0)), int(outputs.size()),
                      rows)
            << outputs << rows;
      }
    }
  }
  void linear_hasTheBitsOfOneDevice() {
    QFETCH(const QList<int>, outputs);
    QFETCH(const int, rows);
    for (const bool has_vectors : {false, true}) {
      for (const bool has_bias : {false, true}) {
        const Parts parts({outputs.begin(), outputs.end()}, 37, has_vectors);
        QVERIFY(has_the_same_bits([&](Backend& backend) {
          Arrays arrays(backend);
          const auto weight = parts.pack(backend);
          const int64_t N = weight->num_outputs();
          const TensorView out = arrays.floats({rows, N}, 1);
          const TensorView bias = has_bias ? arrays.floats({N}, 3) : TensorView();
          backend.linear(out, arrays.floats({rows, 37}, 2), *weight, bias);
          return arrays.read(out);
        }));
      }
    }
  }

  void glu_goesOnWithPartsOfItsInputs() {
    for (const int64_t rows : {1, 4}) {
      const Parts parts({72, 72}, 20, false);
      QVERIFY(has_the_same_bits([&](Backend& backend) {
        Arrays arrays(backend);
        const auto weight = parts.pack(backend);
        const TensorView gate_up = arrays.floats({rows, 144}, 1),
                         out = arrays.floats({rows, 72}, 1);
        backend.linear(gate_up, arrays.floats({rows, 20}, 2), *weight, {});
        HostLinks::num_exchanges = 0;
        backend.glu(out, gate_up, {});
        // Another gate_up has nothing to do with what waits.
        const TensorView other = arrays.floats({rows, 144}, 7), more = arrays.floats({rows, 72}, 1);
        backend.linear(gate_up, arrays.floats({rows, 20}, 3), *weight, {});
        backend.glu(more, other, {});
        std::vector<float> all = arrays.read(out);
        for (const float x : arrays.read(more)) all.push_back(x);
        for (const float x : arrays.read(gate_up)) all.push_back(x);
        return all;
      }));
      QCOMPARE(HostLinks::num_exchanges, 2);
    }
  }

  void embed_findsRowsOnEveryDevice() {
    const Parts table({1000}, 24, false);
    QVERIFY(has_the_same_bits([&](Backend& backend) {
      Arrays arrays(backend);
      const auto weight = table.pack(backend);
      const TensorView out = arrays.floats({6, 24}, 1);
      backend.embed(out, *weight, arrays.ints({999, 0, 511, 512, 340, 0}), 2.5f);
      return arrays.read(out);
    }));
  }

  void experts_haveTheBitsOfOneDevice_data() {
    QTest::addColumn<bool>("is_pair");
    QTest::addColumn<bool>("has_biases");
    for (const bool is_pair : {false, true}) {
      for (const bool has_biases : {false, true}) {
        QTest::addRow("%d parts, %s biases", is_pair ? 2 : 1, has_biases ? "with" : "no")
            << is_pair << has_biases;
      }
    }
  }
  void experts_haveTheBitsOfOneDevice() {
    QFETCH(const bool, is_pair);
    QFETCH(const bool, has_biases);
    std::vector<Parts> experts;
    for (uint32_t e = 0; e < 3; ++e) {
      experts.emplace_back(is_pair ? std::vector<int64_t>{45, 45} : std::vector<int64_t>{90}, 18,
                           false, 100 + 10 * e);
    }
    QVERIFY(has_the_same_bits([&](Backend& backend) {
      Arrays arrays(backend);
      std::vector<std::unique_ptr<LinearWeight>> packed;
      std::vector<const LinearWeight*> views;
      for (const Parts& expert : experts) packed.push_back(expert.pack(backend));
      for (const auto& weight : packed) views.push_back(weight.get());
      const TensorView ids = arrays.ints({2, 0, 1, 2, 0, 1, 1, 0});
      const TensorView out = arrays.floats({8, 90}, 1);
      const TensorView biases = has_biases ? arrays.floats({3, 90}, 3) : TensorView();
      backend.linear_experts(out, arrays.floats({4, 18}, 2), views, biases,
                             TensorView(ids.data(), DType::kI32, {4, 2}));
      return arrays.read(out);
    }));
  }

  /// Pages whose heads can be divided, and pages whose heads cannot: what goes to the host is the
  /// same.
  void pages_areMovedWhole() {
    constexpr size_t kBlockBytes = 6 * 64, kBlocks = 5;
    std::vector<std::byte> blocks(kBlockBytes * kBlocks);
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i * 7 % 251);
    const auto group = make_cpu_group(3, kFewest);
    for (const int64_t heads : {6, 4}) {
      QCOMPARE(group->info().page_copies(heads), heads == 6 ? 1 : 3);
      const auto pages = std::move(group->allocate_pages(kBlockBytes, kBlocks, heads)).value();
      auto* const at = static_cast<std::byte*>(pages->data());
      group->upload(at, blocks.data(), blocks.size());
      group->copy(at + kBlockBytes, at + 3 * kBlockBytes, kBlockBytes);
      std::vector<std::byte> wanted = blocks, found(blocks.size());
      std::copy_n(wanted.begin() + 3 * kBlockBytes, kBlockBytes, wanted.begin() + kBlockBytes);
      group->download(found.data(), at, found.size());
      QVERIFY(group->synchronize().has_value());
      QVERIFY(found == wanted);
    }
  }

  void headsThatAreTooWide_areRefusedWithoutResults() {
    const auto group = make_cpu_group(2, kFewest);
    Arrays arrays(*group);
    const Parts head({64}, 8, false);
    const auto weight = head.pack(*group);
    const LinearWeight* const heads[] = {weight.get()};
    group->linear_heads(arrays.floats({2, 1, 64}, 1), arrays.floats({2, 1, 8}, 2), heads);
    const auto done = group->synchronize();
    QVERIFY(!done);
    QCOMPARE(done.error().code, ErrorCode::kUnsupported);
    QVERIFY(group->synchronize().has_value());
  }

  void info_isThatOfAll() {
    const DeviceInfo first = {.name = "cuda:0",
                              .description = "GPU, 24 GB",
                              .total_bytes = 24,
                              .free_bytes = 20,
                              .available = true,
                              .reason = {}};
    DeviceInfo second = first;
    second.name = "cuda:1";
    second.free_bytes = 11;
    const DeviceInfo group = describe_group(std::vector{first, second});
    QCOMPARE(group.name, std::string("cuda:0+cuda:1"));
    QCOMPARE(group.description, std::string("2 x GPU, 24 GB"));
    QCOMPARE(group.total_bytes, uint64_t{48});
    QCOMPARE(group.free_bytes, uint64_t{22});
    QCOMPARE(group.num_devices, 2);
  }
};

QTEST_APPLESS_MAIN(TestTensorParallel)
#include "tst_tensor_parallel.moc"
