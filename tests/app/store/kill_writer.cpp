// Writes turns and checkpoints for ever and prints each one when it is committed, for tst_kill to
// kill it and to hold it to its word (kill_harness.h):
//   turn CHAT QUESTION ANSWER | checkpoint CHAT ANSWER LENGTH | finish CHAT ANSWER LENGTH
//   draft CHAT LENGTH | folder ID POSITION | import all CHATS | backup FILE ROUND
// An answer's text is its id in decimal, repeated; LENGTH counts its characters. Drafts only grow,
// folders only move on. Beside the writer, a thread imports, makes backups and tends the index.

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QRandomGenerator>

#include <unistd.h>
#include <array>
#include <cstdio>
#include <thread>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "app/store/id_source.h"
#include "app/store/schema.h"
#include "app/store/store_writer.h"
#include "app/store/transfer/transfer.h"

using namespace quire;

namespace {

constexpr int kChats = 4;
constexpr int kCheckpointsPerAnswer = 5;

struct LiveChat {
  ChatRecord record;
  MessageRecord answer;
  FolderRecord folder;
  int checkpoints = 0;
};

/// One write: a kill leaves whole lines or none.
void say(const QByteArray& line) {
  if (write(STDOUT_FILENO, line.constData(), static_cast<size_t>(line.size())) < 0) std::_Exit(1);
}

template <typename T>
void require(const Result<T>& result) {
  if (result) return;
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::_Exit(1);
}

/// What other threads of the program do to the store meanwhile, for ever.
class Chores {
 public:
  Chores(const QString& folder, IdSource& ids) : m_folder(folder), m_ids(ids) {}

  void run() {
    require(m_store = ConversationStore::open(m_folder, /*recover=*/false));
    startIndexAgain();
    for (int i = 1;; ++i) {
      importOne();
      maintain();
      if (i % 3 == 1) backUp();
      if (i % 5 == 0) removeOne();
    }
  }

 private:
  static bool goOn(qint64, qint64) { return true; }

  void startIndexAgain() {
    const auto database = openStore(m_folder);
    require(database);
    require((*database)->transaction([&]() -> Result<void> {
      for (const char* statement : searchIndexStatements()) {
        if (auto done = (*database)->exec(statement); !done) return done;
      }
      return {};
    }));
  }

  void importOne() {
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const QString path = m_folder + QStringLiteral("/in.json");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) std::_Exit(1);
    file.write(QStringLiteral(R"({"format":"quire-export","version":1,"chats":[{"id":1,"title":)"
                              R"("imported","head":3,"created_ms":%1,"messages":[)"
                              R"({"id":2,"text":"one %1","created_ms":%1},)"
                              R"({"id":3,"parent":2,"text":"two 한국어","created_ms":%1}]}]})")
                   .arg(now)
                   .toUtf8());
    file.close();
    const auto report = importJson(m_folder, path, m_ids, goOn);
    require(report);
    m_imported += report->chatsAdded;
    say("import all " + QByteArray::number(m_imported) + '\n');
  }

  void maintain() {
    for (int slice = 0; slice < 5; ++slice) require((*m_store)->maintain());
  }

  /// Each on the day after the newest one, so that there is always one to make, and old ones to
  /// remove. The newest two survive another round.
  void backUp() {
    const auto known = listBackups(m_folder, /*count=*/false);
    const auto newest = known.isEmpty() ? QDateTime::currentDateTime() : known.first().made;
    const auto made = backUpDaily(m_folder, {.days = 3, .weeks = 1}, newest.addDays(1));
    require(made);
    if (!*made) std::_Exit(1);
    say("backup " + QFile::encodeName(QFileInfo(**made).fileName()) + ' ' +
        QByteArray::number(++m_backups) + '\n');
  }

  void removeOne() {
    ChatRecord chat;
    chat.id = m_ids.next();
    require((*m_store)->putChat(chat));
    require((*m_store)->removeChat(chat.id));
  }

  const QString m_folder;
  IdSource& m_ids;
  Result<std::unique_ptr<ConversationStore>> m_store = Error{};
  int m_imported = 0;
  int m_backups = 0;
};

class EndlessWriter {
 public:
  EndlessWriter(const QString& folder, RecordId highest)
      : m_ids(highest), m_chores(folder, m_ids), m_writer(folder) {
    QObject::connect(&m_writer, &StoreWriter::committed, &m_writer,
                     [this](quint64 ticket) { report(ticket); });
    QObject::connect(&m_writer, &StoreWriter::failed, &m_writer,
                     [](quint64, const QString& sentence) {
                       std::fprintf(stderr, "%s\n", qPrintable(sentence));
                       std::_Exit(1);
                     });
    for (LiveChat& chat : m_chats) {
      chat.record.id = m_ids.next();
      chat.folder.id = m_ids.next();
      beginTurn(chat);
    }
    std::thread([this] { m_chores.run(); }).detach();  // It ends with the program: killed.
  }

 private:
  struct Promise {
    QByteArray line;
    LiveChat* chat;
  };

  void beginTurn(LiveChat& chat) {
    MessageRecord question;
    question.id = m_ids.next();
    question.chatId = chat.record.id;
    question.parentId = chat.answer.id;
    question.setText(QStringLiteral("question"));
    chat.answer = MessageRecord();
    chat.answer.id = m_ids.next();
    chat.answer.chatId = chat.record.id;
    chat.answer.parentId = question.id;
    chat.answer.role = MessageRole::Assistant;
    chat.answer.status = MessageStatus::Streaming;
    chat.record.headMessageId = chat.answer.id;
    chat.checkpoints = 0;
    expect(m_writer.beginTurn(chat.record, question, chat.answer), chat, "turn %lld %lld %lld\n",
           question.id, chat.answer.id);
  }

  void keepDraftAndFolder(LiveChat& chat) {
    chat.record.draft += u'd';
    m_lines.insert(m_writer.putChat(chat.record),
                   QByteArray(QString::asprintf("draft %lld %lld\n", chat.record.id,
                                                static_cast<qint64>(chat.record.draft.size()))
                                  .toLatin1()));
    ++chat.folder.position;
    m_lines.insert(
        m_writer.write(&ConversationStore::putFolder, chat.folder),
        QByteArray(QString::asprintf("folder %lld %d\n", chat.folder.id, chat.folder.position)
                       .toLatin1()));
  }

  void goOn(LiveChat& chat) {
    if (chat.checkpoints == 2) keepDraftAndFolder(chat);
    if (chat.answer.status != MessageStatus::Streaming) return beginTurn(chat);
    chat.answer.appendText(QString::number(chat.answer.id).repeated(chat.checkpoints * 40 + 1));
    chat.answer.tokens.append(static_cast<qint32>(chat.answer.id));
    if (++chat.checkpoints <= kCheckpointsPerAnswer) {
      const auto ticket =
          m_writer.checkpointAnswer(chat.answer.id, chat.answer.text(), chat.answer.tokens);
      expect(ticket, chat, "checkpoint %lld %lld %lld\n", chat.answer.id,
             chat.answer.text().size());
    } else {
      chat.answer.status = MessageStatus::Complete;
      expect(m_writer.finishAnswer(chat.answer), chat, "finish %lld %lld %lld\n", chat.answer.id,
             chat.answer.text().size());
    }
  }

  void expect(StoreWriter::Ticket ticket, LiveChat& chat, const char* format, qint64 a, qint64 b) {
    m_promises.insert(
        ticket, {QByteArray(QString::asprintf(format, chat.record.id, a, b).toLatin1()), &chat});
  }

  void report(quint64 ticket) {
    if (m_lines.contains(ticket)) return say(m_lines.take(ticket));
    const Promise promise = m_promises.take(ticket);
    say(promise.line);
    goOn(*promise.chat);
  }

  IdSource m_ids;
  Chores m_chores;
  QHash<quint64, QByteArray> m_lines;
  std::array<LiveChat, kChats> m_chats;
  QHash<quint64, Promise> m_promises;
  StoreWriter m_writer;  ///< Last: gone first, with its signals.
};

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const QString folder = QString::fromLocal8Bit(argv[argc - 1]);
  RecordId highest = 0;
  {
    const auto store = ConversationStore::open(folder);
    if (!store) {
      std::fprintf(stderr, "%s\n", store.error().message.c_str());
      return 1;
    }
    highest = (*store)->highestId().value();
  }
  const EndlessWriter writer(folder, highest);
  return QCoreApplication::exec();
}
