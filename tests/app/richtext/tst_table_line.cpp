#include <QTest>

#include <random>

#include "app/richtext/markdown_block.h"
#include "app/richtext/table_line.h"

using namespace quire;

namespace {

constexpr int kColumns = 4;

/// What the whole parser makes of the line, below a head.
QStringList parsedCells(const QString& line) {
  const QList<MarkdownBlock> blocks = parseMarkdown("|a|a|a|a|\n|---|---|---|---|\n" + line);
  return blocks.size() == 1 ? blocks[0].cells.mid(kColumns) : QStringList();
}

QStringList padded(QStringList cells) {
  while (cells.size() < kColumns) cells.append(QString());
  cells.resize(kColumns);
  return cells;
}

}  // namespace

class TestTableLine : public QObject {
  Q_OBJECT

 private slots:
  void simpleLine_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("cells");
    QTest::newRow("text") << "| one | 2 |" << QStringList{"one", "2"};
    QTest::newRow("code") << "| a `b_c` d | `x` |"
                          << QStringList{"a <code>b_c</code> d", "<code>x</code>"};
    QTest::newRow("padded code") << "|` a > b `|" << QStringList{"<code>a &gt; b</code>"};
    QTest::newRow("escaped") << "| \"a\" > b |" << QStringList{"&quot;a&quot; &gt; b"};
  }

  void simpleLine() {
    QFETCH(QString, line);
    QFETCH(QStringList, cells);
    const auto found = simpleTableCells(line);
    QVERIFY(found);
    QCOMPARE(*found, cells);
    QCOMPARE(parsedCells(line), padded(cells));
  }

  void lineWithMeaning_isLeftToTheParser_data() {
    QTest::addColumn<QString>("line");
    for (const char* line :
         {"| **b** |", "| a_b_ |", "| \\| |", "| `a | b` |", "| ``a`` |", "| `a |", "| <br> |",
          "| &amp; |", "| $x$ |", "| http://a.b |", "| [a](b) |", "| ~~a~~ |"}) {
      QTest::newRow(line) << QString(line);
    }
  }

  void lineWithMeaning_isLeftToTheParser() {
    QFETCH(QString, line);
    QVERIFY(!simpleTableCells(line));
  }

  void anyLine_isAsTheParserReadsIt() {
    constexpr unsigned kSeed = 20;
    std::mt19937 random(kSeed);
    const QStringList pieces = {"|", "|", "|",  "`", "`", " ", " ",  "a", "bc", "_",  "*",
                                ">", "é", "中", "-", ":", "#", "\"", "!", "=",  "1.", "@"};
    int simple = 0;
    for (int round = 0; round < 4000; ++round) {
      QString line = "|";
      for (unsigned i = 0; i < 3 + random() % 12; ++i) {
        line += pieces[static_cast<qsizetype>(random() % static_cast<unsigned>(pieces.size()))];
      }
      const auto cells = simpleTableCells(line);
      if (!cells) continue;
      ++simple;
      const QStringList wanted = parsedCells(line);
      if (wanted.isEmpty()) continue;  // It ends the table; the reader sees to that before.
      QVERIFY2(padded(*cells) == wanted,
               qPrintable(QStringLiteral("seed %1: %2\n%3\n%4")
                              .arg(kSeed)
                              .arg(line, cells->join(" / "), wanted.join(" / "))));
    }
    QVERIFY2(simple > 500, qPrintable(QString::number(simple)));
  }
};

QTEST_GUILESS_MAIN(TestTableLine)
#include "tst_table_line.moc"
