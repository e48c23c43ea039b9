#include "app/richtext/math_spans.h"

#include <QTest>

#include "app/richtext/message_blocks.h"
#include "app/richtext/message_copy.h"
#include "tests/support/growth.h"
#include "tests/support/thread_time.h"

using namespace quire;

/// Which parts of a text are formulas.
class MathSpansTest : public QObject {
  Q_OBJECT

 private slots:
  void inText_data() {
    QTest::addColumn<QString>("markup");
    const auto row = [](const char* text, const char* markup) {
      QTest::newRow(text) << QString::fromUtf8(markup);
    };
    row("Let $x_1*y_1*z$ be", "Let <math>$x_1*y_1*z$</math> be");
    row("It costs $5 and $6.", "It costs $5 and $6.");
    row("From $5, or 5$ a day", "From $5, or 5$ a day");
    row("US$5 to CA$6", "US$5 to CA$6");
    row("`$x$` is code", "<code>$x$</code> is code");
    row("\\(a\\) and \\[b\\] here", "<math>\\(a\\)</math> and <math>\\[b\\]</math> here");
    row("**$a<b$**", "<b><math>$a&lt;b$</math></b>");
    row("$HOME and $PATH", "$HOME and $PATH");
    row("a \\$5 b $y$", "a $5 b <math>$y$</math>");
    row("$a \\neq 0$일 때, 값$x$는", "<math>$a \\neq 0$</math>일 때, 값<math>$x$</math>는");
    row("$x$y and a$x$", "$x$y and a$x$");
    row("an open $x", "an open $x");
    row("cut off at $\\frac{a}{b", "cut off at <math>$\\frac{a}{b</math>");
    row("and \\(x^2 + \\alpha", "and <math>\\(x^2 + \\alpha</math>");
    row("a price of $5 \\in stock", "a price of $5 \\in stock");
  }
  void inText() {
    MessageBlocks blocks;
    blocks.append(QString::fromUtf8(QTest::currentDataTag()));
    blocks.finish();
    QFETCH(QString, markup);
    QCOMPARE(blocks.blocks()[0].markup, markup);
  }

  /// Which of several openers and closers belong together.
  void severalOpeners_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("markup");
    const auto row = [](const char* name, const QString& text, const QString& markup) {
      QTest::newRow(name) << text << markup;
    };
    row("two", "\\( \\(x\\) \\(y\\)", "<math>\\( \\(x\\)</math> <math>\\(y\\)</math>");
    row("kinds", "\\[x\\) \\(y\\] $$z$$", "<math>\\[x\\) \\(y\\]</math> <math>$$z$$</math>");
    row("blank line", "\\(a\n\nb\\) \\(c\\)", "\\(a\n\nb\\) <math>\\(c\\)</math>");
    row("after a blank line", "\\(a\n\n\\(b\nc\\)", "\\(a\n\n<math>\\(b c\\)</math>");
    row("table", "|\\(a\nb\\)\n\\(c\nd\\)", "|\\(a\nb\\)\n<math>\\(c d\\)</math>");
    row("nothing inside", "\\( \\) \\(x\\)", "\\( \\) <math>\\(x\\)</math>");
    const QString longest = "\\(" + QString(2996, u'x') + "\\)";
    row("longest", longest, "<math>" + longest + "</math>");
    row("longer", "\\(x" + longest.mid(2), "\\(x" + longest.mid(2));
  }
  void severalOpeners() {
    QFETCH(QString, text);
    QFETCH(QString, markup);
    MathSpans spans;
    const QString extracted = spans.extract(text);
    QCOMPARE(spans.restore(extracted), markup);
  }

  /// The text is searched once for a closer that it lacks, not for each opener.
  void openersWithoutACloser_costLittle() {
    for (const char* opener : {"\\(", "\\[", "\\(\\["}) {
      QVERIFY(test::grows_linearly(20'000, [opener](int count) {
        const QString text = QString(opener).repeated(count);
        const double begin = test::thread_ms();
        MathSpans spans;
        const bool isSame = spans.extract(text) == text;
        return isSame ? test::thread_ms() - begin : -1.0;
      }));
    }
  }

  /// The characters that stand for formulas while a text is read.
  void placeholdersOfTheText_areNone_data() {
    QTest::addColumn<QString>("text");
    const QString index = QChar(0xE000);
    const QString mark = QChar(0xFDD0) + index;
    QTest::newRow("alone") << mark;
    QTest::newRow("code") << "`" + mark + mark + "`";
    QTest::newRow("escape") << "\\" + mark;
    QTest::newRow("entity") << "&#xFDD0;" + index;
    QTest::newRow("decimal entity") << "&#64976;" + index;
    QTest::newRow("link") << "[a](http://b.c/" + mark + ")";
    QTest::newRow("block of code") << "\n  ~~~\n  " + mark + "\n  ~~~";
  }
  void placeholdersOfTheText_areNone() {
    QFETCH(QString, text);
    MessageBlocks blocks;
    blocks.append("- $x$ " + text);
    blocks.finish();
    QString shown;
    for (const MarkdownBlock& block : blocks.blocks()) shown += block.markup + block.text;
    QVERIFY(shown.startsWith("<math>$x$</math>"));
    QCOMPARE(shown.count("$x$"), 1);
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
      QCOMPARE(plainText(blocks.blocks()[1]).remove(u'\n').remove(u' ').mid(2, 3), QString("x^2"));
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
      QVERIFY(blocks.blocks()[1].text.endsWith("x^2"));
      QCOMPARE(blocks.blocks()[1].indent + blocks.blocks()[1].quoteDepth, 1);
      QCOMPARE(blocks.blocks()[2].markup, QString("follows"));
    }
  }

  void truncatedFormula_isShown() {
    MessageBlocks blocks;
    blocks.append(u"Then\n$$\nx^2 + \\frac{a}{b");
    blocks.finish();
    QCOMPARE(blocks.blocks().size(), 2);
    QCOMPARE(blocks.blocks()[1].kind, BlockKind::Math);
    QCOMPARE(blocks.blocks()[1].text, QString("x^2 + \\frac{a}{b"));
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

QTEST_GUILESS_MAIN(MathSpansTest)
#include "tst_math_spans.moc"
