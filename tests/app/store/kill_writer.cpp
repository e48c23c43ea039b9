// Writes turns and checkpoints for ever and prints each one when it is committed, for tst_kill to
// kill it and to hold it to its word (kill_harness.h):
//   turn CHAT QUESTION ANSWER | checkpoint CHAT ANSWER LENGTH | finish CHAT ANSWER LENGTH
// An answer's text is its id in decimal, repeated; LENGTH counts its characters.

#include <QCoreApplication>
#include <QHash>

#include <unistd.h>
#include <array>
#include <cstdio>

#include "app/store/id_source.h"
#include "app/store/store_writer.h"

using namespace quire;

namespace {

constexpr int kChats = 4;
constexpr int kCheckpointsPerAnswer = 5;

struct LiveChat {
  ChatRecord record;
  MessageRecord answer;
  int checkpoints = 0;
};

class EndlessWriter {
 public:
  EndlessWriter(const QString& folder, RecordId highest) : m_ids(highest), m_writer(folder) {
    QObject::connect(&m_writer, &StoreWriter::committed, &m_writer,
                     [this](quint64 ticket) { report(ticket); });
    QObject::connect(&m_writer, &StoreWriter::failed, &m_writer,
                     [](quint64, const QString& sentence) {
                       std::fprintf(stderr, "%s\n", qPrintable(sentence));
                       std::_Exit(1);
                     });
    for (LiveChat& chat : m_chats) {
      chat.record.id = m_ids.next();
      beginTurn(chat);
    }
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
    question.text = QStringLiteral("question");
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

  void goOn(LiveChat& chat) {
    if (chat.answer.status != MessageStatus::Streaming) return beginTurn(chat);
    chat.answer.text += QString::number(chat.answer.id).repeated(chat.checkpoints * 40 + 1);
    chat.answer.tokens.append(static_cast<qint32>(chat.answer.id));
    if (++chat.checkpoints <= kCheckpointsPerAnswer) {
      const auto ticket =
          m_writer.checkpointAnswer(chat.answer.id, chat.answer.text, chat.answer.tokens);
      expect(ticket, chat, "checkpoint %lld %lld %lld\n", chat.answer.id, chat.answer.text.size());
    } else {
      chat.answer.status = MessageStatus::Complete;
      expect(m_writer.finishAnswer(chat.answer), chat, "finish %lld %lld %lld\n", chat.answer.id,
             chat.answer.text.size());
    }
  }

  void expect(StoreWriter::Ticket ticket, LiveChat& chat, const char* format, qint64 a, qint64 b) {
    m_promises.insert(
        ticket, {QByteArray(QString::asprintf(format, chat.record.id, a, b).toLatin1()), &chat});
  }

  void report(quint64 ticket) {
    const Promise promise = m_promises.take(ticket);
    // One write: a kill leaves whole lines or none.
    if (write(STDOUT_FILENO, promise.line.constData(), static_cast<size_t>(promise.line.size())) <
        0) {
      std::_Exit(1);
    }
    goOn(*promise.chat);
  }

  IdSource m_ids;
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
