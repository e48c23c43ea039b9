#include <QTemporaryDir>
#include <QtTest>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/small_disk.h"

using namespace quire;

namespace {

std::string whyNot;  ///< Why there can be no small disk.

}  // namespace

/// The store on a real file system that is full or becomes read-only.
class TestSmallDisk : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (!whyNot.empty()) QSKIP(whyNot.c_str());
    m_folder = std::make_unique<QTemporaryDir>();
    m_disk = std::make_unique<SmallDisk>(m_folder->path().toStdString(), 2 << 20);
    QVERIFY(m_disk->isMounted());
  }
  void cleanup() { m_disk.reset(); }

  void full_losesNothingAndGoesOn() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    QTRY_COMPARE(committed.size(), 1);
    m_disk->fill();
    MessageRecord done = samples::finishedAnswer(3, 1, 2);
    done.setText(QString(300'000, 'x'));
    writer.finishAnswer(done);
    QTRY_COMPARE(paused.size(), 1);
    const QString sentence = paused[0][0].toString();
    QVERIFY2(sentence.contains("The disk is full") && sentence.contains(m_folder->path()),
             qPrintable(sentence));
    {
      const auto store = mustOpen();
      QCOMPARE(store->integrityCheck().value(), QString());
      QCOMPARE(store->messages(1).value().size(), 2);
    }
    m_disk->empty();
    writer.retry();
    QTRY_COMPARE(committed.size(), 2);
    QVERIFY(failed.isEmpty());
    const auto store = mustOpen();
    QCOMPARE(store->messages(1).value()[1].text(), done.text());
    QCOMPARE(store->integrityCheck().value(), QString());
  }

  void full_leavesNoHalfBackup() {
    fillStore();
    const auto database = openStoreForReading(m_folder->path());
    m_disk->fill();
    const auto made =
        makeBackup(**database, Backup::Kind::Asked, QDateTime(QDate(2026, 1, 1), QTime(1, 2)));
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::kIo);
    QVERIFY2(made.error().message.find(m_folder->path().toStdString()) != std::string::npos,
             made.error().message.c_str());
    QDir backups(m_folder->path() + "/backups");
    QCOMPARE(backups.entryList(QDir::Files | QDir::Hidden), QStringList());
    m_disk->empty();
    QVERIFY(makeBackup(**database, Backup::Kind::Asked, QDateTime::currentDateTime()));
  }

  void readOnly_isSaidAndPasses() {
    fillStore();
    QVERIFY(m_disk->remount(/*isReadOnly=*/true));
    const auto opened = ConversationStore::open(m_folder->path());
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kIo);
    const QString sentence = QString::fromStdString(opened.error().message);
    QVERIFY2(sentence.contains("cannot be written") && sentence.contains(m_folder->path()),
             qPrintable(sentence));
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    writer.putSetting("theme", "dark");
    QTRY_COMPARE(paused.size(), 1);
    QVERIFY(m_disk->remount(/*isReadOnly=*/false));
    writer.retry();
    QTRY_COMPARE(committed.size(), 1);
    const auto store = mustOpen();
    QCOMPARE(store->messages(1).value().size(), 2);
    QCOMPARE(store->setting("theme").value(), std::optional<QString>("dark"));
  }

 private:
  std::unique_ptr<ConversationStore> mustOpen() const {
    auto opened = ConversationStore::open(m_folder->path(), /*recover=*/false);
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }

  /// One turn with some 300 kB.
  void fillStore() const {
    const auto store = mustOpen();
    MessageRecord question = samples::question(2, 1);
    question.setText(QString(300'000, 'x'));
    const auto begun =
        store->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2));
    if (!begun) qFatal("%s", begun.error().message.c_str());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<SmallDisk> m_disk;
};

int main(int argc, char** argv) {
  whyNot = SmallDisk::prepare();
  QCoreApplication application(argc, argv);
  TestSmallDisk test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_small_disk.moc"
