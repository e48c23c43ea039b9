#include "app/panes/draft_estimate.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

/// Replies when it is told to, to the questions that were not withdrawn.
class SlowBackend : public FakeBackend {
 public:
  PendingReply forecast(const ChatRequest&, Reply<ContextForecast> reply) override {
    replies.append(reply);
    return reply.pending();
  }
  int numWaiting() const {
    return static_cast<int>(std::count_if(replies.begin(), replies.end(),
                                          [](const auto& reply) { return !reply.isWithdrawn(); }));
  }
  void answerAll() {
    for (const auto& reply : std::exchange(replies, {})) reply(foretold);
  }

  QList<Reply<ContextForecast>> replies;
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
    SlowBackend backend;
    backend.foretold = {.promptTokens = 20, .messageTokens = 12};
    DraftEstimate estimate(backend, backend, twoChats);
    estimate.look();
    QTRY_COMPARE(backend.numWaiting(), 2);
    const PendingReply own = backend.forecast(twoChats().first(), {this, [](const auto&) {}});
    backend.answerAll();
    QTRY_COMPARE(estimate.text(), QString("about 12 tokens · 40 to compute"));
  }

  void laterQuestions_takeThePlaceOfTheEarlierOnes() {
    SlowBackend backend;
    backend.foretold = {.promptTokens = 20, .messageTokens = 12};
    DraftEstimate estimate(backend, backend, twoChats);
    QSignalSpy changed(&estimate, &DraftEstimate::changed);
    estimate.look();
    QTRY_COMPARE(changed.size(), 1);
    estimate.look();
    QTRY_COMPARE(changed.size(), 2);
    QCOMPARE(backend.numWaiting(), 2);
    backend.answerAll();
    QTRY_COMPARE(estimate.text(), QString("about 12 tokens · 40 to compute"));
  }

  void modelThatLeft_isNotWaitedFor() {
    SlowBackend backend;
    DraftEstimate estimate(backend, backend, twoChats);
    estimate.look();
    QTRY_COMPARE(backend.numWaiting(), 2);
    backend.replies.clear();
    backend.foretold = {.promptTokens = 30, .messageTokens = 9};
    backend.setState(ModelManager::State::Ready);
    QTRY_COMPARE(backend.numWaiting(), 2);
    backend.answerAll();
    QTRY_COMPARE(estimate.text(), QString("about 9 tokens · 60 to compute"));
  }
};

QTEST_GUILESS_MAIN(TestDraftEstimate)
#include "tst_draft_estimate.moc"
