#include "tests/app/store/kill_harness.h"

#include <QElapsedTimer>
#include <QProcess>

namespace quire::kill {
namespace {

constexpr int kStartTimeoutMs = 60'000;

bool readOther(const QList<QByteArray>& words, OtherPromises* others) {
  if (others == nullptr || words.size() != 3) return false;
  (*others)[words[0] + ' ' + words[1]] = words[2].toLongLong();
  return true;
}

bool readLine(const QByteArray& line, Promises& promises, OtherPromises* others) {
  const auto words = line.split(' ');
  if (words.size() == 3) return readOther(words, others);
  if (words.size() != 4) return false;
  auto& chat = promises[words[1].toLongLong()];
  if (words[0] == "turn") {
    chat[words[3].toLongLong()].question = words[2].toLongLong();
    return true;
  }
  Promised& answer = chat[words[2].toLongLong()];
  answer.length = words[3].toLongLong();
  answer.finished = words[0] == "finish";
  return answer.finished || words[0] == "checkpoint";
}

/// False if the program ended by itself.
bool waitForMoment(QProcess& program, int afterMs, bool fromStart) {
  if (!fromStart && !program.waitForReadyRead(kStartTimeoutMs)) return false;
  QElapsedTimer timer;
  timer.start();
  while (program.state() == QProcess::Running && timer.elapsed() < afterMs) {
    program.waitForReadyRead(static_cast<int>(qMax<qint64>(1, afterMs - timer.elapsed())));
  }
  return program.state() == QProcess::Running;
}

QString verifyChat(const QList<MessageRecord>& messages,
                   const QHash<RecordId, Promised>& promised) {
  QHash<RecordId, MessageRecord> byId;
  for (const auto& message : messages) byId.insert(message.id, message);
  for (auto it = promised.begin(); it != promised.end(); ++it) {
    const QString name = QStringLiteral("answer %1").arg(it.key());
    if (!byId.contains(it.value().question)) return name + ": its question is lost";
    if (!byId.contains(it.key())) return name + " is lost";
    const MessageRecord& answer = byId[it.key()];
    if (answer.parentId != it.value().question) return name + " has another parent";
    // A later write may be on disk too: the kill came before it was reported.
    if (answer.text().size() < it.value().length) return name + " lost text";
    const bool complete = answer.status == MessageStatus::Complete;
    if (it.value().finished && !complete) return name + " is finished no more";
    if (!complete && answer.status != MessageStatus::Interrupted)
      return name + " has a wrong status";
  }
  return {};
}

}  // namespace

QString runAndKill(const QString& program, const QString& folder, int afterMs, bool fromStart,
                   Promises& promises, OtherPromises* others) {
  QProcess process;
  process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  process.start(program, {folder});
  if (!process.waitForStarted()) return program + " does not start";
  if (!waitForMoment(process, afterMs, fromStart)) return program + " ended by itself";
  process.kill();
  if (!process.waitForFinished()) return program + " cannot be killed";
  const auto lines = process.readAllStandardOutput().split('\n');
  for (const QByteArray& line : lines) {
    if (!line.isEmpty() && !readLine(line, promises, others)) return "cannot read the line " + line;
  }
  return {};
}

QString verify(const QString& folder, const Promises& promises,
               const std::function<QString(const MessageRecord&)>& checkAnswer) {
  auto opened = ConversationStore::open(folder);
  if (!opened) return QString::fromStdString(opened.error().message);
  const auto& store = *opened;
  if (const QString damage = store->integrityCheck().value(); !damage.isEmpty()) return damage;
  QHash<RecordId, QList<MessageRecord>> chats;
  const auto chatRecords = store->chats().value();
  for (const auto& chat : chatRecords) chats.insert(chat.id, store->messages(chat.id).value());
  for (auto chat = promises.begin(); chat != promises.end(); ++chat) {
    if (!chats.contains(chat.key())) return QStringLiteral("chat %1 is lost").arg(chat.key());
    const QString lost = verifyChat(chats[chat.key()], chat.value());
    if (!lost.isEmpty()) return lost;
  }
  for (const auto& messages : qAsConst(chats)) {
    for (const auto& message : messages) {
      if (message.status == MessageStatus::Streaming) return QStringLiteral("something streams");
      if (message.role != MessageRole::Assistant) continue;
      if (const QString wrong = checkAnswer(message); !wrong.isEmpty()) return wrong;
    }
  }
  return {};
}

int countAnswers(const Promises& promises) {
  int count = 0;
  for (const auto& chat : promises) count += static_cast<int>(chat.size());
  return count;
}

QRandomGenerator makeRandom() {
  quint32 seed = QRandomGenerator::system()->generate();
  if (qEnvironmentVariableIsSet("QUIRE_TEST_SEED")) {
    seed = qEnvironmentVariable("QUIRE_TEST_SEED").toUInt();
  }
  qInfo("seed %u (QUIRE_TEST_SEED repeats it)", seed);
  return QRandomGenerator(seed);
}

int numKills(int few, int many) {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? many : few;
}

}  // namespace quire::kill
