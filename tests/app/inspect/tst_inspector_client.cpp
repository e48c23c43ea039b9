#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "app/inspect/inspector_client.h"

using namespace quire;
using namespace std::chrono_literals;

/// The client with programs that answer, die and hang: shell scripts whose standard input is the
/// socket.
class InspectorClientTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void answers_comeOneByOne_fromOneProcess() {
    InspectorClient client(program("while read line; do echo \"$$ $line\" >&0; done"));
    const auto first = client.ask("a", 5s);
    const auto second = client.ask("b", 5s);
    QVERIFY(first && second);
    QVERIFY(first->ends_with(" a") && second->ends_with(" b"));
    QCOMPARE(first->substr(0, first->find(' ')), second->substr(0, second->find(' ')));
  }

  void missingProgram_isAnError() {
    InspectorClient client("/no/such/program");
    const auto answer = client.ask("a", 5s);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::kNotFound);
  }

  void deadProgram_isAnError_andStartedAgain() {
    InspectorClient client(program("read line; [ \"$line\" = die ] && kill -SEGV $$; echo ok >&0"));
    const auto died = client.ask("die", 5s);
    QVERIFY(!died);
    QCOMPARE(died.error().code, ErrorCode::kIo);
    const auto answer = client.ask("live", 5s);
    QVERIFY(answer);
    QCOMPARE(*answer, std::string("ok"));
  }

  /// Writing to it must not end this process with SIGPIPE.
  void programThatEndedBefore_isAnError() {
    InspectorClient client(program("read line; echo ok >&0; exit 0"));
    QVERIFY(client.ask("a", 5s));
    QTest::qWait(200);
    QVERIFY(!client.ask(std::string(1 << 20, 'x'), 5s));
  }

  void stuckProgram_doesNotBlock() {
    InspectorClient client(program("read line; kill -STOP $$; sleep 1000"));
    QElapsedTimer time;
    time.start();
    const auto answer = client.ask("a", 200ms);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::kUnsupported);
    QVERIFY2(time.elapsed() < 10'000, qPrintable(QString::number(time.elapsed())));
  }

  void cancellation_endsTheWait() {
    InspectorClient client(program("read line; sleep 1000"));
    std::stop_source source;
    const std::jthread stops([&] {
      std::this_thread::sleep_for(100ms);
      source.request_stop();
    });
    QElapsedTimer time;
    time.start();
    const auto answer = client.ask("a", 60s, source.get_token());
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::kCancelled);
    QVERIFY(time.elapsed() < 5'000);
  }

  void endlessAnswer_isAnError() {
    InspectorClient client(
        program("read line; while :; do echo -n xxxxxxxxxxxxxxxxxxxxx >&0; done"));
    QVERIFY(!client.ask("a", 20s));
  }

  void openFiles_areNotInherited() {
    const int file = ::open("/dev/null", O_RDONLY);  // Without O_CLOEXEC.
    InspectorClient client(program("read line; echo /proc/$$/fd/* >&0"));
    const auto answer = client.ask("a", 5s);
    ::close(file);
    QVERIFY(answer);
    QVERIFY2(answer->find("/fd/" + std::to_string(file) + " ") == std::string::npos &&
                 !answer->ends_with("/fd/" + std::to_string(file)),
             answer->c_str());
  }

 private:
  std::filesystem::path program(const QByteArray& script) const {
    QFile file(m_folder->filePath("program"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("No program.");
    file.write("#!/bin/bash\n" + script + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName().toStdString();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(InspectorClientTest)
#include "tst_inspector_client.moc"
