#include <QAbstractTextDocumentLayout>
#include <QClipboard>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickWindow>
#include <QRegularExpression>
#include <QSGRendererInterface>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/richtext/formula_item.h"
#include "app/richtext/formula_layer.h"
#include "app/richtext/line_marks.h"
#include "app/richtext/markup_text.h"
#include "app/richtext/message_blocks.h"

using namespace quire;

/// Formulas within the text of an answer: their places, their lines and their copies.
class InlineFormulasTest : public QObject {
  Q_OBJECT

 private:
  QQmlEngine m_engine;
  std::unique_ptr<QQuickItem> m_view;
  std::unique_ptr<MarkupText> m_text;

  QTextDocument* show(const QString& markup, int width = 500) {
    QQmlComponent component(&m_engine);
    component.setData(
        "import QtQuick\nTextEdit { font.family: 'Inter'; font.pixelSize: 14; "
        "wrapMode: TextEdit.Wrap }",
        QUrl());
    m_text.reset();
    m_view.reset(qobject_cast<QQuickItem*>(component.create()));
    m_view->setWidth(width);
    m_text = std::make_unique<MarkupText>();
    m_text->setProperty("lineHeight", 22.0);
    m_text->setProperty("textSize", 14);
    m_text->setMarkup(markup);
    m_text->setDocument(m_view->property("textDocument").value<QQuickTextDocument*>());
    return m_text->textDocument();
  }

  static QTextLayout* layoutOf(QTextDocument* document) {
    document->documentLayout()->blockBoundingRect(document->firstBlock());
    return document->firstBlock().layout();
  }

 private slots:
  void initTestCase() { QQuickWindow::setGraphicsApi(QSGRendererInterface::Software); }

  void formula_takesItsWidth() {
    const QTextDocument* document = show("a<math>$x^2+y$</math>b");
    QCOMPARE(document->toPlainText().size(), 3);
    QCOMPARE(m_text->formulas().size(), 1);
    const double width = m_text->formulas()[0].formula->box.width * m_text->formulaEm();
    QTextLayout* layout = layoutOf(m_text->textDocument());
    const QTextLine line = layout->lineAt(0);
    const double taken = line.cursorToX(2) - line.cursorToX(1);
    QVERIFY2(std::abs(taken - width) < 1.0, qPrintable(QString("%1 %2").arg(taken).arg(width)));
  }

  void layer_placesTheBaselinesOnThoseOfTheLines() {
    show(QString("words ").repeated(20) + "<math>$x$</math> and <math>$\\frac{a}{b}$</math>, more");
    FormulaLayer layer(m_view.get());
    layer.setMarkup(m_text.get());
    layer.ensurePolished();
    QMetaObject::invokeMethod(&layer, [&layer] { layer.ensurePolished(); });
    QCOMPARE(m_text->formulas().size(), 2);
    QTextLayout* layout = layoutOf(m_text->textDocument());
    QTRY_COMPARE(layer.placed().size(), 2);
    for (int i = 0; i < 2; ++i) {
      const int position = m_text->formulas()[i].position;
      const QTextLine line = layout->lineForTextPosition(position);
      const double baseline = layout->position().y() + line.y() + line.ascent();
      QVERIFY(std::abs(layer.placed()[i].baseline.y() - baseline) < 0.01);
      QVERIFY(std::abs(layer.placed()[i].baseline.x() - line.cursorToX(position)) < 0.01);
    }
  }

  void tallFormula_getsAHigherLine_andKeepsItsComma() {
    const QTextDocument* low = show("a <math>$x$</math>, b");
    QCOMPARE(low->firstBlock().blockFormat().lineHeightType(),
             static_cast<int>(QTextBlockFormat::FixedHeight));
    QTextDocument* tall = show("a <math>$\\dfrac{a}{\\frac{b}{c}}$</math>, b");
    QCOMPARE(tall->firstBlock().blockFormat().lineHeightType(),
             static_cast<int>(QTextBlockFormat::MinimumHeight));
    QVERIFY(!tall->toPlainText().contains(u','));  // It is part of the formula.
    const QTextLine line = layoutOf(tall)->lineAt(0);
    const MathBox& box = m_text->formulas()[0].formula->box;
    QVERIFY(line.ascent() >= box.ascent * m_text->formulaEm() - 0.5);
    QVERIFY(line.descent() >= box.descent * m_text->formulaEm() - 0.5);
    m_text->setMarkup("a");
    QCOMPARE(tall->firstBlock().blockFormat().lineHeightType(),
             static_cast<int>(QTextBlockFormat::FixedHeight));
  }

  void copy_givesTheSources() {
    show("a <math>$x^2$</math>, <b>b</b> <math>$\\frac{1}{2}$</math>");
    m_text->copy(2, 1000);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("$x^2$, b $\\frac{1}{2}$"));
    m_text->copy(0, 2);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("a "));
    QCOMPARE(m_text->plainText(), QString("a $x^2$, b $\\frac{1}{2}$"));
  }

  void growingText_keepsItsFormulas() {
    show("a <math>$x$</math> b");
    const FormulaPtr before = m_text->formulas()[0].formula;
    m_text->setMarkup("a <math>$x$</math> b and <math>$y$</math>");
    QCOMPARE(m_text->formulas().size(), 2);
    QCOMPARE(m_text->formulas()[0].formula, before);
    QCOMPARE(m_text->formulas()[1].position, 10);
    m_text->setMarkup("plain");
    QCOMPARE(m_text->textDocument()->toPlainText(), QString("plain"));
    QVERIFY(m_text->formulas().isEmpty());
  }

  void formulaBeyondTheLimits_isItsSource() {
    const QString source = "$" + QString("{").repeated(100) + "x$";
    const QTextDocument* document = show("<math>" + source + "</math>");
    QCOMPARE(document->toPlainText(), source);
    QVERIFY(m_text->formulas().isEmpty());
  }

  /// Each of these fits the limits of one formula.
  void manyLargeFormulas_takeBoundedMemory() {
    const auto large = [](int number) {
      return QString("\\kern20em").repeated(19) + "\\begin{matrix}" +
             QString("1\\\\").repeated(28) + QString("a_{%1}\\end{matrix}").arg(number);
    };
    show("<math>$" + large(0) + "$</math>");
    QVERIFY(m_text->formulas().isEmpty());
    QQuickWindow window;
    const auto shown = [&](int number) {
      auto view = std::make_unique<FormulaView>();
      view->setSource(large(number));
      view->setParentItem(window.contentItem());
      view->ensurePolished();
      return view;
    };
    qint64 bytes = 0;
    double coarsest = 0.0;
    {
      std::vector<std::unique_ptr<FormulaView>> views;
      for (int i = 0; i < 100; ++i) {
        views.push_back(shown(i));
        QCOMPARE(views.back()->painted().size(), 1);
        const FormulaImage& image = views.back()->painted()[0].image;
        QVERIFY(!image.image.isNull());
        bytes += image.image.sizeInBytes();
        coarsest = std::max(coarsest, image.pixel);
      }
    }
    QVERIFY2(bytes < 100'000'000, qPrintable(QString::number(bytes)));
    QVERIFY(coarsest > 2.0);
    QVERIFY(shown(100)->painted()[0].image.pixel < 2.0);  // The others have given theirs back.
  }

  /// While an answer streams, neither the marks nor half a command of a formula is shown.
  void streamingFormula_doesNotShowItsMarks() {
    MessageBlocks blocks;
    const QString text = "Let $x_{1}$ be\n\n$$\n\\frac{a}{b}\n$$\n\\[ x \\]\nand \\(y\\)";
    for (const QChar c : text) {
      blocks.append(QStringView(&c, 1));
      for (const MarkdownBlock& block : blocks.blocks()) {
        const QString outside = QString(block.markup).remove(QRegularExpression("<math>.*</math>"));
        QVERIFY2(!outside.contains(u'$') && !outside.contains(u'\\'), qPrintable(block.markup));
      }
    }
    FormulaView view;
    const auto isShownLike = [&view](const char* source, const char* same) {
      view.setSource(source);
      view.ensurePolished();
      const double width = view.implicitWidth();
      view.setSource(same);
      view.ensurePolished();
      return view.implicitWidth() == width;
    };
    view.setStreaming(true);
    QVERIFY(isShownLike("a+b \\fra", "a+b"));
    QVERIFY(isShownLike("a+b^", "a+b"));
    QVERIFY(isShownLike("a+b \\begin{pmat", "a+b"));
    view.setStreaming(false);
    QVERIFY(!isShownLike("a+b \\fra", "a+b"));
  }

  void chunksOfAFormula_areTypesetOnceAFrame() {
    FormulaView view;
    view.setStreaming(true);
    view.setSource("a");
    view.ensurePolished();
    const double width = view.implicitWidth();
    QSignalSpy typeset(&view, &FormulaView::formulaChanged);
    for (int i = 1; i <= 100; ++i) view.setSource("a" + QString("+b").repeated(i));
    QCOMPARE(typeset.size(), 0);
    view.ensurePolished();
    QCOMPARE(typeset.size(), 1);
    QVERIFY(view.implicitWidth() > width);
    view.ensurePolished();
    QCOMPARE(typeset.size(), 1);
    view.setStreaming(false);  // Its last size is known before the next frame.
    QCOMPARE(typeset.size(), 2);
  }

  /// The thread of the renderer must not paint: the caches of the font are of the window's.
  void images_arePaintedBeforeTheRendererNeedsThem() {
    QQuickWindow window;
    FormulaView view;
    view.setSource("\\frac{a}{b}");
    view.setColor(Qt::red);
    view.ensurePolished();
    QVERIFY(view.painted().isEmpty());  // The scale of its screen is unknown.
    view.setParentItem(window.contentItem());
    view.ensurePolished();
    QCOMPARE(view.painted().size(), 1);
    QVERIFY(!view.painted()[0].image.image.isNull());
    QCOMPARE(view.painted()[0].color, QColor(Qt::red).rgba());
    view.setColor(Qt::blue);
    view.ensurePolished();
    QCOMPARE(view.painted()[0].color, QColor(Qt::blue).rgba());
  }

  /// What streams, another colour and the last source reach the pixels of the window.
  void formula_isSeenInTheWindow() {
    QQuickWindow window;
    window.resize(300, 100);
    FormulaView view;
    view.setParentItem(window.contentItem());
    view.setColor(Qt::red);
    window.show();
    const auto inked = [&window](int begin, const QColor& color) {
      int count = 0;
      const QImage image = window.grabWindow();
      for (int y = 0; y < image.height(); ++y)
        for (int x = begin; x < image.width(); ++x) count += image.pixelColor(x, y) == color;
      return count;
    };
    QCOMPARE(inked(0, Qt::red), 0);
    view.setStreaming(true);
    view.setSource("\\frac{aaa}{b}");
    QVERIFY(inked(0, Qt::red) > 10);  // At least the rule.
    const int end = static_cast<int>(view.implicitWidth());
    QCOMPARE(inked(end, Qt::red), 0);
    view.setSource("\\frac{aaa}{b} = \\frac{c}{d}");
    QVERIFY(inked(end, Qt::red) > 5);
    view.setStreaming(false);
    view.setColor(Qt::blue);
    QVERIFY(inked(end, Qt::blue) > 5);
    QCOMPARE(inked(0, Qt::red), 0);
    view.setSource("");
    QCOMPARE(inked(0, Qt::blue), 0);
  }

  void openFormula_isHeldByTheRulesOfClosedOnes_data() {
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* open, const char* shown) { QTest::newRow(open) << shown; };
    row("It costs $5, so $x^", "It costs $5, so");
    row("It costs $5", "It costs $5");
    row("US$x", "US$x");
    row("so \\( x + 1", "so");
    row("so $$x$", "so");
    row("so $x$ is", "so $x$ is");
    row("`$x` is $y", "`$x` is");
    row("`$x", "`$x`");
    row("$x `y`", "$x `y`");
  }
  void openFormula_isHeldByTheRulesOfClosedOnes() {
    QTEST(closeOpenMarkup(QString::fromUtf8(QTest::currentDataTag())), "shown");
  }
};

QTEST_MAIN(InlineFormulasTest)
#include "tst_inline_formulas.moc"
