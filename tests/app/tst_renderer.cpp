#include <QDir>
#include <QFile>
#include <QStandardPaths>
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

  void addFonts_readsOnlyFonts() {
    const QTemporaryDir folder;
    QCOMPARE(addFonts(folder.filePath("nowhere")), 0);
    QFile damaged(folder.filePath("damaged.otf"));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("not a font");
    damaged.close();
    QCOMPARE(addFonts(folder.path()), 0);
    const QString font = QStandardPaths::locate(
        QStandardPaths::FontsLocation, "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf");
    if (font.isEmpty()) QSKIP("There is no JetBrains Mono here (fonts-jetbrains-mono).");
    QVERIFY(QFile::copy(font, folder.filePath("mono.ttf")));
    QCOMPARE(addFonts(folder.path()), 1);
  }

  void window_fitsItsScreen_withItsTitleBar() {
    const QSize wanted(1200, 800);
    QCOMPARE(sizeOnScreen(wanted, {}), wanted);
    QCOMPARE(sizeOnScreen(wanted, {1920, 1040}), wanted);
    QCOMPARE(sizeOnScreen(wanted, {1280, 760}), QSize(1200, 720));
    QCOMPARE(sizeOnScreen(wanted, {1024, 1200}), QSize(1024, 800));
  }

  void noDevices_isNone() {
    const QTemporaryDir folder;
    QVERIFY(!hasGraphicsProcessor(folder.path()));
    QVERIFY(!hasGraphicsProcessor(folder.filePath("nowhere")));
  }
};

QTEST_MAIN(TestRenderer)
#include "tst_renderer.moc"
