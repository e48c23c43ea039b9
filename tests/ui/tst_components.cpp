#include <QDirIterator>
#include <QGuiApplication>
#include <QQmlComponent>
#include <QTest>

#include "app/window.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// Every QML file of the window compiles by itself, those included that only some state shows.
class ComponentsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void component_data() {
    QTest::addColumn<QString>("path");
    QDirIterator files(QStringLiteral(":/qt/qml/Quire"), {QStringLiteral("*.qml")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = files.next();
      if (path.endsWith(QLatin1String("Theme.qml")))
        continue;  // A singleton: compiled with every other.
      QTest::newRow(qPrintable(path)) << path;
    }
  }

  void component() {
    QFETCH(QString, path);
    registerQmlTypes();
    QQmlEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(&engine, QUrl(QStringLiteral("qrc") + path));
    QVERIFY2(component.isReady(), qPrintable(component.errorString()));
  }
};

QUIRE_UI_TEST_MAIN(ComponentsTest)
#include "tst_components.moc"
