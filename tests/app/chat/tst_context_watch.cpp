#include "app/chat/context_watch.h"

#include <QLocale>
#include <QSignalSpy>
#include <QTest>

#include "app/chat/footer_text.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

/// A question and its answer, with that many tokens together.
QList<MessageRecord> exchange(int tokens) {
  MessageRecord question;
  question.id = 1;
  question.setText("Why?");
  MessageRecord answer;
  answer.id = 2;
  answer.parentId = 1;
  answer.role = MessageRole::Assistant;
  answer.setText("So.");
  answer.promptTokens = tokens;
  return {question, answer};
}

PromptNote note(PrefixMiss::Reason reason, int message, int dropped = 0, int disk = 0) {
  PromptNote note;
  note.report.miss = {.reason = reason, .position = 1600, .message = message};
  note.report.droppedMessages = dropped;
  note.report.diskTokens = disk;
  note.systemTurns = 1;
  return note;
}

QList<ChatRequest> oneChat() {
  return {ChatRequest()};
}

}  // namespace

/// The note about a chat that may exceed the context, and the footer of its answer.
class TestContextWatch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_backend = std::make_unique<FakeBackend>();
    m_backend->contextTokens = 4096;
  }

  void estimate_addsUpTheTokensOfSeveralChats() {
    const Conversation none;
    ContextWatch watch(*m_backend, *m_backend, none, [] { return oneChat() + oneChat(); });
    m_backend->foretold = {.promptTokens = 20, .messageTokens = 12};
    QSignalSpy changed(&watch, &ContextWatch::noteChanged);
    watch.look(5);
    QTRY_COMPARE(m_backend->questions.size(), 2);
    QTRY_COMPARE(watch.estimate(), QString("about 12 tokens · 40 to compute"));
    watch.look(5);
    QTRY_COMPARE(m_backend->questions.size(), 4);
    QTRY_COMPARE(changed.size(), 2);
    QCOMPARE(watch.estimate(), QString("about 12 tokens · 40 to compute"));
  }

  void look_shortChat_asksNothing() {
    const Conversation conversation(exchange(1000), 2);
    ContextWatch watch(*m_backend, *m_backend, conversation, oneChat);
    watch.look(0);
    QTest::qWait(450);
    QVERIFY(m_backend->questions.isEmpty());
    QCOMPARE(watch.note(), QString());
    QCOMPARE(watch.text(), QString("1,000 / 4,096"));
  }

  void look_asksOnceAfterAPause() {
    const Conversation conversation(exchange(2000), 2);
    ContextWatch watch(*m_backend, *m_backend, conversation, oneChat);
    m_backend->foretold = {.promptTokens = 2100, .contextTokens = 4096, .droppedMessages = 6};
    QSignalSpy changed(&watch, &ContextWatch::noteChanged);
    for (int length = 100; length < 110; ++length) {
      watch.look(length);
      QCoreApplication::processEvents();
    }
    QTRY_COMPARE(m_backend->questions.size(), 1);
    QTRY_COMPARE(changed.size(), 1);
    QVERIFY(watch.isWarning());
    QCOMPARE(watch.note(),
             QString("Sending will leave out 6 older message(s) to fit the 4,096-token context."));
    watch.forget();
    QCOMPARE(watch.note(), QString());
    QVERIFY(!watch.isWarning());
  }

  void look_longDraftInANewChat_asks() {
    const Conversation conversation;
    ContextWatch watch(*m_backend, *m_backend, conversation, oneChat);
    watch.look(5000);
    QTRY_COMPARE(m_backend->questions.size(), 1);
  }

  void look_whileTheModelLoads_asksNothing() {
    const Conversation conversation(exchange(4000), 2);
    m_backend->setState(ModelManager::State::Loading, "Loading…");
    ContextWatch watch(*m_backend, *m_backend, conversation, oneChat);
    watch.look(0);
    QTest::qWait(450);
    QVERIFY(m_backend->questions.isEmpty());
  }

  void forecast_ofAnotherChat_isIgnored() {
    const Conversation conversation(exchange(4000), 2);
    ContextWatch one(*m_backend, *m_backend, conversation, oneChat);
    ContextWatch other(*m_backend, *m_backend, conversation, oneChat);
    m_backend->foretold = {.promptTokens = 2100, .contextTokens = 4096, .droppedMessages = 6};
    one.look(0);
    QTRY_VERIFY(!one.note().isEmpty());
    QCOMPARE(other.note(), QString());
  }

  void note_isASentence_data() {
    QTest::addColumn<int>("before");
    QTest::addColumn<int>("dropped");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("note");
    QTest::addColumn<bool>("warns");
    QTest::newRow("fits") << 0 << 0 << 4000 << ""
                          << "" << false;
    QTest::newRow("one")
        << 0 << 1 << 4000 << ""
        << "Sending will leave out 1 older message(s) to fit the 4,096-token context." << true;
    QTest::newRow("more than before")
        << 6 << 10 << 4000 << ""
        << "Sending will leave out 4 older message(s) to fit the 4,096-token context." << true;
    QTest::newRow("as before") << 6 << 6 << 4000 << ""
                               << "6 oldest message(s) left out to fit the 4,096-token context."
                               << false;
    QTest::newRow("too long")
        << 0 << 2 << 9000 << "The prompt has 9000 tokens."
        << "Too long for this model: 9,000 of 4,096 tokens. Shorten the message." << true;
    QTest::newRow("refused") << 0 << 0 << 0 << "The chat template refuses this conversation."
                             << "The chat template refuses this conversation." << true;
  }
  void note_isASentence() {
    QFETCH(int, before);
    QFETCH(int, dropped);
    QFETCH(int, tokens);
    QFETCH(QString, error);
    const Conversation conversation(exchange(4000), 2);
    ContextWatch watch(*m_backend, *m_backend, conversation, oneChat);
    watch.setDropped(before);
    m_backend->foretold = {
        .promptTokens = tokens, .contextTokens = 4096, .droppedMessages = dropped, .error = error};
    QSignalSpy changed(&watch, &ContextWatch::noteChanged);
    watch.look(0);
    QTRY_COMPARE(changed.size(), 1);
    QTEST(watch.note(), "note");
    QTEST(watch.isWarning(), "warns");
  }

  void footer_data() {
    QTest::addColumn<PromptNote>("prompt");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    using Reason = PrefixMiss::Reason;
    const QString plain = "2,000 of 2,400 from cache";
    QTest::newRow("all was there") << note(Reason::kNone, -1) << plain << "";
    QTest::newRow("disk") << note(Reason::kNew, -1, 0, 640) << plain + " (640 from disk)"
                          << "Of the cached tokens, 640 came from disk.";
    QTest::newRow("persona") << note(Reason::kChanged, 0) << plain
                             << "The persona changed, so the whole chat was processed again.";
    QTest::newRow("message")
        << note(Reason::kChanged, 3) << plain
        << "Message 3 changed, so it and the messages after it were processed again.";
    QTest::newRow("left out")
        << note(Reason::kChanged, 7, 6) << plain
        << "Older messages were left out, so the rest was processed again once.";
    QTest::newRow("changed after what was left out")
        << note(Reason::kChanged, 9, 6) << plain
        << "Message 9 changed, so it and the messages after it were processed again.";
    QTest::newRow("unknown") << note(Reason::kChanged, -1) << plain
                             << "The chat changed from token 1,600 on.";
    QTest::newRow("evicted") << note(Reason::kEvicted, 3) << plain
                             << "Other chats needed the memory, so the rest was processed again.";
  }
  void footer() {
    QFETCH(PromptNote, prompt);
    QFETCH(QString, reason);
    MessageRecord answer = exchange(2400).last();
    answer.cachedTokens = 2000;
    QTEST(cacheText(answer, &prompt), "text");
    const QStringList lines = cacheHint(answer, &prompt).split(u'\n');
    QCOMPARE(lines.first(),
             QString("The prompt had 2,400 tokens: 2,000 from cache, 400 processed."));
    QCOMPARE(lines.mid(1).join(u'\n'), reason);
    const QString left = leftOutText(&prompt);
    QCOMPARE(left, prompt.report.droppedMessages > 0 ? QString("6 oldest message(s) left out")
                                                     : QString());
    QCOMPARE(leftOutHint(&prompt).isEmpty(), left.isEmpty());
  }

  void speedHint_saysHowManyGuessesWereRight() {
    MessageRecord answer = exchange(2400).last();
    answer.outputTokens = 1200;
    answer.firstTokenMs = 100.0;
    answer.totalMs = 10'100.0;
    QCOMPARE(speedHint(answer), QString());
    answer.draftedTokens = 1041;
    answer.acceptedTokens = 30;
    QCOMPARE(speedHint(answer),
             QString("Correct guesses of the next words: 30 of 1,041. Each saved one of the 1,200 "
                     "steps that this answer would have taken."));
    answer.acceptedTokens = 1042;  // As a damaged store may say.
    QCOMPARE(speedHint(answer), QString());
    answer.acceptedTokens = 0;
    QCOMPARE(speedHint(answer), QString("Correct guesses of the next words: 0 of 1,041."));
    answer.totalMs = 0.0;  // Without a speed there is nothing to explain.
    QCOMPARE(speedHint(answer), QString());
  }

  void footer_withoutAReport_usesTheStoredCounts() {
    MessageRecord answer = exchange(2400).last();
    QCOMPARE(cacheText(answer, nullptr), QString("2,400 tokens, none from cache"));
    QVERIFY(!cacheHint(answer, nullptr).isEmpty());
    QCOMPARE(leftOutText(nullptr), QString());
    answer.status = MessageStatus::Failed;
    QCOMPARE(cacheText(answer, nullptr), QString());
    QCOMPARE(cacheHint(answer, nullptr), QString());
  }

 private:
  std::unique_ptr<FakeBackend> m_backend;
};

QTEST_GUILESS_MAIN(TestContextWatch)
#include "tst_context_watch.moc"
