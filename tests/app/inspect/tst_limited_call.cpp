#include <QElapsedTimer>
#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "app/inspect/limited_call.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

std::string spin() {
  std::atomic<int> count = 0;
  while (count >= 0) count = 1 - count;
  return {};
}

ErrorCode codeOf(const Result<LimitedEnd>& end) {
  return end ? ErrorCode::kInternal : end.error().code;
}

}  // namespace

/// However reading a file ends, the process that asked for it gets a sentence in time.
class LimitedCallTest : public QObject {
  Q_OBJECT

 private slots:
  void answer_comesWithItsCost() {
    const std::string text(300'000, 'x');
    const auto end = limited_call(
        {}, 5s, [&] { return text; }, "a.gguf");
    QVERIFY(end);
    QCOMPARE(end->answer, text);
    QVERIFY(end->peak_bytes > 100'000);
  }

  void crash_isAnError() {
    const auto end = limited_call(
        {}, 5s,
        []() -> std::string {
          signal(SIGSEGV, SIG_DFL);
          raise(SIGSEGV);
          return {};
        },
        "a.gguf");
    QVERIFY(!end);
    QCOMPARE(end.error().code, ErrorCode::kCorruptFile);
    QVERIFY(end.error().message.find("a.gguf") != std::string::npos);
  }

  void memory_isLimited() {
    const auto end = limited_call(
        {.data_bytes = 64 << 20}, 5s,
        [] { return std::to_string(std::vector<char>(256 << 20, 'x').back()); }, "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kOutOfMemory);
  }

  void processorTime_isLimited() {
    QElapsedTimer time;
    time.start();
    QCOMPARE(codeOf(limited_call({.cpu = 1s}, 60s, spin, "a.gguf")), ErrorCode::kUnsupported);
    QVERIFY(time.elapsed() < 30'000);
  }

  void hang_endsAtTheDeadline() {
    QElapsedTimer time;
    time.start();
    const auto end = limited_call(
        {}, 200ms,
        [] {
          ::sleep(1000);
          return std::string();
        },
        "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kUnsupported);
    QVERIFY(time.elapsed() < 5'000);
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // Nothing is left behind.
  }

  void termination_isNobodysFault() {
    const auto end = limited_call(
        {}, 5s,
        []() -> std::string {
          signal(SIGTERM, SIG_DFL);
          raise(SIGTERM);
          return {};
        },
        "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kCancelled);
  }

  void write_isRefused() {
    const auto end = limited_call(
        {}, 5s,
        [] {
          char name[] = "/tmp/quire-limited-XXXXXX";
          const int file = ::mkstemp(name);
          const bool isWritten = ::write(file, "x", 1) == 1;
          ::unlink(name);
          return std::string(isWritten ? "written" : "refused");
        },
        "a.gguf");
    QVERIFY(end);
    QCOMPARE(end->answer, std::string("refused"));
  }

  void longAnswer_isAnError() {
    const auto end = limited_call(
        {}, 5s, [] { return std::string(4 << 20, 'x'); }, "a.gguf");
    QVERIFY(!end);
  }
};

QTEST_GUILESS_MAIN(LimitedCallTest)
#include "tst_limited_call.moc"
