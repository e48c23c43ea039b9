#include <QTest>

#include <algorithm>

#include "app/richtext/message_blocks.h"

using namespace quire;

/// Where the tables of an answer are split, and which ones are text.
class MessageTablesTest : public QObject {
  Q_OBJECT

  static QString head(int columns) {
    return QString("a|").repeated(columns) + '\n' + QString("---|").repeated(columns) + '\n';
  }
  /// The blocks of a text that is still arriving.
  static MessageBlocks begun(const QString& text) {
    MessageBlocks blocks;
    blocks.append(text);
    return blocks;
  }
  static QList<MarkdownBlock> whole(const QString& text) {
    MessageBlocks blocks = begun(text);
    blocks.finish();
    return blocks.blocks();
  }

 private slots:
  /// What is stable is not parsed again for each piece.
  void longTable_isSplit_howeverItsRowsBegin_data() {
    QTest::addColumn<QString>("row");
    QTest::addColumn<int>("numRows");
    QTest::addColumn<int>("least");
    QTest::newRow("bar") << "|x|y|\n" << 200 << 160;
    QTest::newRow("no bar") << "x|y\n" << 200 << 160;
    QTest::newRow("one cell") << "x\n" << 200 << 160;
    QTest::newRow("space") << " |x|y|\n" << 200 << 160;
    QTest::newRow("long rows") << QString(2500, u'x') + "|y\n" << 30 << 20;
  }
  void longTable_isSplit_howeverItsRowsBegin() {
    QFETCH(QString, row);
    QFETCH(int, numRows);
    QFETCH(int, least);
    const MessageBlocks blocks = begun(head(2) + row.repeated(numRows));
    QVERIFY2(blocks.stable() >= least, qPrintable(QString::number(blocks.stable())));
    const QList<MarkdownBlock>& rows = blocks.blocks();
    QCOMPARE(rows.size(), numRows + 1);
    for (int i = 0; i <= numRows; ++i) {
      QCOMPARE(rows[i].kind, BlockKind::Table);
      QCOMPARE(rows[i].group, 1);
      QCOMPARE(rows[i].part, i);
      QCOMPARE(rows[i].isLastPart, i == numRows);
      QCOMPARE(rows[i].cells.size(), 2);
      QCOMPARE(rows[i].cells, rows[std::min(i, 1)].cells);
    }
  }

  void tableOfManyColumns_isATable_andOneThatIsFarTooWideText() {
    for (const QString& before : {QString(), QString("Here:\n")}) {
      QCOMPARE(whole(before + head(60) + "x\n").last().kind, BlockKind::Table);
      const QList<MarkdownBlock> text = whole(before + head(70) + QString("x\n").repeated(3000));
      QVERIFY(text.size() < 5);
      for (const MarkdownBlock& block : text) QCOMPARE(block.kind, BlockKind::Paragraph);
      QVERIFY(text[0].markup.contains("a|a|a") && text[0].markup.contains("---|---"));
    }
  }

  /// A row that is too long for a line ends the table, wherever the table was split before.
  void rowThatIsTooLong_endsTheTable() {
    for (const int numRows : {10, 100}) {
      const QString longRow = QString("word ").repeated(1000);
      const QList<MarkdownBlock> blocks =
          whole(head(2) + QString("x|y\n").repeated(numRows) + longRow + "\nafter");
      QCOMPARE(blocks.last().kind, BlockKind::Paragraph);
      QVERIFY(blocks.last().markup.endsWith("after"));
    }
  }
};

QTEST_APPLESS_MAIN(MessageTablesTest)
#include "tst_message_tables.moc"
