#include <QColor>
#include <QGuiApplication>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QTest>

#include <cmath>

#include "app/window.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// WCAG 2.1, relative luminance.
double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrastRatio(const QColor& one, const QColor& other) {
  const double a = luminance(one) + 0.05;
  const double b = luminance(other) + 0.05;
  return std::max(a, b) / std::min(a, b);
}

}  // namespace

/// Text can be read on whatever it stands on, in both themes.
class ThemeTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void contrast_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("ground");
    QTest::addColumn<double>("least");
    // WCAG 2.1: 4.5 for text, 3 for marks that carry a meaning.
    double least = 4.5;
    const auto add = [&](const QString& text, const QStringList& grounds) {
      for (const char* theme : {"light", "dark"}) {
        for (const QString& ground : grounds) {
          QTest::newRow(qPrintable(theme + (": " + text) + " on " + ground))
              << QString(theme) << text << ground << least;
        }
      }
    };
    add("ink", {"background", "surface", "side", "bubble", "code", "selected", "textSelection"});
    add("ink2", {"background", "surface", "side", "bubble", "code", "selected"});
    add("accent", {"background", "surface", "side"});
    add("warning", {"background", "surface"});
    add("accentInk", {"accent", "accentHover"});
    add("background", {"ink"});  // Toasts and hints.
    add("codeKeyword", {"code"});
    add("codeCall", {"code"});
    add("codeLiteral", {"code"});
    least = 3.0;
    add("ink3", {"background", "surface", "side"});
    add("accent", {"selected", "bubble", "code"});  // What is current, chosen or has the focus.
    add("warning", {"side", "bubble", "code"});
    for (const char* state : {"warm", "blockKept", "blockStored", "blockShared"}) {
      add(state, {"surface"});
    }
    for (const char* color : {"chatColors.0", "chatColors.1", "chatColors.2", "chatColors.3"}) {
      add(color, {"background", "surface", "side", "selected"});
    }
    // Fills beside a sign of their own: the bar of a current row, the count of free blocks.
    least = 1.1;
    add("selected", {"side"});
    least = 1.3;
    add("blockFree", {"surface"});
  }

  void contrast() {
    QFETCH(QString, theme);
    QFETCH(QString, text);
    QFETCH(QString, ground);
    QFETCH(double, least);
    registerQmlTypes();
    QQmlEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(&engine);
    component.setData("import QtQuick\nimport Quire\nQtObject { property QtObject theme: Theme }",
                      {});
    const std::unique_ptr<QObject> holder(component.create());
    QVERIFY2(holder, qPrintable(component.errorString()));
    auto* look = holder->property("theme").value<QObject*>();
    QVERIFY(look);
    look->setProperty("choice", theme);
    const auto color = [&](const QString& name) {  // "ink", or "chatColors.2".
      const QVariant value = look->property(qPrintable(name.section(u'.', 0, 0)));
      return name.contains(u'.') ? value.value<QList<QColor>>().value(name.section(u'.', 1).toInt())
                                 : value.value<QColor>();
    };
    QVERIFY(color(text).isValid() && color(ground).isValid());
    const double ratio = contrastRatio(color(text), color(ground));
    QVERIFY2(ratio >= least, qPrintable(QString::number(ratio, 'f', 2)));
  }
};

QUIRE_UI_TEST_MAIN(ThemeTest)
#include "tst_theme.moc"
