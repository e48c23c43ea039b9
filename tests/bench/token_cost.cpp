#include "tests/bench/token_cost.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

#include "app/chat/timeline_model.h"
#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/ui/window_driver.h"

namespace quire {
namespace {

/// Of this thread: what others do on the machine is not counted.
double cpuUs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

MessageRecord message(RecordId id, RecordId parent, MessageRole role, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = parent;
  record.role = role;
  record.setText(text);
  return record;
}

void waitForFrame(QQuickWindow* window) {
  bool drawn = false;
  const auto once = QObject::connect(window, &QQuickWindow::frameSwapped, [&] { drawn = true; });
  QElapsedTimer clock;
  clock.start();
  while (!drawn && clock.elapsed() < 200) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  QObject::disconnect(once);
}

}  // namespace

QList<double> modelTokenCosts(const QString& kind) {
  constexpr int kWindow = 400;
  const QString text = benchText(kind, (kTokenSizes[2] + kWindow) * kTokenLetters);
  QList<double> costs;
  Conversation conversation;
  conversation.append(message(1, 0, MessageRole::User, "question"));
  MessageRecord answer = message(2, 1, MessageRole::Assistant, {});
  answer.status = MessageStatus::Streaming;
  conversation.append(answer);
  TimelineModel model(conversation);
  int at = 0;
  const auto feed = [&](int until) {
    for (; at < until; ++at) {
      const QStringView token = QStringView(text).mid(at * kTokenLetters, kTokenLetters);
      conversation.find(2)->appendText(token.toString());
      model.appendText(2, token);
    }
  };
  for (const int size : kTokenSizes) {
    feed(size - kWindow);
    const double begin = cpuUs();
    feed(size + kWindow);
    costs.append((cpuUs() - begin) / (2 * kWindow));
  }
  return costs;
}

QList<double> windowTokenCosts(const QString& kind) {
  // Samples all over a block: the longest that is open is 750 tokens of a paragraph.
  constexpr int kSample = 24;
  constexpr int kNumSamples = 5;
  constexpr int kSampleSpacing = 150;
  QTemporaryDir folder;
  FakeBackend backend;
  WindowDriver driver(backend, folder.path());
  driver.window()->resize(1440, 900);
  backend.queueAnswer(benchText(kind, (kTokenSizes[2] + 800) * kTokenLetters));
  driver.chat().composer()->sendText("question");
  if (!QTest::qWaitFor([&] { return backend.numRunning() == 1; })) qFatal("Nothing was asked.");
  QList<double> costs;
  int at = 0;
  const auto skipTo = [&](int token) {
    for (; at < token; at += kSample) {
      backend.charactersPerTick = kSample * kTokenLetters;
      backend.advance();
      if (at % 600 == 0) waitForFrame(driver.window());
    }
    QTest::qWait(100);
  };
  for (const int size : kTokenSizes) {
    double spent = 0.0;
    for (int sample = 0; sample < kNumSamples; ++sample) {
      skipTo(size + (sample - kNumSamples / 2) * kSampleSpacing);
      backend.charactersPerTick = kTokenLetters;
      const double begin = cpuUs();
      for (int i = 0; i < kSample; ++i, ++at) {
        backend.advance();
        waitForFrame(driver.window());
      }
      spent += cpuUs() - begin;
    }
    costs.append(spent / (kNumSamples * kSample));
  }
  return costs;
}

}  // namespace quire
