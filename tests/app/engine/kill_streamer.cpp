// Streams answers of the model into the store for ever, four at a time, as the window does: a turn
// is on disk before it is submitted, its text is checkpointed while it grows. Prints each commit,
// for tst_kill_streaming to kill it and to hold it to its word (the lines are kill_harness.h's).
//
// The chat's color says which question was asked; the same question has the same seed.

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHash>

#include <unistd.h>
#include <array>
#include <cstdio>

#include "app/engine/engine_service.h"
#include "app/engine/window_sink.h"
#include "app/store/id_source.h"
#include "app/store/store_writer.h"

using namespace quire;

namespace {

constexpr std::array kQuestions = {"Tell me about the sea.", "What is a forest?",
                                   "Name some animals.", "How do I make tea?"};
constexpr int kCheckpointIntervalMs = 100;

struct Stream {
  int question = 0;
  ChatRecord chat;
  MessageRecord answer;
  quint64 turn = 0;  ///< The ticket.
  QElapsedTimer sinceCheckpoint;
};

class EndlessStreamer {
 public:
  EndlessStreamer(const QString& folder, RecordId highest, const EngineServiceOptions& options)
      : m_ids(highest), m_engine(options), m_writer(folder) {
    QObject::connect(&m_writer, &StoreWriter::committed, &m_writer,
                     [this](quint64 t) { onCommitted(t); });
    QObject::connect(&m_writer, &StoreWriter::failed, &m_writer,
                     [](quint64, const QString& sentence) { die(sentence); });
    for (size_t i = 0; i < m_streams.size(); ++i) {
      m_streams[i].question = static_cast<int>(i);
      begin(m_streams[i]);
    }
  }

 private:
  [[noreturn]] static void die(const QString& sentence) {
    std::fprintf(stderr, "%s\n", qPrintable(sentence));
    std::_Exit(1);
  }

  void begin(Stream& stream) {
    stream.chat = ChatRecord();
    stream.chat.id = m_ids.next();
    stream.chat.color = stream.question;
    MessageRecord question;
    question.id = m_ids.next();
    question.chatId = stream.chat.id;
    question.setText(QLatin1String(kQuestions[static_cast<size_t>(stream.question)]));
    stream.answer = MessageRecord();
    stream.answer.id = m_ids.next();
    stream.answer.chatId = stream.chat.id;
    stream.answer.parentId = question.id;
    stream.answer.role = MessageRole::Assistant;
    stream.answer.status = MessageStatus::Streaming;
    stream.answer.seed = static_cast<quint64>(stream.question);
    stream.chat.headMessageId = stream.answer.id;
    stream.turn = m_writer.beginTurn(stream.chat, question, stream.answer);
    expect(stream.turn, stream, "turn %lld %lld %lld\n", question.id, stream.answer.id);
  }

  void submit(Stream& stream) {
    ChatRequest request;
    request.turns = {{"user", QLatin1String(kQuestions[static_cast<size_t>(stream.question)]), {}}};
    request.sampling.seed = stream.answer.seed;
    request.sampling.max_tokens = 200;
    request.sampling.ignore_eos = true;
    m_engine.submit(
        request,
        WindowSink::make(
            &m_engine,
            {.textAppended = [&](const QString& text, int) { onText(stream, text); },
             .finished = [&](const AnswerReport& report) { onFinished(stream, report); }}));
    stream.sinceCheckpoint.start();
  }

  void onText(Stream& stream, const QString& text) {
    stream.answer.appendText(text);
    if (stream.sinceCheckpoint.elapsed() < kCheckpointIntervalMs) return;
    stream.sinceCheckpoint.start();
    const auto ticket = m_writer.checkpointAnswer(stream.answer.id, stream.answer.text(), {});
    expect(ticket, stream, "checkpoint %lld %lld %lld\n", stream.answer.id,
           stream.answer.text().size());
  }

  void onFinished(Stream& stream, const AnswerReport& report) {
    if (!report.error.isEmpty()) die(report.error);
    stream.answer.status = MessageStatus::Complete;
    stream.answer.tokens = report.tokens;
    expect(m_writer.finishAnswer(stream.answer), stream, "finish %lld %lld %lld\n",
           stream.answer.id, stream.answer.text().size());
    begin(stream);
  }

  void expect(quint64 ticket, const Stream& stream, const char* format, qint64 a, qint64 b) {
    m_lines.insert(ticket, QString::asprintf(format, stream.chat.id, a, b).toLatin1());
  }

  void onCommitted(quint64 ticket) {
    const QByteArray line = m_lines.take(ticket);
    if (write(STDOUT_FILENO, line.constData(), static_cast<size_t>(line.size())) < 0) std::_Exit(1);
    for (Stream& stream : m_streams) {
      if (stream.turn == ticket) submit(stream);
    }
  }

  IdSource m_ids;
  std::array<Stream, kQuestions.size()> m_streams;
  QHash<quint64, QByteArray> m_lines;
  EngineService m_engine;
  StoreWriter m_writer;
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
  EngineServiceOptions options;
  options.modelPath =
      qEnvironmentVariable("QUIRE_TEST_MODEL", QUIRE_SOURCE_DIR "/resources/models/quire-mini");
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  const EndlessStreamer streamer(folder, highest, options);
  return QCoreApplication::exec();
}
