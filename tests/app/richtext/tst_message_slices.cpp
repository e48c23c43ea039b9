#include <QTest>

#include <algorithm>

#include "app/richtext/message_blocks.h"

using namespace quire;

namespace {

constexpr qsizetype kPiece = 16'384;  // As the timeline reads stored answers.

QString longCode(int lines) {
  return "```\n" + (QString("a line of code ").repeated(10) + '\n').repeated(lines) + "```\n\n";
}

/// The blocks of a text that arrives in pieces of `step` characters, before its end.
MessageBlocks readIn(const QString& text, qsizetype step) {
  MessageBlocks blocks;
  for (qsizetype at = 0; at < text.size(); at += step)
    blocks.append(QStringView(text).mid(at, step));
  return blocks;
}

/// How many calls the end takes if each reads one piece again.
int finishInPieces(MessageBlocks& blocks) {
  int calls = 0;
  for (; !blocks.isFinished() && calls < 10'000; ++calls) blocks.finish(kPiece);
  return calls;
}

}  // namespace

/// A long answer that has to be read again never is in one piece.
class MessageSlicesTest : public QObject {
  Q_OBJECT

 private slots:
  void finish_readsAgain_inSlices_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("readings");
    const QString code = longCode(2'000);
    QTest::newRow("plain") << code + "end" << 0;
    QTest::newRow("two million characters") << "[a]: http://b.c\n\n[a]\n\n" + longCode(14'000) << 1;
    QTest::newRow("definition") << "[a]: http://b.c\n\n[a]\n\n" + code + "end of [A]" << 1;
    QTest::newRow("definition at the end") << "[a]\n\n" + code + "[a]: http://b.c" << 1;
    QTest::newRow("unused definition") << "[a]: http://b.c\n\n" + code << 0;
    QTest::newRow("stray end") << "a\n\n" + code + "\n</think>" << 1;
    QTest::newRow("stray end and definition")
        << "[a]\n\n" + code + "[a]: http://b.c\n</think> answer" << 2;
  }
  void finish_readsAgain_inSlices() {
    QFETCH(QString, text);
    QFETCH(int, readings);
    MessageBlocks blocks = readIn(text, kPiece);
    const auto pieces = static_cast<int>(text.size() / kPiece);
    const int calls = finishInPieces(blocks);
    QVERIFY2(calls >= std::max(1, readings * pieces), qPrintable(QString::number(calls)));
    MessageBlocks whole = readIn(text, text.size());
    whole.finish();
    QVERIFY(whole.isFinished());
    QVERIFY(blocks.blocks() == whole.blocks());
    QCOMPARE(blocks.stable(), static_cast<int>(blocks.blocks().size()));
    QCOMPARE(blocks.hasThought(), whole.hasThought());
    QCOMPARE(blocks.thoughtLength(), whole.thoughtLength());
  }

  void append_readsAgain_inSlices() {
    const QString text = longCode(1'500) + "\n</think>\n";
    MessageBlocks blocks = readIn(text, kPiece);
    QVERIFY(!blocks.hasThought());  // The first reading is shown until the second has caught up.
    QVERIFY(!blocks.blocks().isEmpty());
    QString streamed;
    int changed = -1;
    for (int i = 0; changed != 0 && i < 1000; ++i) {
      streamed += "answer ";
      changed = blocks.append(u"answer ");
    }
    const auto slices = text.size() / MessageBlocks::kSlice;
    QVERIFY2(streamed.size() / 7 >= slices - 3, qPrintable(QString::number(streamed.size())));
    QVERIFY(blocks.hasThought());
    QVERIFY(!blocks.isThinking());
    QVERIFY(blocks.blocks()[0].isThought);
    QCOMPARE(blocks.blocks().last().markup, streamed.trimmed());
    blocks.finish();
    MessageBlocks whole = readIn(text + streamed, text.size() + streamed.size());
    whole.finish();
    QVERIFY(blocks.blocks() == whole.blocks());
  }

  void resume_readsAgain_inSlices() {
    const QString begun = longCode(1'500) + "a **bo";
    MessageBlocks blocks = readIn(begun, kPiece);
    blocks.finish();
    const QList<MarkdownBlock> before = blocks.blocks();
    blocks.resume(begun);
    QCOMPARE(blocks.append(u"ld**"), static_cast<int>(before.size()));  // None has changed.
    QVERIFY(blocks.blocks() == before);
    QVERIFY(finishInPieces(blocks) >= static_cast<int>(begun.size() / kPiece));
    QCOMPARE(blocks.blocks().last().markup, QString("a <b>bold</b>"));
  }

  void resume_canGoOn_manyTimes() {
    const QString begun = longCode(1'500) + "a **bo";
    MessageBlocks blocks = readIn(begun, kPiece);
    blocks.finish();
    QVERIFY(blocks.isEnded());
    blocks.resume(begun);
    QVERIFY(!blocks.isEnded());
    int calls = 1;
    while (blocks.append(u"x") != 0 && calls < 1000) ++calls;
    QVERIFY2(calls > 10 && calls < 1000, qPrintable(QString::number(calls)));
    QCOMPARE(blocks.blocks().last().markup, "a <b>bo" + QString(calls, 'x') + "</b>");
  }

  void resume_findsTheEndOfReasoning() {
    const QString begun = longCode(1'500) + "b";
    const QString text = begun + "\n</think>\n\n[a]\n\n[a]: http://b.c";
    MessageBlocks blocks = readIn(begun, kPiece);
    blocks.finish();
    blocks.resume(begun);
    blocks.append(QStringView(text).mid(begun.size()));
    finishInPieces(blocks);
    MessageBlocks whole = readIn(text, text.size());
    whole.finish();
    QVERIFY(whole.hasThought());
    QVERIFY(blocks.blocks() == whole.blocks());
  }

  void definitions_areUsed_ifTheirLabelOccursElsewhere_data() {
    QTest::addColumn<QString>("use");
    QTest::addColumn<bool>("isUsed");
    QTest::newRow("same") << "[a b]" << true;
    QTest::newRow("upper case") << "[A B]" << true;
    QTest::newRow("after another bracket") << "[x[a b]" << true;
    QTest::newRow("longer") << "[a bc]" << false;
    QTest::newRow("open") << "[a b" << false;
    QTest::newRow("none") << "a b" << false;
  }
  void definitions_areUsed_ifTheirLabelOccursElsewhere() {
    QFETCH(QString, use);
    QFETCH(bool, isUsed);
    const QString text = "[a b]: http://c.d\n\ntext " + use;
    MessageBlocks blocks = readIn(text, 5);
    blocks.finish();
    const QString last = blocks.blocks().last().markup;
    QCOMPARE(blocks.blocks().size(), isUsed ? 1 : 2);  // A used definition is not shown.
    QCOMPARE(last.contains("href"), isUsed);
  }
};

QTEST_GUILESS_MAIN(MessageSlicesTest)
#include "tst_message_slices.moc"
