#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <unistd.h>

#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

/// Makes the open handles of these files of this process useless, as those of a disk that was
/// removed are; the files themselves stay. Returns their number.
int killHandlesOf(const QStringList& files) {
  const int dead = ::open("/", O_PATH | O_CLOEXEC);  // Neither readable nor writable.
  int numKilled = 0;
  for (const QFileInfo& entry : QDir("/proc/self/fd").entryInfoList(QDir::Files | QDir::System)) {
    if (!files.contains(entry.symLinkTarget())) continue;
    if (::dup2(dead, entry.fileName().toInt()) >= 0) ++numKilled;
  }
  ::close(dead);
  return numKilled;
}

}  // namespace

/// The store is moved, deleted or replaced while it is in use, or its disk is removed. SQLite goes
/// on writing to the file that it has open, whatever became of its name.
class TestStoreGone : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_root = std::make_unique<QTemporaryDir>();
    QVERIFY(ConversationStore::open(folder()));
    m_writer = std::make_unique<StoreWriter>(folder());
    m_committed = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::committed);
    m_failed = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::failed);
    m_paused = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::paused);
    m_writer->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                        samples::emptyAnswer(3, 1, 2));
    QTRY_COMPARE(m_committed->size(), 1);
  }
  void cleanup() { m_writer.reset(); }

  void deletedStore_takesNothingMore() {
    QVERIFY(QFile::remove(storePath(folder())));
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    checkPause();
    m_writer->beginTurn(samples::chat(4, 6), samples::question(5, 4),
                        samples::emptyAnswer(6, 4, 5));
    QTRY_COMPARE(m_failed->size(), 1);
    QCOMPARE(m_failed->first()[1], m_paused->first()[0]);
    QCOMPARE(m_committed->size(), 1);
    QCOMPARE(m_writer->unsaved().messages, 1);
    QVERIFY2(!QFile::exists(storePath(folder())), "a new store was made");
  }

  void movedFolder_getsTheRest_onceItIsBack() {
    const QString elsewhere = m_root->filePath("elsewhere");
    QVERIFY(QDir().rename(folder(), elsewhere));
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    checkPause();
    QVERIFY(!m_writer->flush(20'000));
    QVERIFY2(!QFile::exists(folder()), "a new store was made");
    QVERIFY(QDir().rename(elsewhere, folder()));
    checkAnswerComes();
  }

  /// Such as by a program that synchronises folders.
  void otherStoreAtItsPlace_isLeftAlone() {
    const QString elsewhere = m_root->filePath("elsewhere");
    QVERIFY(QDir().rename(folder(), elsewhere));
    {
      const auto other = ConversationStore::open(folder());
      QVERIFY(other && (*other)->putChat(samples::chat(70)));
    }
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    m_writer->putSetting("theme", "dark");
    checkPause();
    QVERIFY(!m_writer->flush(20'000));
    QCOMPARE(m_committed->size(), 1);
    {
      const auto other = ConversationStore::openForReading(folder());
      QVERIFY(other && (*other)->chats().value().size() == 1);
      QVERIFY(!(*other)->setting("theme").value());
    }
    QVERIFY(QDir(folder()).removeRecursively());
    QVERIFY(QDir().rename(elsewhere, folder()));
    checkAnswerComes();
  }

  void diskThatWasAway_getsTheRest() {
    const QString path = storePath(folder());
    QVERIFY(killHandlesOf({path, path + "-wal"}) >= 2);
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    QTRY_COMPARE(m_paused->size(), 1);
    const QString sentence = m_paused->first()[0].toString();
    QVERIFY2(sentence.contains(path) && sentence.contains("Check its disk"), qPrintable(sentence));
    checkAnswerComes();
  }

  void import_makesNoStoreInPlaceOfOneThatIsGone() {
    Place from;
    const QString file = exportOf(from, 1);
    m_writer.reset();
    QVERIFY(QFile::remove(storePath(folder())));
    IdSource ids(100);
    const auto imported = importJson(folder(), file, ids, goOn);
    QVERIFY(!imported);
    QVERIFY2(errorOf(imported).contains(folder()), qPrintable(errorOf(imported)));
    QVERIFY(!mergeStore(folder(), storePath(from.path()), ids, goOn));
    QVERIFY(!QFile::exists(storePath(folder())));
  }

  void import_endsWhenTheStoreGoes() {
    Place from;
    const QString file = exportOf(from, 5);
    IdSource ids(100);
    // In the second half the chats come in.
    const auto removeIt = [&](qint64 done, qint64 total) {
      if (done > total / 2) QFile::remove(storePath(folder()));
      return true;
    };
    const auto imported = importJson(folder(), file, ids, removeIt);
    QVERIFY2(!imported, "chats that are nowhere were said to be added");
    QCOMPARE(imported.error().code, ErrorCode::kIo);
    QVERIFY2(errorOf(imported).contains("not there any more"), qPrintable(errorOf(imported)));
  }

 private:
  QString folder() const { return m_root->filePath("data"); }

  static QString exportOf(Place& place, int numChats) {
    for (int i = 1; i <= numChats; ++i) {
      const auto put = place.store->putChat(samples::chat(i));
      if (!put) qFatal("%s", put.error().message.c_str());
    }
    const QString file = place.path() + "/all.json";
    const auto exported = exportJson(place.path(), {}, file, goOn);
    if (!exported) qFatal("%s", exported.error().message.c_str());
    return file;
  }

  void checkPause() const {
    QTRY_COMPARE(m_paused->size(), 1);
    const QString sentence = m_paused->first()[0].toString();
    QVERIFY2(sentence.contains(storePath(folder())) && sentence.contains("not there any more"),
             qPrintable(sentence));
    QCOMPARE(m_committed->size(), 1);
  }

  /// Nothing that was queued is lost, and it is in the store.
  void checkAnswerComes() const {
    QTRY_VERIFY(m_writer->flush(1000));
    QTRY_VERIFY(m_committed->size() > 1);
    QVERIFY(m_failed->isEmpty());
    const auto store = ConversationStore::openForReading(folder());
    QVERIFY2(store, qPrintable(errorOf(store)));
    QCOMPARE((*store)->messages(1).value()[1].text(), samples::finishedAnswer(3, 1, 2).text());
    QCOMPARE((*store)->integrityCheck().value(), QString());
  }

  std::unique_ptr<QTemporaryDir> m_root;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<QSignalSpy> m_committed;
  std::unique_ptr<QSignalSpy> m_failed;
  std::unique_ptr<QSignalSpy> m_paused;
};

QTEST_GUILESS_MAIN(TestStoreGone)
#include "tst_store_gone.moc"
