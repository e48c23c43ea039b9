#include "app/chat/spoken_answer.h"

#include <QTest>

using namespace quire;

/// Splitting of answers into sentences for screen readers.
class SentenceSplitterTest : public QObject {
  Q_OBJECT

 private slots:
  void sentences_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("sentences");
    const auto row = [](const char* name, const QString& text, const QStringList& sentences) {
      QTest::newRow(name) << text << sentences;
    };
    row("English", "One. Two! Is it three? ", {"One.", "Two!", "Is it three?"});
    row("the last one waits", "One. Two", {"One."});
    row("numbers", "It is 3.5 km, v1.2. Far. ", {"It is 3.5 km, v1.2.", "Far."});
    row("titles and letters", "Dr. Kim met J. Lee. Yes. ", {"Dr. Kim met J. Lee.", "Yes."});
    row("lists", "1. Pears\n2. Figs\n", {"1. Pears", "2. Figs"});
    row("quotes", "\"Go.\" He went. ", {"\"Go.\"", "He went."});
    row("Korean", "안녕하세요. 반갑습니다! 네. ", {"안녕하세요.", "반갑습니다!", "네."});
    row("Japanese", "そうです。「行く。」はい？", {"そうです。", "「行く。」"});
    row("Chinese", "你好！今天很好。是", {"你好！", "今天很好。"});
    row("lines", "A heading\n\nText", {"A heading"});
  }
  void sentences() {
    QFETCH(QString, text);
    QFETCH(QStringList, sentences);
    SentenceSplitter whole;
    QCOMPARE(whole.append(text), sentences);
    SentenceSplitter letters;
    QStringList found;
    for (const QChar letter : text) found += letters.append(QStringView(&letter, 1));
    QCOMPARE(found, sentences);
  }

  void finish_returnsTheRestOnce() {
    SentenceSplitter splitter;
    splitter.append(u"One. And a half");
    QCOMPARE(splitter.finish(), QString("And a half"));
    QCOMPARE(splitter.finish(), QString());
  }

  void textWithoutSentenceEnds_isCut() {
    SentenceSplitter splitter;
    QStringList found;
    for (int i = 0; i < 400; ++i) found += splitter.append(u"word ");
    QVERIFY(found.size() >= 5);
    for (const QString& piece : found) QVERIFY(piece.size() <= 260);
    QVERIFY(!SentenceSplitter().append(QString(1000, u'x')).isEmpty());
  }

  void spokenText_hasNoMarkdownMarks() {
    QCOMPARE(spokenText("## **Paging** is `old`"), QString("Paging is old"));
    QCOMPARE(spokenText("- see [the paper](https://x.org)."), QString("see the paper."));
    QCOMPARE(spokenText("```cpp"), QString());
  }
};

QTEST_GUILESS_MAIN(SentenceSplitterTest)
#include "tst_sentence_splitter.moc"
