#include <QDirIterator>
#include <QGuiApplication>
#include <QQmlComponent>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTest>
#include <QWheelEvent>

#include "app/panes/lazy_loader.h"
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

  void wheel_scrollsTheForm_untilTheWritingBoxIsFull_data() {
    QTest::addColumn<int>("lines");
    QTest::addColumn<bool>("scrollsForm");
    QTest::newRow("a line") << 1 << true;
    QTest::newRow("more than it shows") << 100 << false;
  }
  void wheel_scrollsTheForm_untilTheWritingBoxIsFull() {
    QFETCH(int, lines);
    QFETCH(bool, scrollsForm);
    registerQmlTypes();
    QQmlEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(&engine);
    component.setData(
        "import QtQuick\nimport Quire\nFlickable { width: 200; height: 200; contentHeight: 600\n"
        "WritingBox { width: 200; height: 150; name: 'a' } }",
        QUrl(QStringLiteral("qrc:/qt/qml/Quire/Test.qml")));
    const std::unique_ptr<QObject> made(component.create());
    QVERIFY2(made, qPrintable(component.errorString()));
    auto* form = qobject_cast<QQuickItem*>(made.get());
    auto* box = form->property("contentItem").value<QQuickItem*>()->childItems().constFirst();
    box->setProperty("text", QStringLiteral("text\n").repeated(lines));
    QQuickWindow window;
    window.resize(200, 200);
    form->setParentItem(window.contentItem());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QWheelEvent wheel({100, 75}, window.mapToGlobal(QPoint(100, 75)), {}, {0, -120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&window, &wheel);
    const auto isScrolled = [&] { return form->property("contentY").toReal() > 0; };
    QCOMPARE(QTest::qWaitFor(isScrolled, scrollsForm ? 5000 : 300), scrollsForm);
  }

  /// A receiver of isEmptyChanged() may delete the loader's parent, so the item must be deleted
  /// before the signal.
  void lazyLoader_saysOnce_thatItIsEmpty_whenItsItemIsGone() {
    const auto loader = create(
        "import QtQuick\nimport Quire.Models\n"
        "LazyLoader { isOpen: true; isWanted: false; delegate: Component { Item {} } }");
    QVERIFY(loader);
    int numSignals = 0;
    qsizetype numItems = -1;
    auto* item = qobject_cast<QQuickItem*>(loader.get());
    const auto count = [&] {
      ++numSignals;
      numItems = item->childItems().size();
    };
    connect(static_cast<LazyLoader*>(item), &LazyLoader::isEmptyChanged, this, count);
    loader->setProperty("isWanted", true);
    static_cast<LazyLoader*>(item)->finish();
    QCOMPARE(numSignals, 1);
    QCOMPARE(item->childItems().size(), 1);
    loader->setProperty("isWanted", false);
    QTRY_VERIFY(loader->property("isEmpty").toBool());
    QCOMPARE(numSignals, 2);
    QCOMPARE(numItems, 0);
  }

  void navButton_hidesItsDetail_whereTheLabelNeedsTheRoom() {
    const auto button = create(
        "import Quire\nNavButton { width: 400; iconName: 'plus'; text: 'A label of words'; "
        "detail: 'Ctrl N' }");
    QVERIFY(button);
    auto* detail = button->findChild<QQuickItem*>("navDetail");
    QVERIFY(detail && detail->isVisible());
    button->setProperty("width", 120);
    QVERIFY(!detail->isVisible());
  }

  /// Its buttons stay on the screen, whatever a link or a hub calls itself.
  void askCard_isLow_whateverItsSubject() {
    const auto made = create(
        "import QtQuick\nimport QtQuick.Controls.Basic\nimport Quire\n"
        "ApplicationWindow { width: 680; height: 480; visible: true\n"
        "AskCard { objectName: 'card'; title: 'a'; words: 'a'; subject: 'a'; shown: true } }");
    auto* window = qobject_cast<QQuickWindow*>(made.get());
    QVERIFY(window && QTest::qWaitForWindowExposed(window));
    auto* card = window->findChild<QObject*>("card");
    QVERIFY(card);
    const auto height = [card] { return card->property("height").toReal(); };
    QTRY_VERIFY(height() > 0);
    const qreal usual = height();
    card->setProperty("subject", QString(2500, 'a'));
    QTRY_VERIFY(height() > usual);
    QVERIFY2(height() < 400, qPrintable(QString::number(height())));
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
  std::unique_ptr<QObject> create(const QByteArray& source) {
    registerQmlTypes();
    if (!m_engine) m_engine = std::make_unique<QQmlEngine>();
    m_engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(m_engine.get());
    component.setData(source, QUrl(QStringLiteral("qrc:/qt/qml/Quire/Test.qml")));
    return std::unique_ptr<QObject>(component.create());
  }

  std::unique_ptr<QQmlEngine> m_engine;

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
