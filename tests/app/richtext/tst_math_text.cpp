#include "app/richtext/math_text.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

#include <ctime>

#include "app/richtext/math_spans.h"
#include "app/richtext/message_blocks.h"

using namespace quire;

class MathTextTest : public QObject {
  Q_OBJECT

 private slots:
  void formula_data() {
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* source, const char* shown) {
      QTest::newRow(source) << QString::fromUtf8(shown);
    };
    row("E = mc^2", "E = mc²");
    row("\\alpha_i^{2n} + \\beta", "αᵢ²ⁿ + β");
    row("x_{k,1}", "x_(k,1)");
    row("\\frac{a}{b}", "a⁄b");
    row("\\frac{a+b}{2c}", "(a+b)/(2c)");
    row("\\sqrt{2} + \\sqrt[3]{x+1}", "√2 + ∛(x+1)");
    row("\\sum_{i=1}^{n} i", "∑ᵢ₌₁ⁿ i");
    row("\\int_0^1 f(x)\\,dx", "∫₀¹ f(x) dx");
    row("x\\leq y", "x ≤ y");
    row("\\mathbb{R}^n \\to \\mathbb{Z}", "ℝⁿ → ℤ");
    row("\\text{if } x \\neq 0", "if x ≠ 0");
    row("\\hat{x} \\cdot \\vec{v}", "x̂ · v⃗");
    row("\\left( \\frac{1}{2} \\right)", "( 1⁄2 )");
    row("\\sin\\theta", "sin θ");
    row("f'(x)", "f′(x)");
    row("90^\\circ", "90∘");
    row("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "(a b; c d)");
    row("\\unknown{x}", "\\unknownx");
    row("\\{1, 2\\}", "{1, 2}");
    row("{{{", "");
    row("}", "");
  }
  void formula() {
    if (QByteArray(QTest::currentDataTag()) == "90^\\circ") {
      QCOMPARE(mathText(u"90^\\circ"), QString("90°"));
      return;
    }
    QTEST(mathText(QString::fromUtf8(QTest::currentDataTag())), "shown");
  }

  void display_isAligned() {
    QCOMPARE(
        mathText(u"A = \\begin{bmatrix} 1 & 20 \\\\ 300 & 4 \\end{bmatrix}", MathStyle::Display),
        QString("A = ⎡1    20⎤\n    ⎣300  4 ⎦"));
    QCOMPARE(mathText(u"\\begin{align} a &= b \\\\ &= c + d \\end{align}", MathStyle::Display),
             QString("a= b    \n = c + d"));
  }

  void hostileDepthAndSize_areBounded() {
    QElapsedTimer clock;
    clock.start();
    const QString deep = QString("\\frac{").repeated(500) + "x" + QString("}{y}").repeated(500);
    QCOMPARE(mathText(deep), deep);
    const QString grids = QString("\\begin{bmatrix} a & ").repeated(300);
    QVERIFY(mathText(grids, MathStyle::Display).size() <= grids.size() + 20000);
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    static const QStringList kPieces = {"\\frac",
                                        "{",
                                        "}",
                                        "^",
                                        "_",
                                        "\\sqrt",
                                        "[",
                                        "]",
                                        "x",
                                        "&",
                                        "\\\\",
                                        "\\begin{cases}",
                                        "\\end{cases}",
                                        "\\left",
                                        "\\hat",
                                        "\\",
                                        " ",
                                        "\\text",
                                        "\\not",
                                        "😀",
                                        "\\binom",
                                        "$"};
    for (int round = 0; round < 2000; ++round) {
      QString source;
      for (int i = random.bounded(40); i > 0; --i)
        source += kPieces[random.bounded(kPieces.size())];
      QVERIFY(mathText(source, MathStyle::Display).size() <= 20000 + source.size());
    }
    QVERIFY2(clock.elapsed() < 2500, qPrintable(QString::number(clock.elapsed())));
  }

  void inText_data() {
    QTest::addColumn<QString>("markup");
    const auto row = [](const char* text, const char* markup) {
      QTest::newRow(text) << QString::fromUtf8(markup);
    };
    row("Let $x_1*y_1*z$ be", "Let <math>x₁*y₁*z</math> be");
    row("It costs $5 and $6.", "It costs $5 and $6.");
    row("From $5, or 5$ a day", "From $5, or 5$ a day");
    row("US$5 to CA$6", "US$5 to CA$6");
    row("`$x$` is code", "<code>$x$</code> is code");
    row("\\(a\\) and \\[b\\] here", "<math>a</math> and <math>b</math> here");
    row("**$a<b$**", "<b><math>a &lt; b</math></b>");
    row("$HOME and $PATH", "$HOME and $PATH");
    row("a \\$5 b $y$", "a $5 b <math>y</math>");
    row("$a \\neq 0$일 때, 값$x$는", "<math>a ≠ 0</math>일 때, 값<math>x</math>는");
    row("$x$y and a$x$", "$x$y and a$x$");
    row("an open $x", "an open $x");
    row("cut off at $\\frac{a}{b", "cut off at <math>a⁄b</math>");
    row("and \\(x^2 + \\alpha", "and <math>x² + α</math>");
    row("a price of $5 \\in stock", "a price of $5 \\in stock");
  }
  void inText() {
    MessageBlocks blocks;
    blocks.append(QString::fromUtf8(QTest::currentDataTag()));
    blocks.finish();
    QFETCH(QString, markup);
    QCOMPARE(blocks.blocks()[0].markup, markup);
  }

  void displayFormula_isABlock_withItsSource() {
    for (const char* text :
         {"Then\n$$\nx^2\n$$\nfollows", "Then\n\\[ x^2 \\]\nfollows", "Then\n$$x^2$$\nfollows"}) {
      MessageBlocks blocks;
      for (QChar c : QString(text)) blocks.append(QStringView(&c, 1));
      blocks.finish();
      QCOMPARE(blocks.blocks().size(), 3);
      QCOMPARE(blocks.blocks()[1].kind, BlockKind::Math);
      QCOMPARE(blocks.blocks()[1].text, QString("x^2"));
      QCOMPARE(blocks.blocks()[1].markup, QString("x²"));
    }
  }

  void displayFormula_inAnItem_isABlockOfTheItem() {
    for (const char* text :
         {"- Then\n  $$\n  - x^2\n  $$\n  follows", "- Then\n  \\[ -x^2 \\]\n  follows",
          "> Then\n> $$\n> -x^2\n> $$\n> follows"}) {
      MessageBlocks blocks;
      blocks.append(QString(text));
      blocks.finish();
      QCOMPARE(blocks.blocks().size(), 3);
      QCOMPARE(blocks.blocks()[1].kind, BlockKind::Math);
      QVERIFY(blocks.blocks()[1].markup.endsWith("x²"));
      QCOMPARE(blocks.blocks()[1].indent + blocks.blocks()[1].quoteDepth, 1);
      QCOMPARE(blocks.blocks()[2].markup, QString("follows"));
    }
  }

  void nestedLines_stayBounded_data() {
    QTest::addColumn<QString>("source");
    const auto nested = [](const char* command, int times, const char* inside = "x") {
      return QString("\\%1{").arg(command).repeated(times) + inside + QString(times, u'}');
    };
    for (const char* command : {"overline", "underline", "bar", "hat", "vec", "sqrt", "boxed",
                                "binom", "frac", "not", "overset", "color", "mathbf", "substack"})
      QTest::newRow(command) << nested(command, 23, "xy");
    QTest::newRow("lines beside each other") << nested("overline", 12).repeated(30);
    QTest::newRow("two lines") << QString("\\overline{\\underline{").repeated(11) + "x" +
                                      QString(22, u'}');
    const QString wide = nested("overline", 12);
    QTest::newRow("wide column of many rows")
        << "\\begin{matrix}" + wide + QString("\\\\").repeated(99) + "a\\end{matrix}";
    QTest::newRow("many columns of many rows") << "\\begin{matrix}" + QString("a&").repeated(1400) +
                                                      QString("\\\\").repeated(99) +
                                                      "a\\end{matrix}";
    QTest::newRow("wide text beside a tall matrix")
        << wide + wide + "\\begin{matrix}" + QString("a\\\\").repeated(99) + "a\\end{matrix}";
    QTest::newRow("long text beside a tall matrix")
        << "\\begin{matrix}" + QString("a\\\\").repeated(50) + "a\\end{matrix}" +
               QString("x").repeated(2500);
    QString matrices = "a";
    for (int i = 0; i < 20; ++i) matrices = "\\begin{bmatrix}" + matrices + "\\\\b&c\\end{bmatrix}";
    QTest::newRow("nested matrices") << matrices;
    QTest::newRow("scripts") << QString("x^{").repeated(22) + "y" + QString(22, u'}');
    QTest::newRow("unclosed roots") << QString("\\sqrt[").repeated(3000);
    QTest::newRow("unclosed groups") << QString("{").repeated(100'000);
    QTest::newRow("long") << QString("x").repeated(1'000'000);
  }
  /// No formula becomes much longer than its source, and none takes long.
  void nestedLines_stayBounded() {
    QFETCH(QString, source);
    for (const MathStyle style : {MathStyle::Inline, MathStyle::Display}) {
      const std::clock_t begin = std::clock();  // Of the processor: others may use it too.
      const QString text = mathText(source, style);
      const auto ms = static_cast<qint64>(1000 * (std::clock() - begin) / CLOCKS_PER_SEC);
      QVERIFY2(text.size() <= std::max<qsizetype>(source.size(), 45'000),
               qPrintable(QString::number(text.size())));
      QVERIFY2(ms < 100, qPrintable(QString::number(ms)));
    }
  }

  /// Each letter beside two lines copies them: the number of copies is limited, not only the size.
  void work_isBounded() {
    const auto beside = [](int numLetters) {
      return mathText("\\begin{matrix}a\\\\b\\end{matrix}" + QString(numLetters, u'x'),
                      MathStyle::Display);
    };
    QCOMPARE(beside(1000).count(u'\n'), 1);
    QVERIFY(beside(9000).startsWith(u'\\'));  // The source, for nothing is shown of it.
  }

  /// What is beyond kMaxRows stands below the matrix, where no columns are aligned.
  void matrixOfManyRows_isCut() {
    const auto numRows = [](int rows) {
      const QString shown =
          mathText("\\begin{bmatrix}" + QString("a\\\\").repeated(rows - 1) + "a\\end{bmatrix}",
                   MathStyle::Display);
      return shown.count(u'⎡') + shown.count(u'⎢') + shown.count(u'⎣');
    };
    QCOMPARE(numRows(50), 50);
    QVERIFY2(numRows(1000) <= 101, qPrintable(QString::number(numRows(1000))));
  }

  void truncatedFormula_isShown() {
    MessageBlocks blocks;
    blocks.append(u"Then\n$$\nx^2 + \\frac{a}{b");
    blocks.finish();
    QCOMPARE(blocks.blocks().size(), 2);
    QCOMPARE(blocks.blocks()[1].kind, BlockKind::Math);
    QCOMPARE(blocks.blocks()[1].text, QString("x^2 + \\frac{a}{b"));
    QVERIFY(blocks.blocks()[1].markup.startsWith("x² + "));
    QVERIFY(!blocks.blocks()[1].markup.contains("\\frac"));
  }

  void unclosedFormula_isText() {
    MessageBlocks blocks;
    blocks.append(u"$$ costs\n\nmore");
    blocks.finish();
    QCOMPARE(blocks.blocks()[0].kind, BlockKind::Paragraph);
    QCOMPARE(blocks.blocks()[0].markup, QString("$$ costs"));
    QCOMPARE(blocks.blocks()[1].markup, QString("more"));
  }
};

QTEST_GUILESS_MAIN(MathTextTest)
#include "tst_math_text.moc"
