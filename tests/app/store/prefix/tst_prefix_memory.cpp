#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <new>

#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr size_t kPayloadBytes = 60'007;  // Nothing else is of this size.
constexpr PrefixOwner kChat{PrefixOwner::Kind::kChat, 1};

/// Below 0: memory suffices. Else: for so many more payloads.
std::atomic<int> payloadsLeft = -1;

}  // namespace

void* operator new(size_t size) {
  if (size == kPayloadBytes && payloadsLeft >= 0 && payloadsLeft-- == 0) {
    payloadsLeft = 0;
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

/// Too little memory for what is stored costs computing it, and nothing else.
class TestPrefixMemory : public QObject {
  Q_OBJECT

 private slots:
  void fetch_givesWhatThereIsMemoryFor() {
    const QTemporaryDir folder;
    const auto blocks = samples::chain("a", 5, kPayloadBytes);
    std::vector<std::string> lines;
    PrefixDatabase database({.path = folder.filePath("prefix.db").toStdString(),
                             .log = [&](const std::string& line) { lines.push_back(line); }});
    for (const StoredBlock& block : blocks) database.save(block, kChat);
    QVERIFY(database.flush(10s));
    for (const int room : {0, 2, 4}) {
      payloadsLeft = room;
      QCOMPARE(fetchable(database, blocks), room);
      payloadsLeft = -1;
      QCOMPARE(fetchable(database, blocks), 5);  // Nothing was dropped.
    }
    // Nothing is left open that keeps what is deleted in the log.
    payloadsLeft = 0;
    QCOMPARE(fetchable(database, blocks), 0);
    payloadsLeft = -1;
    database.forget(kChat);
    QVERIFY(database.flush(10s));
    QCOMPARE(QFileInfo(folder.filePath("prefix.db-wal")).size(), 0);
    QVERIFY(lines.empty());
  }

 private:
  static int fetchable(PrefixDatabase& database, const std::vector<StoredBlock>& blocks) {
    database.fetch(7, samples::keysOf(blocks));
    const auto fetched = database.take_fetched(10s);
    return fetched.size() == 1 ? samples::leadingEqual(blocks, fetched[0].blocks) : -1;
  }
};

QTEST_GUILESS_MAIN(TestPrefixMemory)
#include "tst_prefix_memory.moc"
