#include <QtTest>

#include "app/engine/answer_stream.h"
#include "app/engine/outbox.h"
#include "app/engine/throughput_meter.h"

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
  event.usage.first_token_ms = 100.0;
  event.usage.total_ms = 100.0 + 10.0 * (outputTokens - 1);
  return event;
}

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

  void stream_joinsWhatTheWindowHasNotTaken() {
    int woken = 0;
    Outbox outbox([&] { ++woken; });
    AnswerStream stream(7, outbox);
    AnswerStream other(8, outbox);
    QVERIFY(!stream.take(tokenEvent("Hel", 1, 1)));
    QVERIFY(!other.take(tokenEvent("x", 9, 1)));
    QVERIFY(!stream.take(tokenEvent("", 2, 2)));  // Half a character: no text yet.
    RequestEvent last = tokenEvent("lo ✓", 3, 3);
    last.finish = FinishReason::kLength;
    QVERIFY(stream.take(last));
    QCOMPARE(woken, 1);

    const auto events = outbox.take();
    QCOMPARE(events.size(), size_t{5});
    const auto& started = std::get<AnswerStarted>(events[0]);
    QCOMPARE(started.id, RequestId{7});
    QCOMPARE(started.report.promptTokens, 40);
    QCOMPARE(started.report.cachedTokens, 32);
    QCOMPARE(started.report.firstTokenMs, 100.0);
    const auto& text = std::get<AnswerText>(events[1]);
    QCOMPARE(text.text, QString("Hello ✓"));
    QCOMPARE(text.outputTokens, 3);
    const auto& finished = std::get<AnswerFinished>(events[4]);
    QCOMPARE(finished.id, RequestId{7});
    QCOMPARE(finished.report.finish, FinishReason::kLength);
    QCOMPARE(finished.report.tokens, (QList<qint32>{1, 2, 3}));
    QCOMPARE(finished.report.outputTokens, 3);
    QCOMPARE(finished.report.totalMs, 120.0);
    QCOMPARE(finished.report.tokensPerSecond, 100.0);
    QCOMPARE(finished.report.prompt.promptTokens, 40);

    QVERIFY(outbox.take().empty());
    other.take(tokenEvent("y", 9, 2));
    QCOMPARE(woken, 2);
  }

  void emptyAnswer_startsBeforeItFinishes() {
    Outbox outbox([] {});
    RequestEvent event;
    event.finish = FinishReason::kEnd;
    event.usage.prompt_tokens = 3;
    QVERIFY(AnswerStream(1, outbox).take(event));
    const auto events = outbox.take();
    QCOMPARE(events.size(), size_t{2});
    QVERIFY(std::holds_alternative<AnswerStarted>(events[0]));
    QVERIFY(std::get<AnswerFinished>(events[1]).report.tokens.isEmpty());
  }

  void refusedRequest_finishesWithoutStarting() {
    Outbox outbox([] {});
    AnswerStream(1, outbox).end(FinishReason::kFailed, "Too long.");
    const auto events = outbox.take();
    QCOMPARE(events.size(), size_t{1});
    QCOMPARE(std::get<AnswerFinished>(events[0]).report.error, QString("Too long."));
  }

  void meter_reportsTwiceASecond() {
    ThroughputMeter meter;
    const ThroughputMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.add(0, start + 400ms));
    QCOMPARE(meter.add(10, start + 500ms), std::optional(20.0));
    QVERIFY(!meter.add(1, start + 900ms));
    QCOMPARE(meter.add(1, start + 1500ms), std::optional(2.0));
    QVERIFY(!meter.finish(start + 1600ms));  // Its rate is known.
  }

  void meter_reportsSoon_whenTokensCome() {
    ThroughputMeter meter;
    const ThroughputMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.add(1, start + 50ms));
    QCOMPARE(meter.add(4, start + 100ms), std::optional(50.0));
    QVERIFY(!meter.add(5, start + 300ms));
    QCOMPARE(meter.add(5, start + 600ms), std::optional(20.0));
  }

  void meter_ofWorkThatWasSoonOver_hasARate() {
    ThroughputMeter meter;
    const ThroughputMeter::Clock::time_point start(10s);
    meter.restart(start);
    QVERIFY(!meter.add(3, start + 50ms));
    QCOMPARE(meter.finish(start + 60ms), std::optional(50.0));
    QVERIFY(!meter.finish(start + 70ms));  // Nothing was done since.
  }
};

QTEST_APPLESS_MAIN(TestAnswerStream)
#include "tst_answer_stream.moc"
