#include "app/richtext/line_marks.h"
#include "app/richtext/message_blocks.h"

#include <QRandomGenerator>
#include <QTest>

#include "app/richtext/markup_text.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

const char* const kSample =
    R"(Intro with **bold**, *italic*, `code` and a [link](https://example.org/?a=1&b=2).
Second line of it.

# Heading

1. one
2. two
   - nested *item*

   still two

3. three

> quoted
> more

```python
def f(x):

    return x  # not a heading
```
After the code.

| a | b |
|---|--:|
| 1 | `2` |

- [x] done
- [ ] not done

---

~~~
unclosed fence

  with blank lines)";

QList<MarkdownBlock> whole(const QString& text) {
  MessageBlocks blocks;
  blocks.append(text);
  blocks.finish();
  return blocks.blocks();
}

/// Rows of one cell below a head of many columns, in an item.
QString tableInAnItem(int columns, int rows) {
  return "\n  " + QString("|a").repeated(columns) + "\n  " + QString("|---").repeated(columns) +
         "\n" + QString("  |\n").repeated(rows);
}

QString deepItem() {
  return QString("- ").repeated(1400) + "a\n";
}

/// Random text from pieces that have a meaning in Markdown.
QString randomMarkdown(QRandomGenerator& random) {
  static const QStringList kPieces = {
      "word ",      "\n",    "\n\n",    "# ",    "- ",   "1. ",   "```",
      "```\n",      "~~~\n", "> ",      "**",    "*",    "`",     "| a | b |\n|---|---|\n",
      "    ",       "  ",    "한국어 ", "😀",     "<b>",  "&amp;", "[x](y)",
      "---\n",      "\t",    "\\",      "$x_1$", "$$\n", "\\[",   "<think>",
      "</think>\n", "1) ",   "\r\n"};
  QString text;
  const int count = random.bounded(1, 60);
  for (int i = 0; i < count; ++i) text += kPieces[random.bounded(kPieces.size())];
  return text;
}

}  // namespace

class MessageBlocksTest : public QObject {
  Q_OBJECT

 private slots:
  void blocks_areTyped() {
    QList<BlockKind> kinds;
    for (const MarkdownBlock& block : whole(kSample)) kinds.append(block.kind);
    using enum BlockKind;
    QCOMPARE(kinds, QList<BlockKind>({Paragraph, Heading, Paragraph, Paragraph, Paragraph,
                                      Paragraph, Paragraph, Paragraph, Code, Paragraph, Table,
                                      Table, Paragraph, Paragraph, Rule, Code}));
  }

  void listItems_carryMarkerAndDepth() {
    const QList<MarkdownBlock> blocks = whole(kSample);
    QCOMPARE(blocks[2].marker, QString("1."));
    QCOMPARE(blocks[2].indent, 1);
    QCOMPARE(blocks[4].marker, QString("•"));
    QCOMPARE(blocks[4].indent, 2);
    QCOMPARE(blocks[5].marker, QString());
    QCOMPARE(blocks[6].marker, QString("3."));
    QCOMPARE(blocks[7].quoteDepth, 1);
    QCOMPARE(blocks[12].marker, QString("☑"));
    QCOMPARE(blocks[13].marker, QString("☐"));
  }

  void code_isUnchanged() {
    const MarkdownBlock code = whole(kSample)[8];
    QCOMPARE(code.language, QString("python"));
    QCOMPARE(code.text, QString("def f(x):\n\n    return x  # not a heading"));
  }

  void fence_namesItsLanguage_data() {
    QTest::addColumn<QString>("info");
    QTest::addColumn<QString>("language");
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("one") << "cpp"
                         << "cpp";
    QTest::newRow("with more") << "  python title=\"a\""
                               << "python";
    QTest::newRow("braces") << "js{1,3}"
                            << "js";
    QTest::newRow("only braces") << "{.rust}"
                                 << "";
    QTest::newRow("long") << QString(90, 'x') << QString(40, 'x');
  }

  void fence_namesItsLanguage() {
    QFETCH(QString, info);
    QFETCH(QString, language);
    QCOMPARE(whole("```" + info + "\nx\n```\n")[0].language, language);
  }

  void table_hasItsCells() {
    const MarkdownBlock table = whole(kSample)[10];
    QCOMPARE(table.columns, 2);
    QCOMPARE(table.cells, QStringList({"a", "b"}));
    QCOMPARE(whole(kSample)[11].cells, QStringList({"1", "<code>2</code>"}));
    QVERIFY(whole(kSample)[11].isLastPart);
  }

  void html_isText_andImagesAreLinks() {
    QCOMPARE(whole("<script>x</script>")[0].markup, QString("&lt;script&gt;x&lt;/script&gt;"));
    QCOMPARE(whole("![cat](http://a/b.png)")[0].markup,
             QString("<a href=\"http://a/b.png\">cat</a>"));
  }

  void blocks_doNotDependOnThePiecesOfTheStream() {
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    for (int round = 0; round < 400; ++round) {
      const QString text = round == 0 ? QString::fromUtf8(kSample) : randomMarkdown(random);
      MessageBlocks blocks;
      for (qsizetype at = 0; at < text.size();) {
        const qsizetype length = std::min<qsizetype>(random.bounded(1, 12), text.size() - at);
        blocks.append(QStringView(text).mid(at, length));
        at += length;
      }
      blocks.finish();
      QVERIFY2(blocks.blocks() == whole(text), qPrintable(text));
    }
  }

  void items_areStable_asSoonAsTheNextOneBegins() {
    MessageBlocks blocks;
    blocks.append(u"1. one\n   - deep\n2. two\n   - deep\n   - deeper\n");
    QCOMPARE(blocks.stable(), 2);
    blocks = {};
    blocks.append(u"1. one\n2. two\n   - deep\n   - deeper\n");
    QCOMPARE(blocks.blocks()[1].marker, QString("2."));
    QCOMPARE(blocks.blocks()[3].indent, 2);
  }

  void longCode_isManyBlocks_ofOneGroup() {
    QStringList lines;
    for (int i = 0; i < 500; ++i) lines.append(QString("line %1").arg(i));
    const QList<MarkdownBlock> blocks = whole("```c\n" + lines.join('\n') + "\n```\nafter");
    QStringList parts;
    for (const MarkdownBlock& block : blocks) {
      if (block.kind != BlockKind::Code) continue;
      QCOMPARE(block.group, 1);
      QCOMPARE(block.part, static_cast<int>(parts.size()));
      QCOMPARE(block.isLastPart, &block == &blocks[blocks.size() - 2]);
      QVERIFY(block.text.count('\n') < BlockReader::kMaxCodeLines);
      parts.append(block.text);
    }
    QVERIFY(parts.size() > 5);
    QCOMPARE(parts.join('\n'), lines.join('\n'));
  }

  void longLine_isSplitAtWords_withoutLoss() {
    const QString text = QString("Some words of one line without an end. ").repeated(400).trimmed();
    QString joined;
    for (const MarkdownBlock& block : whole(text)) {
      QVERIFY(block.markup.size() <= BlockReader::kMaxLeaf);
      QCOMPARE(block.isJoined, !joined.isEmpty());
      joined += (joined.isEmpty() ? "" : " ") + block.markup.trimmed();
    }
    QCOMPARE(joined, text);
  }

  void longLine_ofCode_isCopiedWhole() {
    const QString line = QString("0123456789abcdef").repeated(1000);
    QString joined;
    for (const MarkdownBlock& block : whole("```\n" + line + "\nnext\n```")) {
      if (!joined.isEmpty() && !block.isLineJoined) joined += '\n';
      joined += block.text;
    }
    QCOMPARE(joined, line + "\nnext");
  }

  void open_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");
    QTest::newRow("inside a fence") << "```c\na **b"
                                    << "a **b";
    QTest::newRow("fence closing") << "```c\na\n``"
                                   << "a";
  }
  void open() {
    QFETCH(QString, text);
    MessageBlocks blocks;
    blocks.append(text);
    QTEST(blocks.blocks().last().text, "shown");
  }

  void numbers_continue_acrossItemsAndBlankLines() {
    QStringList markers;
    for (const MarkdownBlock& block : whole("1. a\n\n   more\n\n1. b\n1. c\n\ntext\n\n7) d\n8) e"))
      markers.append(block.marker);
    QCOMPARE(markers, QStringList({"1.", "", "2.", "3.", "", "7.", "8."}));
  }

  void codeInAnItem_staysInIt_withAnyIndentation() {
    const QList<MarkdownBlock> blocks =
        whole("1. Do this:\n   ```sh\n   one\n\n  two\n```\n   And more.\n2. Then");
    QCOMPARE(blocks.size(), 4);
    QCOMPARE(blocks[1].text, QString("one\n\ntwo"));
    QCOMPARE(blocks[1].language, QString("sh"));
    QCOMPARE(blocks[1].indent, 1);
    QCOMPARE(blocks[2].markup, QString("And more."));
    QCOMPARE(blocks[3].marker, QString("2."));
  }

  void codeBetweenItems_needsNoBlankLine() {
    const QList<MarkdownBlock> blocks = whole("1. One\n```\na\n\nb\n```\n2. Two");
    QCOMPARE(blocks.size(), 3);
    QCOMPARE(blocks[1].text, QString("a\n\nb"));
    QCOMPARE(blocks[2].marker, QString("2."));
  }

  void table_mayFollowTextInTheNextLine() {
    for (const char* text : {"Here:\n| a | b |\n|---|---|\n| 1 | 2 |",
                             "- Here:\n  | a | b |\n  |---|---|\n  | 1 | 2 |"}) {
      const QList<MarkdownBlock> blocks = whole(text);
      QCOMPARE(blocks.size(), 3);
      QCOMPARE(blocks[1].kind, BlockKind::Table);
      QCOMPARE(blocks[2].cells, QStringList({"1", "2"}));
    }
  }

  void longTable_isOneGroup() {
    QString text = "| a | b |\n|---|---|\n";
    for (int i = 0; i < 300; ++i) text += QString("| %1 | x |\n").arg(i);
    const QList<MarkdownBlock> blocks = whole(text + "\nafter");
    QCOMPARE(blocks.size(), 302);
    for (int i = 0; i <= 300; ++i) {
      QCOMPARE(blocks[i].group, 1);
      QCOMPARE(blocks[i].part, i);
      QCOMPARE(blocks[i].isLastPart, i == 300);
      if (i > 0) QCOMPARE(blocks[i].cells, QStringList({QString::number(i - 1), "x"}));
    }
  }

  void cellsBeyondTheColumns_areDropped_andMissingOnesEmpty() {
    const QList<MarkdownBlock> blocks = whole("|a|b|\n|---|---|\n|1|\n|1|2|3|");
    QCOMPARE(blocks[1].cells, QStringList({"1", ""}));
    QCOMPARE(blocks[2].cells, QStringList({"1", "2"}));
  }

  void colours_continue_inLaterPartsOfCode() {
    const QString comment = "/*\n" + QString("word\n").repeated(100) + "*/\nint x;";
    for (const QString& text : {"```c\n" + comment + "\n```",
                                "- x\n\n  ```c\n  " + QString(comment).replace("\n", "\n  ")}) {
      QList<int> states;
      for (const MarkdownBlock& block : whole(text))
        if (block.kind == BlockKind::Code) states.append(block.codeState);
      QCOMPARE(states, QList<int>({0, 1, 1}));
    }
  }

  void referenceLinks_resolve_whereverTheirTargetIsDefined() {
    const QString text =
        "See [the *docs*][1] and [Qt].\n\n- [one][1]\n\n[1]: https://a.org \"T\"\n"
        "[qt]: https://qt.io\n[unused]: x";
    MessageBlocks blocks;
    for (QChar c : text) blocks.append(QStringView(&c, 1));
    QCOMPARE(blocks.finish(), 0);
    QCOMPARE(blocks.blocks().size(), 3);
    QCOMPARE(blocks.blocks()[0].markup,
             QString("See <a href=\"https://a.org\">the <i>docs</i></a> and "
                     "<a href=\"https://qt.io\">Qt</a>."));
    QCOMPARE(blocks.blocks()[1].markup, QString("<a href=\"https://a.org\">one</a>"));
    QCOMPARE(blocks.blocks()[2].markup, QString("[unused]: x"));
    QVERIFY(blocks.blocks() == whole(text));
  }

  void code_keepsTextThatLooksLikeAFormula() {
    QCOMPARE(whole("~~~sh\n$x$ $$y$$\n~~~")[0].text, QString("$x$ $$y$$"));
    QCOMPARE(whole("- ~~~\n  $x$ and $y$\n  ~~~")[0].text, QString("$x$ and $y$"));
  }

  void hostileText_isParsedInTime_data() {
    QTest::addColumn<QString>("text");
    for (const char* piece : {"[", "*_", "![", "`` ` ", "<a ", "> ", "- ", "$", "$$ ", "\\[ ", "|",
                              "http://a", "&", "1. ", "**a ", "[a](", "\\("})
      QTest::newRow(piece) << "- " + QString(piece).repeated(100000 / int(strlen(piece)));
    QTest::newRow("lines") << "- " + QString("[*_`\n  ").repeated(20000);
    QTest::newRow("fences") << QString("- ```\n").repeated(10000);
    QTest::newRow("definitions") << QString("[a]: b\n").repeated(10000) + "[a]";
    QTest::newRow("entities") << QString("&lt;").repeated(25'000);
    QTest::newRow("entities in an item") << "- " + QString("&amp;\n  ").repeated(12'000);
    QTest::newRow("wide table") << QString("|a").repeated(700) + "|\n" +
                                       QString("|---").repeated(700) + "|\n" +
                                       QString("|\n").repeated(5'000);
    QTest::newRow("wide table in an item") << "- a\n" + tableInAnItem(700, 4'900);
    QTest::newRow("fence that ended with its item")
        << "- a\n  - b\n    ```\n  x\n" + tableInAnItem(700, 30'000);
    QTest::newRow("blank lines in deep items") << deepItem() + QString(400'000, u'\n');
    QTest::newRow("thoughts") << QString("<think></think>").repeated(20'000);
    QTest::newRow("thoughts and a definition")
        << QString("<think></think>").repeated(20'000) + "\n\n[a]: http://e.com/\n\n[a]\n";
    QTest::newRow("thoughts before spaces")
        << QString("<think></think>").repeated(20'000) + QString(200'000, u' ');
    QTest::newRow("delimiter of spaces")
        << QString("a|b\n" + QString(1400, u' ') + "-|-" + QString(1400, u' ') + "x\n")
               .repeated(300);
    QTest::newRow("delimiters of spaces in an item")
        << "- a\n" + QString("  a|b\n" + QString(1400, u' ') + "-|-" + QString(1400, u' ') + "x\n")
                         .repeated(30);
    QString deeper = "- a\n";
    for (int i = 1; i < 400; ++i) deeper += QString(2 * i, u' ') + "- a\n";
    QTest::newRow("deeper and deeper items") << deeper;
    QTest::newRow("deep quotes") << (QString(1400, u'>') + " a\n").repeated(70);
    QTest::newRow("deep quotes in an item")
        << "- a\n" + ("  " + QString(1400, u'>') + " a\n").repeated(70);
    QTest::newRow("items in a line")
        << "- a\n" + ("  " + QString("- ").repeated(1400) + "a\n").repeated(30);
    QTest::newRow("emphasis") << "- " + QString("a**b_c*d__e ~~f\n  ").repeated(5'000);
    QTest::newRow("links of labels")
        << QString("[a][b] ").repeated(14'000) + "\n\n[b]: http://c.d\n";
    QTest::newRow("backticks of all lengths") << [] {
      QString text = "- ";
      for (int i = 1; i < 440; ++i) text += QString(i, u'`') + 'a';
      return text;
    }();
    const QString doubling = QString("\\overline{").repeated(12) + "x" + QString(12, u'}');
    QTest::newRow("formulas that double") << ("$" + doubling + "$ ").repeated(700);
    QTest::newRow("matrices in an item") << ("- $\\begin{matrix}" + QString("a\\\\").repeated(99) +
                                             "a\\end{matrix}" + QString("x").repeated(500) + "$\n")
                                                .repeated(100);
  }
  void hostileText_isParsedInTime() {
    QFETCH(QString, text);
    for (const qsizetype step : {qsizetype{4096}, text.size()}) {
      const double begin = test::thread_ms();
      MessageBlocks blocks;
      for (qsizetype at = 0; at < text.size(); at += step)
        blocks.append(QStringView(text).mid(at, step));
      blocks.finish();
      const double ms = test::thread_ms() - begin;
      QVERIFY2(ms < 5000, qPrintable(QString("%1 ms in pieces of %2").arg(ms).arg(step)));
    }
  }

  void hostileText_costsLittleForEachDelta_data() {
    QTest::addColumn<QString>("text");
    for (const auto& [columns, rows] : {std::pair(32, 50'000), std::pair(480, 10'000)})
      QTest::addRow("table of %d rows without bars", rows)
          << QString("a|").repeated(columns) + '\n' + QString("---|").repeated(columns) + '\n' +
                 QString("x\n").repeated(rows);
    QTest::newRow("wide table in an item") << "- a\n" + tableInAnItem(700, 4'900);
    QTest::newRow("table of many rows in an item") << "- a\n" + tableInAnItem(60, 900);
    QTest::newRow("table after a fence that ended")
        << "- a\n  - b\n    ```\n  x\n" + tableInAnItem(700, 30'000);
    QTest::newRow("table after the closing fence of an inner item")
        << "- a\n  - ```\n    ```\n" + tableInAnItem(700, 1'900).replace("\n", "\n  ");
    QTest::newRow("blank lines in deep items") << deepItem() + QString(400'000, u'\n');
    QTest::newRow("blank lines in deep code")
        << deepItem() + QString(2800, u' ') + "```\n" + QString(150'000, u'\n');
  }
  void hostileText_costsLittleForEachDelta() {
    QFETCH(QString, text);
    MessageBlocks blocks;
    blocks.append(text);
    double least = 1e9;  // The first ones may have to ask for memory.
    for (int i = 0; i < 3; ++i) {
      const double begin = test::thread_ms();
      blocks.append(u"x");
      least = std::min(least, test::thread_ms() - begin);
    }
    QVERIFY2(least < 100 * test::kSanitizerFactor, qPrintable(QString("%1 ms").arg(least)));
  }

  void blankLines_ofAnItem_areOne() {
    QVERIFY(whole("- a" + QString(1000, u'\n') + "  b\n- c") == whole("- a\n\n  b\n- c"));
    QCOMPARE(whole("- x\n  ```\n  a" + QString(6, u'\n') + "  b\n  ```")[1].text,
             QString("a\n\n\n\n\n\nb"));  // Those of code are kept.
  }

  void longCode_inAnItemOrAQuote_staysCode_data() {
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<int>("firstBlank");  // A cut may come after any of three lines.
    for (int first = 0; first < 3; ++first) {
      QTest::addRow("item, %d", first) << "  " << first;
      QTest::addRow("item, deeper, %d", first) << "    " << first;
      QTest::addRow("quote, %d", first) << "> " << first;
    }
  }
  void longCode_inAnItemOrAQuote_staysCode() {
    QFETCH(QString, prefix);
    QFETCH(int, firstBlank);
    QStringList lines;
    for (int i = 0; i < 5000; ++i)
      lines.append(i % 3 == firstBlank ? "" : QString("*line* of the [code] %1").arg(i));
    QString text = prefix == "> " ? "" : "- a\n\n";
    text += prefix + "```\n" + prefix + lines.join("\n" + prefix) + "\n" + prefix + "```\n\n";
    QStringList code;
    int groups = 0;
    QList<MarkdownBlock> blocks = whole(text + prefix + "after\n\n[code]: http://e.com");
    QCOMPARE(blocks.takeLast().markup, QString("after"));
    if (prefix != "> ") blocks.removeFirst();
    for (const MarkdownBlock& block : blocks) {
      QCOMPARE(block.kind, BlockKind::Code);
      groups = std::max(groups, block.group);
      code.append(block.text);
    }
    QCOMPARE(code.join('\n'), lines.join('\n'));
    QVERIFY(groups > 2 && groups < 6);
  }

  void longCode_withFewerSpacesThanItsFence_staysCode() {
    QList<MarkdownBlock> blocks =
        whole("1. a\n\n    ```\n" + QString("some words\n").repeated(6000) + "    ```\n");
    QCOMPARE(blocks.takeFirst().marker, QString("1."));
    QStringList code;
    for (const MarkdownBlock& block : blocks) {
      QCOMPARE(block.kind, BlockKind::Code);
      code.append(block.text);
    }
    QCOMPARE(code.join('\n') + '\n', QString("some words\n").repeated(6000));
  }

  void codeThatBeginsAnInnerItem_endsWithItsFence() {
    QList<MarkdownBlock> blocks = whole("- a\n  - ```\n    code\n    ```\n\nafter");
    QCOMPARE(blocks.size(), 3);
    QCOMPARE(blocks[1].text, QString("code"));
    QCOMPARE(blocks[2].markup, QString("after"));
    blocks = whole("> - ```\n>   code\n>   ```\n> after");
    QCOMPARE(blocks.size(), 2);
    QCOMPARE(blocks[0].text, QString("code"));
    QCOMPARE(blocks[1].markup, QString("after"));
  }

  void nestedCode_keepsItsDelimitersOfTables() {
    const QString delimiter = QString("|---").repeated(70) + "|";
    QCOMPARE(whole("- a\n  ```\n    " + delimiter + "\n  ```")[1].text, "  " + delimiter);
    QCOMPARE(whole("> ```\n> " + delimiter + "\n> ```")[0].text, delimiter);
  }

  void longItem_keepsItsMarker_andGoesOn() {
    const QList<MarkdownBlock> blocks = whole("- a\n" + QString("  some words\n").repeated(3000));
    QCOMPARE(blocks.size(), 2);
    QVERIFY(!blocks[0].marker.isEmpty());
    QVERIFY(!blocks[0].isJoined);
    QVERIFY(blocks[1].isJoined);
    QCOMPARE(blocks[1].indent, blocks[0].indent);
  }

  void codeThatEndedWithItsItem_isNotOpenedAgain() {
    int numCodes = 0;
    for (const MarkdownBlock& block :
         whole("- a\n  - b\n    ```\n  x\n" + QString("  some words\n").repeated(6000)))
      numCodes += block.kind == BlockKind::Code ? 1 : 0;
    QCOMPARE(numCodes, 1);
  }

  void deepNesting_isBounded() {
    const QList<MarkdownBlock> blocks = whole(QString("> - ").repeated(5000) + "x");
    QVERIFY(!blocks.isEmpty());
    for (const MarkdownBlock& block : blocks)
      QVERIFY(block.indent + block.quoteDepth <= 2 * kMaxMarkdownDepth + 2);
  }

  void reasoning_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("think") << "<think>\nHmm.\n</think>\n\nAnswer.";
    QTest::newRow("thinking") << "<thinking>Hmm.</thinking>Answer.";
    QTest::newRow("mistral") << "[THINK]Hmm.[/THINK]Answer.";
    QTest::newRow("channels") << "<|channel|>analysis<|message|>Hmm.<|end|><|start|>assistant"
                                 "<|channel|>final<|message|>Answer.";
    QTest::newRow("gemma") << "<|channel>thought\nHmm.\n<channel|>Answer.";
    QTest::newRow("opened by the prompt") << "Hmm.\n</think>\n\nAnswer.";
  }
  void reasoning() {
    QFETCH(QString, text);
    for (const int step : {1, 7, 1000}) {
      MessageBlocks blocks;
      for (qsizetype at = 0; at < text.size(); at += step)
        blocks.append(QStringView(text).mid(at, std::min<qsizetype>(step, text.size() - at)));
      blocks.finish();
      QCOMPARE(blocks.blocks().size(), 2);
      QCOMPARE(blocks.blocks()[0].markup, QString("Hmm."));
      QVERIFY(blocks.blocks()[0].isThought);
      QCOMPARE(blocks.blocks()[1].markup, QString("Answer."));
      QVERIFY(!blocks.blocks()[1].isThought);
      QVERIFY(!blocks.isThinking());
    }
  }

  void unclosedReasoning_isKept() {
    MessageBlocks blocks;
    blocks.append(u"<think>one\n\ntwo </thi");
    QCOMPARE(blocks.blocks().last().markup, QString("two"));
    QVERIFY(blocks.isThinking());
    blocks.finish();
    QCOMPARE(blocks.blocks().size(), 2);
    QCOMPARE(blocks.blocks()[1].markup, QString("two &lt;/thi"));
  }

  void stableBlocks_neverChange() {
    MessageBlocks blocks;
    QList<MarkdownBlock> stable;
    for (QChar c : QString::fromUtf8(kSample)) {
      blocks.append(QStringView(&c, 1));
      QVERIFY(blocks.stable() >= stable.size());
      QCOMPARE(blocks.blocks().first(stable.size()), stable);
      stable = blocks.blocks().first(blocks.stable());
    }
  }

  void openMarkup_isClosed_data() {
    QTest::addColumn<QString>("open");
    QTest::addColumn<QString>("shown");
    QTest::newRow("open bold") << "a **bo"
                               << "a **bo**";
    QTest::newRow("half of the closing mark") << "a **bo*"
                                              << "a **bo**";
    QTest::newRow("bold not begun") << "a **"
                                    << "a";
    QTest::newRow("open code") << "a `co"
                               << "a `co`";
    QTest::newRow("may become a list") << "Here:\n-"
                                       << "Here:";
    QTest::newRow("may become a number") << "Here:\n1."
                                         << "Here:";
    QTest::newRow("may become a fence") << "Here:\n``"
                                        << "Here:";
    QTest::newRow("plain") << "just words"
                           << "just words";
  }
  void openMarkup_isClosed() {
    QFETCH(QString, open);
    QTEST(closeOpenMarkup(open), "shown");
  }

  void markup_isParsedIntoRuns() {
    const QList<MarkupRun> runs =
        parseMarkup(u"a <b>b<i>c</i></b><br/><a href=\"x&amp;y\">l&lt;</a>");
    QCOMPARE(runs.size(), 5);
    QCOMPARE(runs[0].text, QString("a "));
    QVERIFY(runs[1].bold && !runs[1].italic);
    QVERIFY(runs[2].bold && runs[2].italic);
    QCOMPARE(runs[3].text, QString(QChar(QChar::LineSeparator)));
    QCOMPARE(runs[4].link, QString("x&y"));
    QCOMPARE(runs[4].text, QString("l<"));
  }
};

QTEST_GUILESS_MAIN(MessageBlocksTest)
#include "tst_message_blocks.moc"
