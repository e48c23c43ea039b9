#include <QTemporaryDir>
#include <QTest>

#include "app/transfer/data_transfer.h"
#include "tests/app/store/sample_records.h"

using namespace quire;

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
    const QTemporaryDir folder;
    DataSession session(folder.path());
    QVERIFY(session.open());
    session.writer().putChat(samples::chat(1));
    DataTransfer transfer(session);
    transfer.keepBackingUp(0, 10);
    QTRY_COMPARE(listBackups(folder.path(), false).size(), 1);
    const QString path = listBackups(folder.path(), false).first().path;
    session.writer().putChat(samples::chat(2));
    QTest::qWait(60);
    QCOMPARE(listBackups(folder.path(), false).size(), 1);
    QCOMPARE(listBackups(folder.path(), false).first().path, path);
    QVERIFY(!transfer.hasNews());
  }
};

QTEST_GUILESS_MAIN(DataTransferTest)
#include "tst_data_transfer.moc"
