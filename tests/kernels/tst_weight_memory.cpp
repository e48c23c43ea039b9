#include <QTest>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cpu/weight_memory.h"

using namespace quire;
using namespace quire::cpu;

namespace {

bool is_zero(const DeviceBuffer& buffer) {
  const auto* const bytes = static_cast<const char*>(buffer.data());
  return std::all_of(bytes, bytes + buffer.size_bytes(), [](char c) { return c == 0; });
}

std::unique_ptr<DeviceBuffer> allocate(WeightMemory& memory, size_t bytes) {
  Result<std::unique_ptr<DeviceBuffer>> buffer = memory.allocate(bytes);
  return buffer ? std::move(*buffer) : nullptr;
}

/// From the end of one buffer to the beginning of another.
int64_t distance(const DeviceBuffer& from, const DeviceBuffer& to) {
  return static_cast<const char*>(to.data()) -
         (static_cast<const char*>(from.data()) + from.size_bytes());
}

}  // namespace

class TestWeightMemory : public QObject {
  Q_OBJECT

 private slots:
  void allocate_putsSmallWeightsSideBySide() {
    WeightMemory memory;
    const auto first = allocate(memory, 1000), second = allocate(memory, 64);
    const auto third = allocate(memory, 1);
    QCOMPARE(distance(*first, *second), 24);
    QCOMPARE(distance(*second, *third), 0);
    for (const auto* buffer : {&first, &second, &third}) {
      QCOMPARE(reinterpret_cast<uintptr_t>((*buffer)->data()) % 64, uintptr_t{0});
      QVERIFY(is_zero(**buffer));
    }
    QCOMPARE(first->size_bytes(), size_t{1000});
  }

  /// A block that is full is followed by another one, and no weight crosses its end.
  void allocate_neverSharesBytes() {
    WeightMemory memory;
    std::vector<std::unique_ptr<DeviceBuffer>> buffers;
    const size_t bytes = WeightMemory::kMostSharedBytes - 100;
    for (int i = 0; i < 9; ++i) {
      buffers.push_back(allocate(memory, bytes));
      QVERIFY(is_zero(*buffers.back()));
      std::memset(buffers.back()->data(), i + 1, bytes);
    }
    for (int i = 0; i < 9; ++i) {
      const auto* const at = static_cast<const char*>(buffers[static_cast<size_t>(i)]->data());
      QVERIFY(std::all_of(at, at + bytes, [&](char c) { return c == i + 1; }));
    }
  }

  void allocate_mapsLargeWeightsAlone() {
    WeightMemory memory;
    const auto first = allocate(memory, 100);
    const auto large = allocate(memory, WeightMemory::kMostSharedBytes + 1);
    const auto second = allocate(memory, 100);
    QVERIFY(is_zero(*large));
    QCOMPARE(distance(*first, *second), 28);
  }

  /// What follows lies in another block, and the first one's weights are as they were.
  void close_keepsWhatIsUsed() {
    WeightMemory memory;
    const auto first = allocate(memory, 5000);
    std::memset(first->data(), 3, 5000);
    memory.close();
    const auto second = allocate(memory, 100);
    QVERIFY(is_zero(*second));
    QVERIFY(distance(*first, *second) != 56);
    QCOMPARE(static_cast<const char*>(first->data())[4999], char{3});
    memory.close();
    memory.close();
    QVERIFY(is_zero(*allocate(memory, 64)));
  }

  /// A block is freed with its last weight, whatever became of the others and of the WeightMemory.
  void buffers_outliveTheirOwnerAndEachOther() {
    auto memory = std::make_unique<WeightMemory>();
    auto first = allocate(*memory, 100), second = allocate(*memory, 100);
    memory.reset();
    std::memset(second->data(), 7, 100);
    first.reset();
    QCOMPARE(static_cast<const char*>(second->data())[99], char{7});
  }
};

QTEST_GUILESS_MAIN(TestWeightMemory)
#include "tst_weight_memory.moc"
