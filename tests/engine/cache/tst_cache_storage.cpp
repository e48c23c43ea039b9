// CacheStorage: a block's bytes go out and come back, whatever the pages hold.

#include <QTest>
#include <numeric>

#include "engine/cache/cache_storage.h"
#include "engine/models/null_backend.h"

using namespace quire;

namespace {

const CacheLayout kLayout = CacheLayout::uniform(3, {.num_kv_heads = 2, .head_dim = 24});

/// Keeps keys by dimension, as processors do, and counts who asks.
class CountingBackend : public NullBackend {
 public:
  DeviceInfo info() const override {
    ++num_asked;
    DeviceInfo info = NullBackend::info();
    info.keys_by_dimension = true;
    return info;
  }
  mutable int num_asked = 0;
};

}  // namespace

class TestCacheStorage : public QObject {
  Q_OBJECT

 private slots:
  void bytesPerBlock_countScales() {
    CacheLayout layout = kLayout;
    QCOMPARE(layout.bytes_per_block(), size_t{2 * 3 * 2 * 16 * 24 * 4});
    layout.dtype = DType::kF8E4M3;
    QCOMPARE(layout.bytes_per_block(), size_t{2 * 3 * 2 * 16 * 24});
    layout.dtype = DType::kI8;
    QCOMPARE(layout.bytes_per_block(), size_t{2 * 3 * 2 * 16 * (24 + 4)});
  }

  void values_mayBeNarrowerThanKeys() {
    const auto backend = std::move(create_backend({.device = "cpu"})).value();
    for (const DType dtype : {DType::kF32, DType::kI8}) {
      const PagesShape pages = {.num_kv_heads = 1, .head_dim = 40, .value_dim = 24};
      const CacheLayout layout = CacheLayout::uniform(2, pages, dtype);
      const auto scales = size_t{dtype == DType::kI8 ? 8u : 0u};
      QCOMPARE(layout.bytes_per_block(),
               2 * 16 * (64 * static_cast<size_t>(dtype_bytes(dtype)) + scales));
      auto storage = std::move(CacheStorage::allocate(*backend, layout, {4})).value();
      QVERIFY(storage.layer(1).has_shape(1, 40, 24, true));
      std::vector<std::byte> written(layout.bytes_per_block(), std::byte{5});
      QVERIFY(storage.write_block(3, written).has_value());
      const TensorView values = storage.layer(1).values;
      const auto* const last = static_cast<const std::byte*>(values.rows(3, 1).data());
      QCOMPARE(last[24 * 16 * dtype_bytes(dtype) - 1], std::byte{5});
    }
  }

  void windowLayers_havePagesOfTheirOwn() {
    const auto backend = std::move(create_backend({.device = "cpu"})).value();
    CacheLayout layout = kLayout;
    layout.layers[0].pages->window = 40;
    layout.layers[2].pages->window = 70;
    QCOMPARE(layout.window(), 70);
    QCOMPARE(layout.bytes_per_window(), 2 * layout.bytes_per_block());
    QCOMPARE(layout.bytes_per_window(1, 1), size_t{0});
    QCOMPARE(layout.bytes_per_block(0, 1), size_t{0});
    auto storage =
        std::move(CacheStorage::allocate(*backend, layout, {.num_blocks = 9, .num_windows = 4}))
            .value();
    QVERIFY(storage.has_window(0) && !storage.has_window(1) && storage.has_window(2));
    QCOMPARE(storage.layer(0).keys.dim(0), 4);
    QCOMPARE(storage.layer(1).keys.dim(0), 9);
    std::vector<std::byte> written(layout.bytes_per_window());
    for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
    QVERIFY(storage.write_window(2, written).has_value());
    storage.copy_window(2, 3);
    std::vector<std::byte> read(written.size());
    QVERIFY(storage.read_window(3, read).has_value());
    QVERIFY(read == written);
    QVERIFY(storage.read_window(0, read).has_value());
    QCOMPARE(std::ranges::count(read, std::byte{0}), std::ptrdiff_t(read.size()));
  }

  /// info() reads files of the system, and every step asks for every layer.
  void layers_areNamedWithoutAskingTheDevice() {
    CountingBackend backend;
    auto storage = std::move(CacheStorage::allocate(backend, kLayout, {4})).value();
    const int num_asked = backend.num_asked;
    QCOMPARE(storage.layer(1).keys.dim(2), 24);
    QCOMPARE(backend.num_asked, num_asked);
  }

  void dtypes_thatTheDeviceDoesNotKeepAreRefused() {
    const auto backend = std::move(create_backend({.device = "cpu"})).value();
    CacheLayout layout = kLayout;
    layout.dtype = DType::kF8E4M3;
    const auto storage = CacheStorage::allocate(*backend, layout, {4});
    QVERIFY(!storage);
    QCOMPARE(storage.error().code, ErrorCode::kUnsupported);
    QVERIFY(QString::fromStdString(storage.error().message).contains("f8_e4m3"));
  }

  void blocks_goOutAndComeBack_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::kF32, DType::kBF16, DType::kI8}) {
      QTest::addRow("%s", std::string(dtype_name(dtype)).c_str()) << static_cast<int>(dtype);
    }
  }
  void blocks_goOutAndComeBack() {
    QFETCH(int, dtype);
    CacheLayout layout = kLayout;
    layout.dtype = static_cast<DType>(dtype);
    const auto backend = std::move(create_backend({.device = "cpu"})).value();
    auto storage = std::move(CacheStorage::allocate(*backend, layout, {4})).value();
    std::vector<std::byte> written(layout.bytes_per_block());
    for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
    QVERIFY(storage.write_block(2, written).has_value());
    storage.copy_block(2, 1);
    std::vector<std::byte> read(written.size());
    QVERIFY(storage.read_block(1, read).has_value());
    QVERIFY(read == written);
    QVERIFY(storage.read_block(3, read).has_value());
    QCOMPARE(std::count(read.begin(), read.end(), std::byte{0}), std::ptrdiff_t(read.size()));
    const auto* const first = static_cast<const std::byte*>(storage.layer(0).keys.data());
    const size_t block = size_t{2 * 16 * 24} * dtype_bytes(layout.dtype);
    QVERIFY(
        std::equal(written.begin(), written.begin() + std::ptrdiff_t(block), first + 2 * block));
  }
};

QTEST_APPLESS_MAIN(TestCacheStorage)
#include "tst_cache_storage.moc"
