#include <QTemporaryDir>
#include <QTest>

#include "app/viewmodels/transfer/data_transfer.h"

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
    QTRY_COMPARE(listBackups(folder.path(), false).size(), 1);
    QTRY_VERIFY(!transfer.isBusy());
  }

  void dailyBackup_isMadeOnce() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    QVERIFY(session.open());
    DataTransfer transfer(session);
    int numBegun = 0;
    connect(&transfer, &DataTransfer::changed, this,
            [&] { numBegun += transfer.isBusy() ? 1 : 0; });
    transfer.keepBackingUp(0, 10);
    QTRY_COMPARE(transfer.result(), QString("There is a backup of today."));
    QTest::qWait(60);
    QCOMPARE(numBegun, 1);
  }
};

QTEST_GUILESS_MAIN(DataTransferTest)
#include "tst_data_transfer.moc"
