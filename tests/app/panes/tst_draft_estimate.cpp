#include "app/panes/draft_estimate.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

/// Keeps one question a chat, as the engine does: a later one takes the place of the one before.
class OneQuestionAChat : public FakeBackend {
 public:
  void askForecast(quint64 number, const ChatRequest& request) override {
    waiting.insert(request.chatId, number);
  }
  void answerAll() {
    for (const quint64 number : std::exchange(waiting, {})) emit forecast(number, foretold);
  }

  QHash<qint64, quint64> waiting;
};

QList<ChatRequest> twoChats() {
  ChatRequest first;
  first.chatId = 4;
  ChatRequest second;
  second.chatId = 5;
  return {first, second};
}

}  // namespace

/// What a message to several chats costs.
class TestDraftEstimate : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void questionOfTheChatItself_replacesNone() {
    OneQuestionAChat backend;
    backend.foretold = {.promptTokens = 20, .messageTokens = 12};
    DraftEstimate estimate(backend, twoChats);
    estimate.look();
    QTRY_COMPARE(backend.waiting.size(), 2);
    backend.askForecast(1'000'000, twoChats().first());
    backend.answerAll();
    QCOMPARE(estimate.text(), QString("about 12 tokens · 40 to compute"));
  }

  void laterQuestions_takeThePlaceOfTheEarlierOnes() {
    OneQuestionAChat backend;
    backend.foretold = {.promptTokens = 20, .messageTokens = 12};
    DraftEstimate estimate(backend, twoChats);
    QSignalSpy changed(&estimate, &DraftEstimate::changed);
    estimate.look();
    QTRY_COMPARE(changed.size(), 1);
    estimate.look();
    QTRY_COMPARE(changed.size(), 2);
    QCOMPARE(backend.waiting.size(), 2);
    backend.answerAll();
    QCOMPARE(estimate.text(), QString("about 12 tokens · 40 to compute"));
  }

  void modelThatLeft_isNotWaitedFor() {
    OneQuestionAChat backend;
    DraftEstimate estimate(backend, twoChats);
    estimate.look();
    QTRY_COMPARE(backend.waiting.size(), 2);
    backend.waiting.clear();
    backend.foretold = {.promptTokens = 30, .messageTokens = 9};
    backend.setState(ChatBackend::State::Ready);
    QTRY_COMPARE(backend.waiting.size(), 2);
    backend.answerAll();
    QCOMPARE(estimate.text(), QString("about 9 tokens · 60 to compute"));
  }
};

QTEST_GUILESS_MAIN(TestDraftEstimate)
#include "tst_draft_estimate.moc"
