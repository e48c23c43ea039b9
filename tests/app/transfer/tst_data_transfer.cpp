#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/transfer/data_transfer.h"
#include "app/transfer/import_offer.h"
#include "tests/app/store/sample_records.h"

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
