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
#include "tests/ui/gallery/mirror_check.h"
#include "tests/ui/gallery/pseudo_language.h"
#include "tests/ui/gallery/text_check.h"

using namespace quire;
using namespace quire::gallery;

namespace {

constexpr int kFewestColours = 24;

/// A page of each kind, and those that have the most words.
const QStringList kNames = {"chat/first-run", "panes/two",    "search/results",
                            "models/scanned", "settings/top", "engine/busy"};

/// The most that one language may take; all states, on a busy machine.
constexpr int kPartMs = 1'200'000;

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
    QVERIFY(gallery.waitForFinished(kPartMs));
    QVERIFY2(gallery.exitCode() == 0, gallery.readAll().constData());
    for (const QString& name : kNames) {
      const QImage image(folder.filePath(fileNameOf(name, "light", language, "100")));
      QCOMPARE(image.size(), QSize(1440, 900));
      QVERIFY2(numColours(image) >= kFewestColours, qPrintable(name));
    }
    QVERIFY(QFile::exists(folder.filePath("index.html")));
  }

  /// The same pages with words that are longer than those of any language, and from right to left.
  void texts_haveRoomInLongLanguages_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QStringList>("names");
    const QStringList few = {"settings/engine", "personas/presets", "engine/panel"};
    QTest::newRow("long") << "pseudo" << few;
    QTest::newRow("from right to left") << "rtl" << few;
    QTest::newRow("in a small window") << "pseudo" << QStringList{"--small", "message/menu"};
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) return;
    QTest::newRow("long, all states") << "pseudo" << QStringList();
    QTest::newRow("in a small window, all states") << "pseudo" << QStringList{"--small"};
  }
  void texts_haveRoomInLongLanguages() {
    QFETCH(QString, language);
    QFETCH(QStringList, names);
    const QTemporaryDir folder;
    QProcess gallery;
    gallery.setProcessChannelMode(QProcess::MergedChannels);
    gallery.start(QUIRE_GALLERY,
                  QStringList{folder.path()} + names +
                      QStringList{"--check", "--scale", "100", "--language", language});
    QVERIFY(gallery.waitForFinished(kPartMs));
    QVERIFY2(gallery.exitCode() == 0, gallery.readAll().constData());
  }

  /// The sidebar, one pane and more, a message with its menu, the composer, settings, models and a
  /// dialog.
  void layout_isMirrored_fromRightToLeft_data() {
    QTest::addColumn<QStringList>("names");
    for (const char* name :
         {"sidebar/folders", "chat/answer", "panes/two", "panes/four", "message/menu",
          "message/edit", "message/link", "settings/top", "models/scanned", "search/results"})
      QTest::newRow(name) << QStringList{name};
    if (qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QTest::newRow("all states") << QStringList();
  }
  void layout_isMirrored_fromRightToLeft() {
    QFETCH(QStringList, names);
    const QTemporaryDir folder;
    QProcess gallery;
    gallery.setProcessChannelMode(QProcess::MergedChannels);
    gallery.start(QUIRE_GALLERY, QStringList{folder.path()} + names +
                                     QStringList{"--mirror", "--scale", "100", "--language", "en"});
    QVERIFY(gallery.waitForFinished(kPartMs));
    QVERIFY2(gallery.exitCode() == 0, gallery.readAll().constData());
  }

  /// A window 100 wide: a text at 10 to 30 from left to right is at 70 to 90 in its mirror.
  void check_findsWhatIsNotMirrored_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QRectF>("found");
    QTest::addColumn<bool>("isFault");
    QTest::newRow("mirrored") << "Send" << QRectF(70, 0, 20, 9) << false;
    QTest::newRow("in its old place") << "Send" << QRectF(10, 0, 20, 9) << true;
    QTest::newRow("wider") << "Send" << QRectF(70, 0, 23, 9) << true;
    QTest::newRow("a wider time") << "0:0" << QRectF(70, 0, 23, 9) << false;
    QTest::newRow("a wider time before its end") << "0:0" << QRectF(67, 0, 23, 9) << false;
    QTest::newRow("a wider time in the middle") << "0:0" << QRectF(68, 0, 24, 9) << false;
    QTest::newRow("a time in its old place") << "0:0" << QRectF(10, 0, 23, 9) << true;
  }
  void check_findsWhatIsNotMirrored() {
    QFETCH(QString, text);
    QFETCH(QRectF, found);
    QFETCH(bool, isFault);
    const QString key = QStringLiteral("Row Text \"%1\"").arg(text);
    const QStringList faults =
        findUnmirrored({{key, {QRectF(10, 0, 20, 9)}}}, {{key, {found}}}, 100);
    QCOMPARE(faults.size(), isFault ? 1 : 0);
  }

  void pseudoText_keepsPlacesAndKeys_data() {
    QTest::addColumn<QString>("english");
    QTest::addColumn<QStringList>("kept");
    QTest::newRow("places") << "%1 of %L2, %n file(s)" << QStringList{"%1", "%L2", "%n"};
    QTest::newRow("keys") << "Ctrl+Shift+A, Esc" << QStringList{"Ctrl+Shift+A", "Esc"};
    QTest::newRow("addresses") << "See https://example.com, --data, *.json"
                               << QStringList{"https://example.com,", "--data", "*.json"};
  }
  void pseudoText_keepsPlacesAndKeys() {
    QFETCH(QString, english);
    QFETCH(QStringList, kept);
    const QString text = pseudoText(english);
    for (const QString& part : kept) QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(!text.contains("(s)"));
    QCOMPARE(pseudoText("%1 / %2"), QString("%1 / %2"));
    QCOMPARE(pseudoText("Save"), QStringLiteral("[Šávéééé]"));
  }

  void help_namesArgumentsAndOptions() {
    QProcess gallery;
    gallery.setProcessChannelMode(QProcess::MergedChannels);
    gallery.start(QUIRE_GALLERY, {"--help"});
    QVERIFY(gallery.waitForFinished(60'000));
    const QByteArray text = gallery.readAll();
    QVERIFY2(gallery.exitCode() == 0, text.constData());
    for (const char* const word :
         {"[folder]", "[name...]", "--theme", "--language", "--small", "--scale"})
      QVERIFY2(text.contains(word), text.constData());
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
