#include "app/store/recorded_answers.h"

#include <QHash>
#include <QStandardPaths>

#include <optional>

#include "app/store/conversation_store.h"

namespace quire {
namespace {

std::vector<int32_t> idsOf(const QList<qint32>& tokens) {
  return {tokens.begin(), tokens.end()};
}

/// As finish_reason_name (engine/request.h), which the store cannot call: it does not link the
/// engine.
std::string finishOf(AnswerEnd end) {
  switch (end) {
    case AnswerEnd::End:
      return "end";
    case AnswerEnd::Stop:
      return "stop";
    case AnswerEnd::Length:
      return "length";
    case AnswerEnd::Context:
    case AnswerEnd::CutOff:
      break;
  }
  return {};
}

bool hasFailed(const MessageRecord& message) {
  return message.status == MessageStatus::Failed && message.tokens.isEmpty();
}

std::string obstacleOf(const MessageRecord& message,
                       const Result<std::optional<OriginRecord>>& origin) {
  if (message.status == MessageStatus::Streaming) {
    return "It is still being written, or was cut off by a crash.";
  }
  if (hasFailed(message)) return "It failed: there is nothing to compare.";
  if (!origin) return origin.error().message;
  if (!*origin) {
    return "What it was made from is not known: it is from before Quire kept that, or it was cut "
           "off before its end.";
  }
  if (message.tokens.isEmpty() && finishOf((*origin)->end).empty()) {
    return "It was cut off before its first token.";
  }
  if (!(*origin)->adapterPath.isEmpty()) {
    return "It was made with the adapter " + (*origin)->adapterPath.toStdString() +
           ", which a replay does not load.";
  }
  return {};
}

Error notFound(const QString& sentence) {
  return {ErrorCode::kNotFound, sentence.toStdString()};
}

}  // namespace

struct RecordedAnswers::State {
  std::unique_ptr<ConversationStore> store;
  QHash<RecordId, QString> titles;
};

RecordedAnswers::RecordedAnswers(std::unique_ptr<State> state) : m_state(std::move(state)) {}

RecordedAnswers::~RecordedAnswers() = default;

Result<std::unique_ptr<RecordedAnswers>> RecordedAnswers::open(const std::string& folder) {
  auto state = std::make_unique<State>();
  auto store = ConversationStore::openForReading(QString::fromStdString(folder));
  if (!store) return store.error();
  const auto chats = (*store)->chats();
  if (!chats) return chats.error();
  for (const ChatRecord& chat : *chats) state->titles.insert(chat.id, chat.title);
  state->store = std::move(*store);
  return std::unique_ptr<RecordedAnswers>(new RecordedAnswers(std::move(state)));
}

Result<std::vector<int64_t>> RecordedAnswers::ids(int64_t chatId) const {
  if (chatId != 0 && !m_state->titles.contains(chatId)) {
    return notFound(QStringLiteral("There is no chat %1 in this folder.").arg(chatId));
  }
  const auto ids = m_state->store->answerIds(chatId);
  if (!ids) return ids.error();
  return std::vector<int64_t>(ids->begin(), ids->end());
}

Result<RecordedAnswer> RecordedAnswers::read(int64_t messageId) const {
  const auto message = m_state->store->message(messageId);
  if (!message) return message.error();
  if (!*message) {
    return notFound(QStringLiteral("There is no message %1 in this folder.").arg(messageId));
  }
  if ((*message)->role != MessageRole::Assistant) {
    return notFound(QStringLiteral("Message %1 is the user's, not an answer.").arg(messageId));
  }
  const auto origin = m_state->store->origin(messageId);
  RecordedAnswer answer{.messageId = messageId,
                        .chatId = (*message)->chatId,
                        .chatTitle = m_state->titles.value((*message)->chatId).toStdString(),
                        .text = (*message)->text().toStdString(),
                        .obstacle = obstacleOf(**message, origin),
                        .failed = hasFailed(**message),
                        .modelName = (*message)->modelName.toStdString(),
                        .modelFingerprint = (*message)->modelFingerprint.toStdString(),
                        .tokens = idsOf((*message)->tokens)};
  if (!answer.obstacle.empty()) return answer;
  answer.templateHash = (*origin)->templateHash.toStdString();
  answer.deviceName = (*origin)->deviceName.toStdString();
  answer.sampling = (*origin)->sampling;
  answer.prompt = idsOf((*origin)->promptTokens);
  answer.finish = finishOf((*origin)->end);
  return answer;
}

std::string defaultDataFolder() {
  // Equals QStandardPaths::AppDataLocation in the window's program, whose name is quire.
  return (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
          QStringLiteral("/quire"))
      .toStdString();
}

}  // namespace quire
