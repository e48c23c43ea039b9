#include "app/chat/chat_find.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

#include "tests/support/thread_time.h"

using namespace quire;

namespace {

/// A chat of questions and answers in turn, with its timeline and its search.
struct Chat {
  Conversation conversation;
  std::unique_ptr<TimelineModel> timeline;
  std::unique_ptr<ChatFind> find;

  explicit Chat(const QStringList& texts, bool streams = false, bool waits = true) {
    for (const QString& text : texts) add(text);
    if (streams) conversation.find(conversation.head())->status = MessageStatus::Streaming;
    timeline = std::make_unique<TimelineModel>(conversation);
    find = std::make_unique<ChatFind>(*timeline);
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
  /// What the bar says when everything was searched.
  QString search(const QString& query) {
    if (!find->isOpen()) find->open();
    find->setQuery(query);
    return settled();
  }
  QString settled() {
    while (find->isScanning()) QCoreApplication::processEvents();
    return find->countText();
  }
  /// The text of the row with the current match.
  QString currentText() const {
    const QModelIndex row = timeline->index(find->currentRow());
    const QString text = timeline->data(row, TimelineModel::kText).toString();
    return text.isEmpty() ? timeline->data(row, TimelineModel::kMarkup).toString() : text;
  }
};

}  // namespace

class ChatFindTest : public QObject {
  Q_OBJECT

 private slots:
  void matches_areCounted_inAllKindsOfText() {
    Chat chat({"one needle",
               "# A needle\n\n- **nee**dle and needle\n\n```\nneedle\n```\n\n"
               "| needle | b |\n|---|---|\n| c | needle |\n\n> needle",
               "no", "last needle"});
    QCOMPARE(chat.search("NEEDLE"), QString("1 of 9"));
    QCOMPARE(chat.search("needles"), QString("No matches"));
    QVERIFY(chat.find->isMissing());
    QCOMPARE(chat.search(""), QString());
  }

  void markup_isNotSearched() {
    Chat chat({"q", "**bold** [link](https://example.com/hidden) `code` a&b <i>"});
    QCOMPARE(chat.search("**"), QString("No matches"));
    QCOMPARE(chat.search("hidden"), QString("No matches"));
    QCOMPARE(chat.search("amp"), QString("No matches"));
    QCOMPARE(chat.search("bold link"), QString("1 of 1"));
    QCOMPARE(chat.search("a&b <i>"), QString("1 of 1"));
  }

  void formulas_areNoText() {
    Chat chat({"q", "$x$ x\n\n$$\nx^2\n$$\n\n| x | $x$ |\n|---|---|\n| $x$ | x |"});
    QCOMPARE(chat.search("x"), QString("1 of 3"));
    QCOMPARE(chat.search("$"), QString("No matches"));
    QCOMPARE(chat.search("  "), QString());
  }

  void move_goesThroughAll_andAround() {
    Chat chat({"x x", "x\n\nnone\n\nx"});
    QCOMPARE(chat.search("x"), QString("1 of 4"));
    QStringList seen;
    for (int i = 0; i < 5; ++i) {
      chat.find->move(1);
      seen.append(QString("%1/%2").arg(chat.find->currentRow()).arg(chat.find->currentInRow()));
    }
    QCOMPARE(seen, QStringList({"0/1", "1/0", "3/0", "0/0", "0/1"}));
    chat.find->move(-1);
    chat.find->move(-1);
    QCOMPARE(chat.find->countText(), QString("4 of 4"));
  }

  void firstMatch_isAtOrAfterTheView() {
    Chat chat({"x", "x\n\ny\n\nx", "x"});
    chat.find->open();
    chat.find->setOrigin(2);
    QSignalSpy moved(chat.find.get(), &ChatFind::moved);
    QCOMPARE(chat.search("x"), QString("3 of 4"));
    QCOMPARE(moved.count(), 1);
    QCOMPARE(chat.search("y"), QString("1 of 1"));
  }

  void foldedText_isFound_andUnfolded() {
    QString code = "```\n";
    for (int i = 0; i < 500; ++i) code += QString("line %1\n").arg(i);
    Chat chat({QString("first\n").repeated(200) + "user needle",
               "<think>\nthought needle\n</think>\n\n" + code + "code needle\n```"});
    QCOMPARE(chat.search("needle"), QString("1 of 3"));
    for (const QString wanted : {"user needle", "thought needle", "code needle"}) {
      QCOMPARE(chat.find->currentRow(), -1);
      chat.find->unfoldCurrent();
      QVERIFY2(chat.currentText().contains(wanted), qPrintable(chat.currentText()));
      chat.find->move(1);
    }
  }

  void streamedText_isFound_andOnlyTheChangeIsRead() {
    Chat chat({"x", "x\n\nx"}, true);
    QCOMPARE(chat.search("x"), QString("1 of 3"));
    chat.find->move(1);
    chat.find->move(1);
    QSignalSpy moved(chat.find.get(), &ChatFind::moved);
    chat.write(" and x\n\nax");
    QCOMPARE(chat.settled(), QString("3 of 5"));
    chat.write("x");
    QCOMPARE(chat.settled(), QString("3 of 6"));
    chat.conversation.find(2)->status = MessageStatus::Complete;
    chat.timeline->finishMessage(2);
    QCOMPARE(chat.settled(), QString("3 of 6"));
    QCOMPARE(moved.count(), 0);
  }

  void newMessages_andOtherBranches_areCounted() {
    Chat chat({"x", "x"});
    QCOMPARE(chat.search("x"), QString("1 of 2"));
    chat.add("x x");
    chat.timeline->syncPath();
    QCOMPARE(chat.settled(), QString("1 of 4"));
    chat.conversation.take(2);
    chat.timeline->syncPath();
    QCOMPARE(chat.settled(), QString("1 of 1"));
    chat.conversation.take(1);
    chat.timeline->syncPath();
    QCOMPARE(chat.settled(), QString("No matches"));
  }

  void olderMessages_areCounted_asTheyAreLoaded() {
    QStringList texts;
    for (int i = 0; i < 300; ++i) texts.append("x" + QString(" word").repeated(300));
    Chat chat(texts, false, false);
    QVERIFY(chat.timeline->isLoading());
    chat.search("x");
    while (chat.timeline->isLoading()) QCoreApplication::processEvents();
    QCOMPARE(chat.settled(), QString("1 of 300"));
  }

  void closing_forgetsTheMatches() {
    Chat chat({"x", "x"});
    QCOMPARE(chat.search("x"), QString("1 of 2"));
    chat.find->close();
    QCOMPARE(chat.find->countText(), QString());
    QCOMPARE(chat.find->currentRow(), -1);
    QVERIFY(chat.find->pattern().isEmpty());
    chat.write("x");
    QVERIFY(!chat.find->isScanning());
    QSignalSpy wanted(chat.find.get(), &ChatFind::focusWanted);
    chat.find->move(1);
    QVERIFY(chat.find->isOpen());
    QCOMPARE(wanted.count(), 1);
  }

  void hugeMessages_areSearchedInSlices() {
    const QString words = QString::fromUtf8("Some words, größer und 한국어 with a needle.\n\n");
    Chat chat({QString(words).repeated(16'000), QString(words).repeated(16'000)});
    chat.find->open();
    chat.find->setQuery("needle");
    double longest = 0.0;
    while (chat.find->isScanning()) {
      const double begin = test::thread_ms();
      QCoreApplication::processEvents();
      longest = std::max(longest, test::thread_ms() - begin);
    }
    QCOMPARE(chat.find->countText(), QString("1 of 32,000"));
    QVERIFY2(longest < 150, qPrintable(QString::number(longest)));
  }
};

QTEST_MAIN(ChatFindTest)
#include "tst_chat_find.moc"
