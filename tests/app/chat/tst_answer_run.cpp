#include "app/chat/answer_run.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/store/conversation_store.h"
#include "tests/support/fake_backend.h"

using namespace quire;

Q_DECLARE_METATYPE(FinishReason)

namespace {

constexpr RecordId kChat = 1;
constexpr RecordId kAnswer = 3;

AnswerReport report(FinishReason finish) {
  AnswerReport report;
  report.finish = finish;
  report.tokens = {7, 8, 9};
  report.outputTokens = 3;
  report.draftedTokens = 4;
  report.acceptedTokens = 2;
  report.origin = {.modelFingerprint = QStringLiteral("f1n9e7"),
                   .templateHash = QStringLiteral("7e4p"),
                   .deviceName = QStringLiteral("CPU"),
                   .sampling = {.temperature = 0.25f, .seed = 0xfedcba9876543210u, .stop = {"###"}},
                   .adapterPath = QStringLiteral("/m/tone"),
                   .promptTokens = {1, 2, 3, 4}};
  return report;
}

}  // namespace

/// AnswerRun: what it saves, and how it emits text.
class TestAnswerRun : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_writer = std::make_unique<StoreWriter>(m_folder->path());
    m_backend = std::make_unique<FakeBackend>();
  }

  void finished_keepsTheOrigin_data() {
    QTest::addColumn<FinishReason>("finish");
    QTest::addColumn<AnswerEnd>("end");
    QTest::newRow("end") << FinishReason::kEnd << AnswerEnd::End;
    QTest::newRow("stop string") << FinishReason::kStop << AnswerEnd::Stop;
    QTest::newRow("length") << FinishReason::kLength << AnswerEnd::Length;
    QTest::newRow("context") << FinishReason::kContext << AnswerEnd::Context;
    QTest::newRow("stopped") << FinishReason::kCancelled << AnswerEnd::CutOff;
    QTest::newRow("failed") << FinishReason::kFailed << AnswerEnd::CutOff;
  }
  void finished_keepsTheOrigin() {
    QFETCH(FinishReason, finish);
    QFETCH(AnswerEnd, end);
    run(report(finish));
    const auto store = ConversationStore::openForReading(m_folder->path());
    const MessageRecord answer = *(*store)->message(kAnswer).value();
    QCOMPARE(answer.modelFingerprint, QString("f1n9e7"));
    QCOMPARE(answer.tokens, (QList<qint32>{7, 8, 9}));
    const OriginRecord origin = *(*store)->origin(kAnswer).value();
    QCOMPARE(origin.templateHash, QString("7e4p"));
    QCOMPARE(origin.promptTokens, (QList<qint32>{1, 2, 3, 4}));
    QCOMPARE(origin.sampling.seed, 0xfedcba9876543210u);
    QVERIFY(origin.sampling.stop == std::vector<std::string>{"###"});
    QCOMPARE(origin.end, end);
    QCOMPARE(origin.deviceName, QString("CPU"));
    QCOMPARE(origin.adapterPath, QString("/m/tone"));
  }

  void finished_withoutAnOriginKeepsNone() {
    AnswerReport remote = report(FinishReason::kEnd);
    remote.origin = {};
    run(remote);
    const auto store = ConversationStore::openForReading(m_folder->path());
    QVERIFY(!(*store)->origin(kAnswer).value());
    QCOMPARE((*store)->message(kAnswer).value()->modelFingerprint, QString());
  }

  void continuedAnswer_addsItsGuesses() {
    MessageRecord before = emptyAnswer();
    before.setText("so far");
    before.draftedTokens = 10;
    before.acceptedTokens = 5;
    run(report(FinishReason::kEnd), before);
    const auto store = ConversationStore::openForReading(m_folder->path());
    const MessageRecord answer = *(*store)->message(kAnswer).value();
    QCOMPARE(answer.draftedTokens, 14);
    QCOMPARE(answer.acceptedTokens, 7);
  }

  void continuedAnswer_withoutNewText_isUnchanged_data() {
    QTest::addColumn<FinishReason>("finish");
    QTest::addColumn<QString>("text");
    QTest::newRow("failed") << FinishReason::kFailed << QString();
    QTest::newRow("stopped") << FinishReason::kCancelled << QString();
    QTest::newRow("failed after words") << FinishReason::kFailed << " more";
  }
  /// The tokens match the text, so they are dropped when text is added whose tokens are not known.
  void continuedAnswer_withoutNewText_isUnchanged() {
    QFETCH(const FinishReason, finish);
    QFETCH(const QString, text);
    AnswerReport empty;
    empty.finish = finish;
    MessageRecord before = emptyAnswer();
    before.setText("so far");
    before.tokens = {4, 5};
    before.outputTokens = 2;
    run(empty, before, text);
    const auto store = ConversationStore::openForReading(m_folder->path());
    const MessageRecord answer = *(*store)->message(kAnswer).value();
    QCOMPARE(answer.text(), "so far" + text);
    QCOMPARE(answer.tokens, text.isEmpty() ? (QList<qint32>{4, 5}) : QList<qint32>());
    QCOMPARE(answer.outputTokens, text.isEmpty() ? 2 : 3);
  }

  /// Most of the visible text is on disk even if the program is killed.
  void firstText_isCheckpointedSooner() {
    ChatRecord chat;
    chat.id = kChat;
    const MessageRecord answer = emptyAnswer();
    chat.headMessageId = answer.id;
    ChatRequest request;
    request.turns = {{"user", "Hello?", {}}};
    TextClock clock;
    const quint64 ticket = m_writer->beginTurn(chat, {}, answer);
    AnswerRun run(*m_backend, *m_writer, clock, ticket, request, answer);
    QTRY_VERIFY(run.isSubmitted());
    bool isOver = false;
    QTimer::singleShot(300, this, [&] { isOver = true; });
    m_backend->lastSink->tokensSampled({11, 12});
    m_backend->lastSink->textAppended("one two", 2);
    QTRY_VERIFY(isOver);
    QVERIFY(m_writer->flush(10'000));
    {
      const auto store = ConversationStore::openForReading(m_folder->path());
      QCOMPARE((*store)->message(kAnswer).value()->text(), QString("one two"));
      QCOMPARE((*store)->message(kAnswer).value()->tokens, (QList<qint32>{11, 12}));
    }
    // Closing the program keeps the ids, too.
    m_backend->lastSink->tokensSampled({13});
    m_backend->lastSink->textAppended(" three", 3);
    run.interrupt();
    QVERIFY(m_writer->flush(10'000));
    const auto store = ConversationStore::openForReading(m_folder->path());
    QCOMPARE((*store)->message(kAnswer).value()->text(), QString("one two three"));
    QCOMPARE((*store)->message(kAnswer).value()->tokens, (QList<qint32>{11, 12, 13}));
  }

  /// Of several answers of a chat, only one gets the focus.
  void focus_changesOnlyItsOwnRequest() {
    TextClock clock;
    ChatRecord chat;
    chat.id = kChat;
    ChatRequest request;
    request.turns = {{"user", "Hello?", {}}};
    QList<MessageRecord> answers = {emptyAnswer(), emptyAnswer()};
    answers[1].id = kAnswer + 1;
    chat.headMessageId = kAnswer;
    const quint64 ticket = m_writer->beginAnswers(chat, {}, answers);
    AnswerRun first(*m_backend, *m_writer, clock, ticket, request, answers[0]);
    AnswerRun second(*m_backend, *m_writer, clock, ticket, request, answers[1]);
    QTRY_VERIFY(first.isSubmitted() && second.isSubmitted());
    first.setFocused(true);
    second.setFocused(false);
    QCOMPARE(m_backend->focused(), RequestId{1});
    first.setFocused(false);
    QCOMPARE(m_backend->focused(), RequestId{0});
  }

  void text_isEmittedAtTheClocksPace_andBeforeEnded() {
    ChatRecord chat;
    chat.id = kChat;
    MessageRecord answer;
    answer.id = kAnswer;
    answer.chatId = kChat;
    answer.role = MessageRole::Assistant;
    answer.status = MessageStatus::Streaming;
    chat.headMessageId = answer.id;
    ChatRequest request;
    request.turns = {{"user", "Hello?", {}}};
    TextClock clock;
    const quint64 ticket = m_writer->beginTurn(chat, {}, answer);
    AnswerRun run(*m_backend, *m_writer, clock, ticket, request, answer);
    QString told;
    int times = 0;
    connect(&run, &AnswerRun::textAppended, this, [&](const QString& text) {
      told += text;
      ++times;
    });
    QString toldAtTheEnd;
    connect(&run, &AnswerRun::ended, this, [&] { toldAtTheEnd = told; });
    QTRY_VERIFY(run.isSubmitted());
    AnswerSink& sink = *m_backend->lastSink;
    for (const char* piece : {"one ", "two ", "three "}) sink.textAppended(piece, 1);
    QCOMPARE(times, 0);
    QTRY_COMPARE(told, QString("one two three "));
    QCOMPARE(times, 1);
    sink.textAppended("four", 4);
    QCOMPARE(run.answer().text(),
             QString("one two three four"));  // The disk has the whole text.
    QCOMPARE(times, 1);
    sink.finished(report(FinishReason::kEnd));
    QCOMPARE(toldAtTheEnd, QString("one two three four"));
    QCOMPARE(times, 2);
  }

 private:
  static MessageRecord emptyAnswer() {
    MessageRecord answer;
    answer.id = kAnswer;
    answer.chatId = kChat;
    answer.role = MessageRole::Assistant;
    answer.status = MessageStatus::Streaming;
    return answer;
  }

  /// Runs an answer that gets `text` and finishes with `report`.
  void run(const AnswerReport& report, const MessageRecord& answer = emptyAnswer(),
           const QString& text = {}) {
    ChatRecord chat;
    chat.id = kChat;
    chat.headMessageId = answer.id;
    ChatRequest request;
    request.turns = {{"user", "Hello?", {}}};
    const quint64 ticket = m_writer->beginTurn(chat, {}, answer);
    TextClock clock;
    AnswerRun run(*m_backend, *m_writer, clock, ticket, request, answer);
    QSignalSpy ended(&run, &AnswerRun::ended);
    QTRY_VERIFY(run.isSubmitted());
    if (!text.isEmpty()) m_backend->lastSink->textAppended(text, 3);
    m_backend->lastSink->finished(report);
    QCOMPARE(ended.size(), 1);
    QVERIFY(m_writer->flush(10'000));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<FakeBackend> m_backend;
};

QTEST_GUILESS_MAIN(TestAnswerRun)
#include "tst_answer_run.moc"
