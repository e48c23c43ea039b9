#include <QImage>
#include <QProcess>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickView>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include "app/window.h"
#include "tests/ui/gallery/drawing.h"
#include "tests/ui/gallery/text_check.h"

using namespace quire;
using namespace quire::gallery;

namespace {

constexpr int kFewestColours = 24;

/// A page of each kind, and those that have the most words.
const QStringList kNames = {"chat/first-run", "panes/two",    "search/results",
                            "models/scanned", "settings/top", "engine/busy"};

int numColours(const QImage& image) {
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); y += 2)
    for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
  return static_cast<int>(colours.size());
}

}  // namespace

/// The gallery in small, and that its check finds what it is there for.
class GalleryTest : public QObject {
  Q_OBJECT

 private slots:
  void pictures_areWhole_inBothLanguages_data() {
    QTest::addColumn<QString>("language");
    QTest::newRow("English") << "en";
    QTest::newRow("Korean") << "ko";
  }

  void pictures_areWhole_inBothLanguages() {
    QFETCH(QString, language);
    const QTemporaryDir folder;
    QProcess gallery;
    gallery.setProcessChannelMode(QProcess::MergedChannels);
    gallery.start(QUIRE_GALLERY,
                  QStringList{folder.path()} + kNames +
                      QStringList{"--theme", "light", "--scale", "100", "--language", language});
    QVERIFY(gallery.waitForFinished(120'000));
    QVERIFY2(gallery.exitCode() == 0, gallery.readAll().constData());
    for (const QString& name : kNames) {
      const QImage image(folder.filePath(fileNameOf(name, "light", language, "100")));
      QCOMPARE(image.size(), QSize(1440, 900));
      QVERIFY2(numColours(image) >= kFewestColours, qPrintable(name));
    }
    QVERIFY(QFile::exists(folder.filePath("index.html")));
  }

  void check_findsWhatIsCut_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("fault");
    const char* const words = "text: 'Words that need more room than this'; ";
    QTest::newRow("elided") << QByteArray("Text { width: 60; elide: Text.ElideRight; ") + words +
                                   "}"
                            << "is cut short";
    QTest::newRow("too few lines")
        << QByteArray(
               "Text { width: 60; wrapMode: Text.Wrap; elide: Text.ElideRight; "
               "maximumLineCount: 2; ") +
               words + "}"
        << "is cut short";
    QTest::newRow("too narrow") << QByteArray("Text { width: 60; ") + words + "}"
                                << "is wider than its place";
    QTest::newRow("over the window's edge") << QByteArray("Text { x: 350; ") + words + "}"
                                            << "reaches over the edge";
    QTest::newRow("over a frame's edge")
        << QByteArray("Item { width: 60; height: 20; clip: true; Text { ") + words + "} }"
        << "reaches over the edge";
    QTest::newRow("enough room") << QByteArray("Text { ") + words + "}"
                                 << "";
    QTest::newRow("not seen") << QByteArray("Text { visible: false; width: 60; ") + words + "}"
                              << "";
    QTest::newRow("the user's own") << QByteArray(
                                           "Text { objectName: 'userWords'; width: 60; "
                                           "elide: Text.ElideRight; ") +
                                           words + "}"
                                    << "";
  }

  void check_findsWhatIsCut() {
    QFETCH(QByteArray, text);
    QFETCH(QString, fault);
    QQuickView view;
    QQmlComponent component(view.engine());
    component.setData("import QtQuick\nItem { width: 400; height: 100; " + text + " }", {});
    auto* root = qobject_cast<QQuickItem*>(component.create());
    QVERIFY2(root, qPrintable(component.errorString()));
    view.setContent({}, &component, root);
    view.resize(400, 100);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const QString faults = findCutTexts(view).join('\n');
    QVERIFY2(fault.isEmpty() ? faults.isEmpty() : faults.contains(fault), qPrintable(faults));
  }
};

int main(int argc, char** argv) {
  qputenv("QT_QUICK_BACKEND", "software");
  QGuiApplication application(argc, argv);
  setUpLook();
  GalleryTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_gallery.moc"
