#include "app/richtext/block_slice.h"

#include <QTest>

#include "app/richtext/message_blocks.h"
#include "app/richtext/message_copy.h"

using namespace quire;

namespace {

MarkdownBlock blockOf(const char* text) {
  MessageBlocks blocks;
  blocks.append(QString(text));
  blocks.finish();
  return blocks.blocks().last();
}

/// The characters between two positions, as they are copied.
QString sliceOf(const MarkdownBlock& block, qsizetype from, qsizetype to) {
  return plainText(slicedBlock(block, from, to));
}

QString unitOf(const MarkdownBlock& block, qsizetype position, TextUnit unit) {
  const auto [begin, end] = unitAt(block, position, unit);
  return selectableText(block).mid(begin, end - begin);
}

}  // namespace

class BlockSliceTest : public QObject {
  Q_OBJECT

 private slots:
  void text_isWhatIsShown_withTheSourcesOfFormulas() {
    QCOMPARE(selectableText(blockOf("a **b** & `c` $x^2$")), QString("a b & c $x^2$"));
    QCOMPARE(selectableText(blockOf("| a | $b$ |\n|---|---|\n| 1 | **2** |")), QString("1\t2"));
    QCOMPARE(selectableText(blockOf("```\na\n  b\n```")), QString("a\n  b"));
  }

  void slice_keepsTheFormat_ofWhatIsLeft() {
    const MarkdownBlock block = blockOf("a **bold &amp; b** c");
    QCOMPARE(sliceOf(block, 2, 8), QString("bold &"));
    QCOMPARE(slicedBlock(block, 2, 8).markup, QString("<b>bold &amp;</b>"));
    QCOMPARE(sliceOf(block, 0, 1), QString("a"));
    QCOMPARE(sliceOf(block, 0, 1000), selectableText(block));
  }

  void formula_isNotCut() {
    const MarkdownBlock block = blockOf("so $x^2$ it");
    QCOMPARE(sliceOf(block, 5, 6), QString("$x^2$"));
    QCOMPARE(sliceOf(block, 0, 4), QString("so $x^2$"));
    QCOMPARE(sliceOf(blockOf("$$\n\\alpha\n$$"), 1, 2), plainText(blockOf("$$\n\\alpha\n$$")));
  }

  void code_isExact() {
    const MarkdownBlock block = blockOf("```c\n\tint x;\n\n  y < &z;\n```");
    QCOMPARE(sliceOf(block, 0, 1000), QString("\tint x;\n\n  y < &z;"));
    QCOMPARE(sliceOf(block, 5, 14), QString("x;\n\n  y <"));
  }

  void cells_areSeparatedByTabs_andOneIsAlone() {
    const MarkdownBlock block = blockOf("| a | b | c |\n|---|---|---|\n| one | two | three |");
    QCOMPARE(sliceOf(block, 0, 7), QString("one\ttwo\t"));
    QCOMPARE(sliceOf(block, 5, 10), QString("\two\tth"));
    QCOMPARE(sliceOf(block, 4, 7), QString("two"));
  }

  void marker_isOfTheBeginning() {
    const MarkdownBlock block = blockOf("- item one");
    QCOMPARE(slicedBlock(block, 0, 4).marker, QString("•"));
    QCOMPARE(slicedBlock(block, 1, 4).marker, QString());
  }

  void word_isFoundInAllKindsOfText() {
    QCOMPARE(unitOf(blockOf("one two, three"), 5, TextUnit::Word), QString("two"));
    QCOMPARE(unitOf(blockOf("one two"), 7, TextUnit::Word), QString("two"));
    QCOMPARE(unitOf(blockOf("so $x + y$ it"), 6, TextUnit::Word), QString("$x + y$"));
    QCOMPARE(unitOf(blockOf("```\nint value;\n```"), 6, TextUnit::Word), QString("value"));
    QCOMPARE(unitOf(blockOf("| a | b |\n|---|---|\n| one two | three |"), 5, TextUnit::Word),
             QString("two"));
    QCOMPARE(unitOf(blockOf("한국어 단어"), 5, TextUnit::Word), QString("단어"));
    QCOMPARE(unitOf(blockOf("שלום עולם"), 1, TextUnit::Word), QString("שלום"));
  }

  void paragraph_isALineOfCode_andACellOfATable() {
    QCOMPARE(unitOf(blockOf("one two"), 5, TextUnit::Paragraph), QString("one two"));
    QCOMPARE(unitOf(blockOf("```\nint a;\nint b;\n```"), 8, TextUnit::Paragraph),
             QString("int b;"));
    QCOMPARE(unitOf(blockOf("| a | b |\n|---|---|\n| one | two three |"), 6, TextUnit::Paragraph),
             QString("two three"));
  }

  void growingText_keepsItsPositions() {
    const QString source("Some **bold words** and `code` with $x^2$ in it.");
    MessageBlocks blocks;
    QString before;
    for (const QChar c : source) {
      blocks.append(QString(c));
      const QString text =
          blocks.blocks().isEmpty() ? QString() : selectableText(blocks.blocks()[0]);
      const qsizetype kept = std::min<qsizetype>(before.size(), 9);  // Up to within the bold words.
      if (before.startsWith("Some bold")) QCOMPARE(text.left(kept), before.left(kept));
      before = text;
    }
  }
};

QTEST_GUILESS_MAIN(BlockSliceTest)
#include "tst_block_slice.moc"
