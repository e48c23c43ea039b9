#include <QtTest>

#include "app/engine/answer_stream.h"
#include "app/engine/pace_meter.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

RequestEvent tokenEvent(const char* text, TokenId token, int outputTokens) {
  RequestEvent event;
  event.text = text;
  event.tokens = {token};
  event.usage.prompt_tokens = 40;
  event.usage.cached_tokens = 32;
  event.usage.output_tokens = outputTokens;
  event.usage.drafted_tokens = 4 * outputTokens;
  event.usage.accepted_tokens = outputTokens;
  event.usage.first_token_ms = 100.0;
  event.usage.total_ms = 100.0 + 10.0 * (outputTokens - 1);
  return event;
}

struct Sink : AnswerSink {
  void started(const PromptReport& r) override {
    calls += "started";
    prompt = r;
  }
  void tokensSampled(const QList<qint32>& more) override { tokens += more; }
  void textAppended(const QString& text, int outputTokens) override {
    calls += QString("%1 %2").arg(text).arg(outputTokens);
  }
  void finished(const AnswerReport& r) override {
    calls += "finished";
    report = r;
  }
  QStringList calls;
  QList<qint32> tokens;
  PromptReport prompt;
  AnswerReport report;
};

}  // namespace

class TestAnswerStream : public QObject {
  Q_OBJECT

 private slots:
  void tokensPerSecond_leavesTheFirstTokenOut() {
    QCOMPARE(tokensPerSecond(11, 500.0, 1500.0), 10.0);
    QCOMPARE(tokensPerSecond(2, 90.0, 100.0), 100.0);
  }

  void tokensPerSecond_ofOneTokenIsItsOwn() { QCOMPARE(tokensPerSecond(1, 199.0, 200.0), 5.0); }

  void tokensPerSecond_isNeverInfinite() {
    QCOMPARE(tokensPerSecond(0, 0.0, 0.0), 0.0);
    QCOMPARE(tokensPerSecond(0, 0.0, 100.0), 0.0);
    QCOMPARE(tokensPerSecond(5, 100.0, 100.0), 0.0);
  }

  void stream_callsItsSinkInOrder() {
    const auto sink = std::make_shared<Sink>();
    AnswerStream stream(sink);
    QVERIFY(!stream.take(tokenEvent("Hel", 1, 1)));
    QVERIFY(!stream.take(tokenEvent("", 2, 2)));  // Half a character: no text yet.
    QCOMPARE(sink->tokens, QList<qint32>{1});
    RequestEvent last = tokenEvent("lo ✓", 3, 3);
    last.finish = FinishReason::kLength;
    QVERIFY(stream.take(last));
    QCOMPARE(sink->calls, (QStringList{"started", "Hel 1", "lo ✓ 3", "finished"}));
    QCOMPARE(sink->tokens, (QList<qint32>{1, 2, 3}));
    QCOMPARE(sink->prompt.promptTokens, 40);
    QCOMPARE(sink->prompt.cachedTokens, 32);
    QCOMPARE(sink->prompt.firstTokenMs, 100.0);
    QCOMPARE(sink->report.finish, FinishReason::kLength);
    QCOMPARE(sink->report.tokens, (QList<qint32>{1, 2, 3}));
    QCOMPARE(sink->report.outputTokens, 3);
    QCOMPARE(sink->report.draftedTokens, 12);
    QCOMPARE(sink->report.acceptedTokens, 3);
    QCOMPARE(sink->report.totalMs, 120.0);
    QCOMPARE(sink->report.tokensPerSecond, 100.0);
    QCOMPARE(sink->report.prompt.promptTokens, 40);
  }

  void end_saysWhichStopAndWhatKindOfError() {
    const auto sink = std::make_shared<Sink>();
    RequestEvent last = tokenEvent("text", 1, 1);
    last.finish = FinishReason::kStop;
    last.stop = "END";
    QVERIFY(AnswerStream(sink).take(last));
    QCOMPARE(sink->report.stop, QString("END"));
    last.finish = FinishReason::kFailed;
    last.error = {ErrorCode::kDevice, "The device is gone."};
    QVERIFY(AnswerStream(sink).take(last));
    QCOMPARE(sink->report.errorCode, ErrorCode::kDevice);
    QCOMPARE(sink->report.error, QString("The device is gone."));
  }

  void answerThatGoesOn_hasTheIdsOfAllOfIt() {
    const auto sink = std::make_shared<Sink>();
    AnswerStream stream(sink, {.answered = {7, 8}});
    QVERIFY(!stream.take(tokenEvent("on", 9, 1)));
    QCOMPARE(sink->tokens, (QList<qint32>{7, 8, 9}));
  }

  void emptyAnswer_startsBeforeItFinishes() {
    const auto sink = std::make_shared<Sink>();
    RequestEvent event;
    event.finish = FinishReason::kEnd;
    event.usage.prompt_tokens = 3;
    QVERIFY(AnswerStream(sink).take(event));
    QCOMPARE(sink->calls, (QStringList{"started", "finished"}));
    QVERIFY(sink->report.tokens.isEmpty());
  }

  void refusedRequest_finishesWithoutStarting() {
    const auto sink = std::make_shared<Sink>();
    AnswerStream(sink).end(FinishReason::kFailed, "Too long.");
    QCOMPARE(sink->calls, QStringList{"finished"});
    QCOMPARE(sink->report.error, QString("Too long."));
  }

  void meter_reportsTwiceASecond() {
    PaceMeter meter;
    const PaceMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.endStep(0, start + 400ms));
    QCOMPARE(meter.endStep(10, start + 500ms), std::optional(20.0));
    QVERIFY(!meter.endStep(1, start + 900ms));
    QCOMPARE(meter.endStep(1, start + 1500ms), std::optional(2.0));
    QVERIFY(!meter.endWork(start + 1600ms));  // Its rate is known.
  }

  void meter_reportsSoon_whenTokensCome() {
    PaceMeter meter;
    const PaceMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.endStep(1, start + 50ms));
    QCOMPARE(meter.endStep(4, start + 100ms), std::optional(50.0));
    QVERIFY(!meter.endStep(5, start + 300ms));
    QCOMPARE(meter.endStep(5, start + 600ms), std::optional(20.0));
  }

  void meter_ofWorkThatWasSoonOver_hasARate() {
    PaceMeter meter;
    const PaceMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.endStep(3, start + 50ms));
    QCOMPARE(meter.endWork(start + 60ms), std::optional(50.0));
    QVERIFY(!meter.endWork(start + 70ms));  // Nothing was done since.
  }
};

QTEST_APPLESS_MAIN(TestAnswerStream)
#include "tst_answer_stream.moc"
