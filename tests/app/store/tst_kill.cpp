#include <QElapsedTimer>
#include <QHash>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

#include "app/store/conversation_store.h"

using namespace quire;

namespace {

/// What the writer said was on disk, for one answer.
struct Promised {
  RecordId question = 0;
  qint64 length = 0;
  bool finished = false;
};

/// By chat, then by answer.
using Promises = QHash<RecordId, QHash<RecordId, Promised>>;

void readLine(const QByteArray& line, Promises& promises) {
  const auto words = line.split(' ');
  QCOMPARE(words.size(), 4);
  auto& chat = promises[words[1].toLongLong()];
  if (words[0] == "turn") {
    chat[words[3].toLongLong()].question = words[2].toLongLong();
    return;
  }
  Promised& answer = chat[words[2].toLongLong()];
  answer.length = words[3].toLongLong();
  answer.finished = words[0] == "finish";
}

}  // namespace

/// Promise 4: what was reported as committed survives a kill at any moment.
class TestKill : public QObject {
  Q_OBJECT

 private slots:
  void kill_losesNothingThatWasCommitted() {
    const bool longRun = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    const int kills = longRun ? 1000 : 50;
    quint32 seed = QRandomGenerator::system()->generate();
    if (qEnvironmentVariableIsSet("QUIRE_TEST_SEED")) {
      seed = qEnvironmentVariable("QUIRE_TEST_SEED").toUInt();
    }
    qInfo("seed %u (QUIRE_TEST_SEED repeats it), %d kills", seed, kills);
    QRandomGenerator random(seed);

    std::unique_ptr<QTemporaryDir> folder;
    int lines = 0;
    for (int i = 0; i < kills; ++i) {
      if (i % 10 == 0) folder = std::make_unique<QTemporaryDir>();
      // Every tenth is also killed while it creates or opens the file.
      const int moment = i % 10 == 0 ? random.bounded(60) : 30 + random.bounded(250);
      Promises promises;
      runAndKill(folder->path(), moment, promises, lines);
      verify(folder->path(), promises);
      if (QTest::currentTestFailed()) qFatal("kill %d after %d ms", i, moment);
    }
    qInfo("%d committed writes checked", lines);
    QVERIFY(lines > kills);
  }

 private:
  static void runAndKill(const QString& folder, int afterMs, Promises& promises, int& lines) {
    QProcess writer;
    writer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    writer.start(QStringLiteral(KILL_WRITER), {folder});
    QVERIFY(writer.waitForStarted());
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < afterMs && writer.state() == QProcess::Running) {
      writer.waitForReadyRead(static_cast<int>(qMax<qint64>(1, afterMs - timer.elapsed())));
    }
    QCOMPARE(writer.state(), QProcess::Running);
    writer.kill();
    QVERIFY(writer.waitForFinished());
    const auto printed = writer.readAllStandardOutput().split('\n');
    for (const QByteArray& line : printed) {
      if (line.isEmpty()) continue;
      readLine(line, promises);
      ++lines;
    }
  }

  static void verify(const QString& folder, const Promises& promises) {
    auto opened = ConversationStore::open(folder);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    const auto& store = *opened;
    QCOMPARE(store->integrityCheck().value(), QString());
    QList<RecordId> chats;
    const auto chatRecords = store->chats().value();
    for (const auto& chat : chatRecords) chats.append(chat.id);
    for (auto chat = promises.begin(); chat != promises.end(); ++chat) {
      QVERIFY(chats.contains(chat.key()));
      verifyChat(store->messages(chat.key()).value(), chat.value());
    }
    for (const RecordId chat : qAsConst(chats)) {
      const auto messages = store->messages(chat).value();
      for (const auto& message : messages) {
        QVERIFY(message.status != MessageStatus::Streaming);
      }
    }
  }

  static void verifyChat(const QList<MessageRecord>& messages,
                         const QHash<RecordId, Promised>& promised) {
    QHash<RecordId, MessageRecord> byId;
    for (const auto& message : messages) byId.insert(message.id, message);
    for (auto it = promised.begin(); it != promised.end(); ++it) {
      QVERIFY(byId.contains(it.value().question));
      QVERIFY(byId.contains(it.key()));
      const MessageRecord& answer = byId[it.key()];
      QCOMPARE(answer.parentId, it.value().question);
      // A later write may be on disk too: the kill came before it was reported.
      QVERIFY(answer.text.size() >= it.value().length);
      const QString unit = QString::number(answer.id);
      QCOMPARE(answer.text, unit.repeated(answer.text.size() / unit.size()));
      if (it.value().finished) QCOMPARE(answer.status, MessageStatus::Complete);
      if (answer.status != MessageStatus::Complete) {
        QCOMPARE(answer.status, MessageStatus::Interrupted);
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
