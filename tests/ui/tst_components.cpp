#include <QDirIterator>
#include <QGuiApplication>
#include <QQmlComponent>
#include <QQuickItem>
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

  void placeholder_isPlainText_data() {
    QTest::addColumn<QByteArray>("type");
    for (const char* type : {"TextBox", "WritingBox"}) QTest::newRow(type) << QByteArray(type);
  }
  /// As rich text it would fetch the image.
  void placeholder_isPlainText() {
    QFETCH(QByteArray, type);
    registerQmlTypes();
    QQmlEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(&engine);
    component.setData("import Quire\n" + type +
                          " { name: 'a'; hint: \"<b>a</b><img src='http://127.0.0.1:1/a.png'>\" }",
                      QUrl(QStringLiteral("qrc:/qt/qml/Quire/Test.qml")));
    const std::unique_ptr<QObject> made(component.create());
    QVERIFY2(made, qPrintable(component.errorString()));
    const auto texts = placeholdersIn(*made);
    QVERIFY(!texts.isEmpty());
    for (const QObject* text : texts) QCOMPARE(text->property("textFormat").toInt(), Qt::PlainText);
  }

  /// Every field that has a placeholder makes it plain.
  void placeholders_areAllMadePlain() {
    QDirIterator files(QStringLiteral(":/qt/qml/Quire"), {QStringLiteral("*.qml")}, QDir::Files,
                       QDirIterator::Subdirectories);
    int numFields = 0;
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray source = file.readAll();
      if (!source.contains("placeholderText:")) continue;
      ++numFields;
      QVERIFY2(source.contains("PlainPlaceholder {"), qPrintable(file.fileName()));
    }
    QVERIFY(numFields > 0);
  }

 private:
  static QList<QObject*> placeholdersIn(const QObject& root) {
    QList<QObject*> texts;
    for (auto* item : root.findChildren<QQuickItem*>()) {
      if (item->inherits("QQuickPlaceholderText")) texts.append(item);
    }
    return texts;
  }
};

QUIRE_UI_TEST_MAIN(ComponentsTest)
#include "tst_components.moc"
