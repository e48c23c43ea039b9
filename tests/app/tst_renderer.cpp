#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/window.h"

using namespace quire;

class TestRenderer : public QObject {
  Q_OBJECT

 private slots:
  void processor_isKnownByItsDevice_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<bool>("isOne");
    QTest::newRow("render node") << "dri/renderD128" << true;
    QTest::newRow("NVIDIA's") << "nvidiactl" << true;
    QTest::newRow("Windows'") << "dxg" << true;
    QTest::newRow("screen alone") << "dri/card0" << false;
    QTest::newRow("another") << "null" << false;
  }

  void processor_isKnownByItsDevice() {
    QFETCH(QString, device);
    QFETCH(bool, isOne);
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("dri"));
    QVERIFY(QFile(folder.filePath(device)).open(QIODevice::WriteOnly));
    QCOMPARE(hasGraphicsProcessor(folder.path()), isOne);
  }

  void noDevices_isNone() {
    const QTemporaryDir folder;
    QVERIFY(!hasGraphicsProcessor(folder.path()));
    QVERIFY(!hasGraphicsProcessor(folder.filePath("nowhere")));
  }
};

QTEST_GUILESS_MAIN(TestRenderer)
#include "tst_renderer.moc"
