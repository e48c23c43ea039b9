#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/store/backup/store_rescue.h"
#include "app/transfer/data_transfer.h"
#include "app/transfer/import_offer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/full_disk.h"

using namespace quire;

namespace {

/// An open folder with one chat, and its transfers.
struct OneChat {
  OneChat() : session(folder.path()), transfer(session) {
    if (!session.open()) qFatal("The store does not open.");
    session.writer().putChat(samples::chat(1));
  }

  const QTemporaryDir folder;
  DataSession session;
  DataTransfer transfer;
};

/// A folder whose store, with one chat, a rescue has put aside: the program ended before the merge.
struct PutAside {
  PutAside() : session(folder.path()), transfer(session) {
    {
      const auto store = ConversationStore::open(folder.path());
      if (!store || !(*store)->putChat(samples::chat(1))) qFatal("The store cannot be made.");
    }
    kept = startAfresh(folder.path()).value();
    if (!session.open()) qFatal("The store does not open.");
  }
  bool merge() {
    transfer.mergeKept();
    return transfer.isBusy() && QTest::qWaitFor([this] { return !transfer.isBusy(); }, 20'000);
  }

  const QTemporaryDir folder;
  QString kept;
  DataSession session;
  DataTransfer transfer;
};

}  // namespace

class DataTransferTest : public QObject {
  Q_OBJECT

 private slots:
  void dailyBackup_isTriedAgain_untilThereIsOne() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    DataTransfer transfer(session);
    transfer.keepBackingUp(0, 20);
    QTest::qWait(60);  // Nothing is open yet: the first ones cannot be made.
    QCOMPARE(listBackups(folder.path(), false).size(), 0);
    QVERIFY(session.open());
    QTest::qWait(60);  // And then there is nothing to keep.
    QCOMPARE(listBackups(folder.path(), false).size(), 0);
    session.writer().putChat(samples::chat(1));
    QTRY_COMPARE(listBackups(folder.path(), false).size(), 1);
    QTRY_VERIFY(!transfer.isBusy());
  }

  void dailyBackup_isMadeOnce() {
    OneChat store;
    DataTransfer& transfer = store.transfer;
    transfer.keepBackingUp(0, 10);
    QTRY_COMPARE(listBackups(store.folder.path(), false).size(), 1);
    const QString path = listBackups(store.folder.path(), false).first().path;
    store.session.writer().putChat(samples::chat(2));
    QTest::qWait(60);
    QCOMPARE(listBackups(store.folder.path(), false).size(), 1);
    QCOMPARE(listBackups(store.folder.path(), false).first().path, path);
    QVERIFY(!transfer.hasNews());
  }

  void transfers_goOneAtATime_andReport() {
    OneChat store;
    DataTransfer& transfer = store.transfer;
    QSignalSpy merged(&transfer, &DataTransfer::merged);
    const QUrl file = QUrl::fromLocalFile(store.folder.filePath("chats.json"));
    transfer.exportTo(0, file);
    QVERIFY(transfer.isBusy());
    QCOMPARE(transfer.newsText(), transfer.doing());
    transfer.importFrom(file);  // Too early: nothing happens.
    QTRY_VERIFY(!transfer.isBusy());
    QCOMPARE(merged.size(), 0);
    QVERIFY2(transfer.result().contains("chats.json"), qPrintable(transfer.result()));
    transfer.importFrom(file);
    QTRY_COMPARE(merged.size(), 1);
    QVERIFY(!transfer.hasFailed());
    QCOMPARE(transfer.newsText(), transfer.result());
    QCOMPARE(transfer.errorText(), QString());
    transfer.importFrom(QUrl::fromLocalFile("/none.json"));
    QTRY_VERIFY(!transfer.isBusy());
    QVERIFY(transfer.hasFailed());
    QVERIFY(transfer.result().contains("/none.json"));
    QCOMPARE(transfer.errorText(), transfer.result());
    QCOMPARE(transfer.newsText(), QString());
    transfer.exportTo(0, file);
    QCOMPARE(transfer.errorText(), QString());
    QCOMPARE(transfer.newsText(), transfer.doing());
    QTRY_VERIFY(!transfer.isBusy());
  }

  void namesOfFiles_areShownVisibly() {
    OneChat store;
    const QUrl file = QUrl::fromLocalFile(store.folder.filePath(QString("a\u202Egpj.json")));
    store.transfer.importFrom(file);  // It does not exist.
    QTRY_VERIFY(store.transfer.hasFailed());
    QVERIFY2(store.transfer.result().contains("a<U+202E>gpj.json"),
             qPrintable(store.transfer.result()));
    ImportOffer offer;
    QSignalSpy refused(&offer, &ImportOffer::refused);
    offer.examine(file);
    QTRY_COMPARE(refused.size(), 1);
    QVERIFY(refused[0][0].toString().contains("a<U+202E>gpj.json"));
  }

  /// What was merged before the end stays, so it is taken over.
  void importThatEndsEarly_isTakenOver() {
    OneChat store;
    DataTransfer& transfer = store.transfer;
    QSignalSpy merged(&transfer, &DataTransfer::merged);
    transfer.importFrom(QUrl::fromLocalFile(store.folder.filePath("absent.json")));
    QTRY_VERIFY(transfer.hasFailed());
    QCOMPARE(merged.size(), 1);
    const QUrl file = QUrl::fromLocalFile(store.folder.filePath("chats.json"));
    transfer.exportTo(0, file);
    transfer.cancel();
    transfer.exportTo(0, file);
    QTRY_VERIFY(!transfer.isBusy());
    QCOMPARE(merged.size(), 1);
    transfer.importFrom(file);
    transfer.cancel();
    QCOMPARE(merged.size(), 1);
    QTRY_COMPARE(merged.size(), 2);
  }

  void changesThatCouldNotBeSaved_areNotSaidToBeWritten() {
    OneChat store;
    DataTransfer& transfer = store.transfer;
    QVERIFY(store.session.writer().flush(20'000));
    const FullDisk full(2'000'000);
    store.session.writer().putSetting("big", QString(4'000'000, 'x'));
    transfer.exportTo(0, QUrl::fromLocalFile(store.folder.filePath("chats.json")));
    QTRY_VERIFY(!transfer.isBusy());
    QVERIFY(QFile::exists(store.folder.filePath("chats.json")));
    for (const char* part : {"chats.json", "could not be saved yet"}) {
      QVERIFY2(transfer.errorText().contains(part), qPrintable(transfer.result()));
    }
    transfer.backUpNow();
    QTRY_VERIFY(!transfer.isBusy());
    QCOMPARE(listBackups(store.folder.path(), false).size(), 1);
    QVERIFY2(transfer.errorText().contains("not in the backup"), qPrintable(transfer.result()));
  }

  void storeThatWasPutAside_isMergedByTheNextStart_once() {
    PutAside store;
    QCOMPARE(store.session.store().chats()->size(), 0);
    QVERIFY(store.merge());
    QVERIFY2(!store.transfer.hasFailed(), qPrintable(store.transfer.result()));
    QCOMPARE(store.session.store().chats()->size(), 1);
    QVERIFY(!store.merge());
    QVERIFY(QFile::exists(store.kept));
  }

  void storeThatWasPutAside_isMergedByTheNextStart_ifItFails() {
    PutAside store;
    {
      const FullDisk full(0);
      QVERIFY(store.merge());
    }
    QVERIFY(store.transfer.hasFailed());
    QVERIFY2(store.transfer.result().contains("the next start tries again"),
             qPrintable(store.transfer.result()));
    QVERIFY(store.merge());
    QVERIFY2(!store.transfer.hasFailed(), qPrintable(store.transfer.result()));
    QCOMPARE(store.session.store().chats()->size(), 1);
  }

  void storeThatWasPutAside_isMergedByTheNextStart_ifItIsCancelled() {
    PutAside store;
    // It cannot end before it is cancelled.
    QVERIFY(store.session.store().database().exec("BEGIN IMMEDIATE"));
    store.transfer.mergeKept();
    store.transfer.cancel();
    QVERIFY(store.session.store().database().exec("COMMIT"));
    QVERIFY(store.transfer.result().contains("next start"));
    QCOMPARE(storesToMerge(store.folder.path()), QStringList(store.kept));
  }

  void storeThatWasPutAside_andIsGone_isSaidOnce() {
    PutAside store;
    QVERIFY(QFile::remove(store.kept));
    QVERIFY(store.merge());
    QVERIFY(store.transfer.hasFailed());
    QVERIFY2(store.transfer.result().contains(store.kept), qPrintable(store.transfer.result()));
    QVERIFY(!store.merge());
  }

  void cancelledTransfer_reportsNothingElse() {
    OneChat store;
    DataTransfer& transfer = store.transfer;
    transfer.backUpNow();
    transfer.cancel();
    QVERIFY(!transfer.isBusy());
    const QString result = transfer.result();
    QTest::qWait(100);
    QCOMPARE(transfer.result(), result);
  }
};

QTEST_GUILESS_MAIN(DataTransferTest)
#include "tst_data_transfer.moc"
