#include "app/chat/chat_selection.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include "app/chat/text_steps.h"
#include "tests/bench/bench_texts.h"

using namespace quire;

namespace {

/// A chat of questions and answers in turn, with its timeline and its selection. Its messages have
/// the numbers 1, 2 and so on.
struct Chat {
  Conversation conversation;
  std::unique_ptr<TimelineModel> timeline;
  ChatSelection selection;

  explicit Chat(const QStringList& texts, bool streams = false, bool waits = true) {
    for (const QString& text : texts) add(text);
    if (streams) conversation.find(conversation.head())->status = MessageStatus::Streaming;
    timeline = std::make_unique<TimelineModel>(conversation);
    while (waits && timeline->isLoading()) QCoreApplication::processEvents();
  }
  void add(const QString& text) {
    MessageRecord record;
    record.id = conversation.head() + 1;
    record.chatId = 1;
    record.parentId = conversation.head();
    record.role = record.id % 2 ? MessageRole::User : MessageRole::Assistant;
    record.setText(text);
    conversation.append(record);
  }
  void write(const QString& text) {
    MessageRecord* last = conversation.find(conversation.head());
    last->appendText(text);
    timeline->appendText(last->id, text);
  }
  QString select(const TextPosition& from, const TextPosition& to,
                 TextUnit unit = TextUnit::Character) {
    selection.start(*timeline, from, unit);
    selection.extend(to);
    return selection.plainText();
  }
};

const char* const kAnswer =
    "First paragraph.\n\n```c\nint x;\n\treturn 1 < 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "- one\n- two $x^2$\n\n$$\n\\alpha\n$$\n\n---\n\nLast one.";
constexpr qsizetype kEnd = TextPosition::kEnd;

}  // namespace

class ChatSelectionTest : public QObject {
  Q_OBJECT

 private slots:
  void text_goesFromParagraphOverCodeIntoATable() {
    Chat chat({"question", kAnswer});
    QCOMPARE(chat.select({2, 0, 6}, {2, 1, 3}), QString("paragraph.\n\nint"));
    QCOMPARE(chat.select({2, 0, 6}, {2, 2, kEnd}),
             QString("paragraph.\n\nint x;\n\treturn 1 < 2;\n\na\tb"));
    QCOMPARE(chat.select({2, 1, 7}, {2, 3, 1}), QString("\treturn 1 < 2;\n\na\tb\n1"));
  }

  void text_isTheSame_inBothDirections() {
    Chat chat({"question", kAnswer});
    const QString forwards = chat.select({2, 0, 6}, {2, 3, 1});
    QCOMPARE(chat.select({2, 3, 1}, {2, 0, 6}), forwards);
  }

  void text_goesOverMessages() {
    Chat chat({"one question", "one answer", "next\nquestion", kAnswer});
    QCOMPARE(chat.select({1, 0, 4}, {4, 0, 5}),
             QString("question\n\none answer\n\nnext\nquestion\n\nFirst"));
  }

  void formulasAndMarkers_areCopied() {
    Chat chat({"question", kAnswer});
    QCOMPARE(chat.select({2, 4, 0}, {2, 8, kEnd}),
             QString("• one\n• two $x^2$\n\n$$ \\alpha $$\n\n———\n\nLast one."));
    QCOMPARE(chat.select({2, 5, 0}, {2, 5, 3}), QString("two"));
    QCOMPARE(chat.select({2, 6, kEnd}, {2, 8, 4}), QString("———\n\nLast"));
    QCOMPARE(chat.select({2, 5, 0}, {2, 6, 0}), QString("two $x^2$"));
  }

  void all_isTheWholeChat_alsoBeforeItIsLoaded() {
    QStringList texts;
    for (int i = 0; i < 60; ++i) texts.append(QString("%1 ").arg(i) + benchText("mixed", 2000));
    Chat chat(texts, false, false);
    QVERIFY(chat.timeline->isLoading());
    chat.selection.selectAll(chat.timeline.get());
    const QString early = chat.selection.plainText();
    QVERIFY(early.startsWith("0 "));
    QVERIFY(early.contains("\n\n59 "));
    while (chat.timeline->isLoading()) QCoreApplication::processEvents();
    QCOMPARE(chat.selection.plainText(), early);
  }

  void longCode_isOneBlock_andFoldedCodeIsCopiedWhole() {
    QString code;
    for (int i = 0; i < 900; ++i) code += QString("line %1;\n").arg(i);
    code.chop(1);
    Chat chat({"question", "before\n\n```c\n" + code + "\n```\n\nafter"});
    chat.selection.selectAll(chat.timeline.get());
    QCOMPARE(chat.selection.plainText(), "question\n\nbefore\n\n" + code + "\n\nafter");
    chat.timeline->toggleFold(2);
    QCOMPARE(chat.selection.plainText(), "question\n\nbefore\n\n" + code + "\n\nafter");
    const QString html = chat.selection.mimeData()->html();
    QCOMPARE(html.count("<pre>"), 1);
  }

  void longUserMessage_isExact() {
    const QString text = benchText("mixed", 20000);
    Chat chat({text, "answer"});
    chat.selection.selectAll(chat.timeline.get());
    QCOMPARE(chat.selection.plainText(), text + "\n\nanswer");
  }

  void foldedReasoning_isLeftOut_openReasoningIsCopied() {
    Chat chat({"question", "<think>\nhidden words\n</think>\n\nanswer"});
    chat.selection.selectAll(chat.timeline.get());
    QCOMPARE(chat.selection.plainText(), QString("question\n\nanswer"));
    chat.timeline->toggleFold(1);
    QCOMPARE(chat.selection.plainText(), QString("question\n\nhidden words\n\nanswer"));
  }

  void selection_staysOnItsCharacters_whileTheAnswerStreams() {
    Chat chat({"question", "First **par"}, true);
    chat.selection.start(*chat.timeline, {2, 0, 2}, TextUnit::Character);
    chat.selection.extend({2, 0, kEnd});
    QCOMPARE(chat.selection.plainText(), QString("rst par"));
    QSignalSpy changed(&chat.selection, &ChatSelection::changed);
    for (const char* text :
         {"agraph** goes on", ".\n\n```c\nint", " x;\n```\n\n| a |\n|--", "-|\n| 1 |"}) {
      chat.write(text);
      QCOMPARE(chat.selection.plainText(), QString("rst par"));
    }
    QVERIFY(!changed.isEmpty());  // So that the rows show it again.
    chat.selection.selectAll(chat.timeline.get());
    const QString all = chat.selection.plainText();
    chat.write("\n| 2 |\n\nmore");
    QCOMPARE(chat.selection.plainText(), all);
  }

  void html_isThatOfTheBlocks_cutAtTheEnds() {
    Chat chat(
        {"question", "a **bold word** here\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n1 < 2\n```"});
    chat.select({2, 0, 2}, {2, 3, 3});
    const QString html = chat.selection.mimeData()->html();
    QVERIFY2(html.startsWith("<p><b>bold word</b> here</p><table"), qPrintable(html));
    QVERIFY2(html.contains("<th>a</th>") && html.contains("<td>2</td>"), qPrintable(html));
    QVERIFY2(html.endsWith("<pre><code>1 &lt;</code></pre>"), qPrintable(html));
    QVERIFY(chat.selection.mimeData()->hasText());
  }

  void htmlOfTheModel_staysText() {
    Chat chat({"<img src=x> <b>q</b>", "a <script>x</script> ![i](http://example.org/i.png)"});
    chat.selection.selectAll(chat.timeline.get());
    const QString html = chat.selection.mimeData()->html();
    QVERIFY2(!html.contains("<img") && !html.contains("<script"), qPrintable(html));
    QVERIFY(html.contains("&lt;img src=x&gt;"));
  }

  void words_areSelectedWhole_andExtendedByWords() {
    Chat chat({"question", "one two three\n\nfour five six"});
    chat.selection.start(*chat.timeline, {2, 0, 5}, TextUnit::Word);
    QCOMPARE(chat.selection.plainText(), QString("two"));
    chat.selection.extend({2, 1, 6});
    QCOMPARE(chat.selection.plainText(), QString("two three\n\nfour five"));
    chat.selection.extend({2, 0, 1});
    QCOMPARE(chat.selection.plainText(), QString("one two"));
    chat.selection.start(*chat.timeline, {2, 1, 6}, TextUnit::Paragraph);
    QCOMPARE(chat.selection.plainText(), QString("four five six"));
  }

  void keys_selectCopyAndRemove() {
    Chat chat({"question", "answer"});
    TimelineModel* timeline = chat.timeline.get();
    QVERIFY(!chat.selection.handleKey(timeline, Qt::Key_C, Qt::ControlModifier));
    QVERIFY(!chat.selection.handleKey(timeline, Qt::Key_Escape, Qt::NoModifier));
    QVERIFY(!chat.selection.handleKey(timeline, Qt::Key_A, Qt::NoModifier));
    QVERIFY(chat.selection.handleKey(timeline, Qt::Key_A, Qt::ControlModifier));
    QVERIFY(chat.selection.handleKey(timeline, Qt::Key_C, Qt::ControlModifier));
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("question\n\nanswer"));
    QVERIFY(QGuiApplication::clipboard()->mimeData()->hasHtml());
    QVERIFY(chat.selection.handleKey(timeline, Qt::Key_Escape, Qt::NoModifier));
    QVERIFY(chat.selection.isEmpty());
  }

  void caret_movesTheEndThatWasMovedLast() {
    Chat chat({"question", "one two three four"});
    chat.select({2, 0, 8}, {2, 0, 4});
    QCOMPARE(chat.selection.caret(), (TextPosition{2, 0, 4}));
    chat.selection.moveCaret({2, 0, 3});
    QCOMPARE(chat.selection.plainText(), QString(" two "));
    chat.selection.moveCaret({2, 0, 13});
    QCOMPARE(chat.selection.plainText(), QString("three"));
    chat.selection.start(*chat.timeline, {2, 0, 5}, TextUnit::Word);
    chat.selection.moveCaret({2, 0, 8});  // A word that was selected is extended by characters.
    QCOMPARE(chat.selection.plainText(), QString("two "));
    chat.selection.clear();
    chat.selection.moveCaret({2, 0, 3});
    QVERIFY(chat.selection.isEmpty());
  }

  void steps_goToTheEndAndBackOverTheSamePositions() {
    const QString question = QString("line of words\n").repeated(130);
    Chat chat({question, QString("<think>\nhidden\n</think>\n\n") + kAnswer,
               "né 👩‍👩‍👧 end", "last"});
    chat.timeline->toggleFold(0);
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Word}) {
      const QList<TextPosition> there = walk(*chat.timeline, unit, true);
      const QList<TextPosition> back = walk(*chat.timeline, unit, false);
      QCOMPARE(there.last(), outermostPosition(*chat.timeline, true));
      QCOMPARE(back.last(), outermostPosition(*chat.timeline, false));
      if (unit == TextUnit::Character) QCOMPARE(QList(back.crbegin(), back.crend()), there);
      for (const TextPosition& at : there)
        QVERIFY(isBlockShown(*chat.timeline, at.message, at.block));
    }
  }

  void steps_takeLettersFormulasAndWordsWhole() {
    Chat chat({"né 👩‍👩‍👧 end", "two $x^2$ and\n\n$$\n\\alpha\n$$\n\nlast"});
    const TimelineModel& timeline = *chat.timeline;
    const auto step = [&](const TextPosition& from, TextUnit unit, bool forwards = true) {
      return steppedPosition(timeline, from, unit, forwards);
    };
    QCOMPARE(step({1, 0, 3}, TextUnit::Character), (TextPosition{1, 0, 11}));  // A family.
    QCOMPARE(step({2, 0, 4}, TextUnit::Character), (TextPosition{2, 0, 9}));
    QCOMPARE(step({2, 0, 9}, TextUnit::Character, false), (TextPosition{2, 0, 4}));
    QCOMPARE(step({2, 0, 0}, TextUnit::Word), (TextPosition{2, 0, 4}));
    QCOMPARE(step({2, 0, 13}, TextUnit::Character), (TextPosition{2, 1, 0}));
    QVERIFY(step({2, 1, 0}, TextUnit::Character).offset > 3);
    QCOMPARE(step({2, 2, 4}, TextUnit::Word), (TextPosition{2, 2, 4}));
    QCOMPARE(step({1, 0, 0}, TextUnit::Word, false), (TextPosition{1, 0, 0}));
  }

  void spokenText_tellsTheBeginning() {
    Chat chat({"question", benchText("mixed", 100'000)});
    QCOMPARE(chat.selection.spokenText(), QString());
    chat.select({1, 0, 0}, {1, 0, 5});
    QCOMPARE(chat.selection.spokenText(), QString("Selected: quest"));
    chat.selection.selectAll(chat.timeline.get());
    QVERIFY(chat.selection.spokenText().size() < 600);
  }

  void anotherBranch_withoutTheMessages_removesIt() {
    Chat chat({"one", "first", "two", "second"});
    chat.select({1, 0, 0}, {2, 0, 2});
    chat.conversation.showUpTo(2);
    chat.timeline->syncPath();
    QCOMPARE(chat.selection.plainText(), QString("one\n\nfi"));
    chat.select({1, 0, 0}, {2, 0, 2});
    chat.conversation.showUpTo(1);
    chat.timeline->syncPath();
    QVERIFY(chat.selection.isEmpty());
  }

  void goneTimeline_removesIt() {
    Chat chat({"one", "first"});
    chat.selection.selectAll(chat.timeline.get());
    chat.timeline.reset();
    QVERIFY(chat.selection.isEmpty());
    QCOMPARE(chat.selection.plainText(), QString());
    chat.selection.extend({1, 0, 1});
  }

 private:
  /// The positions from one end of the chat to the other.
  static QList<TextPosition> walk(const TimelineModel& timeline, TextUnit unit, bool forwards) {
    QList<TextPosition> visited = {outermostPosition(timeline, !forwards)};
    while (true) {
      const TextPosition next = steppedPosition(timeline, visited.last(), unit, forwards);
      if (next == visited.last()) return visited;
      visited.append(next);
    }
  }
};

QTEST_MAIN(ChatSelectionTest)
#include "tst_chat_selection.moc"
