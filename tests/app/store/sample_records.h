#pragma once

#include <QFile>

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::samples {

/// A connection to the file as another program has one. Makes the file if it is missing.
inline std::unique_ptr<Database> openAnyFile(const QString& path) {
  if (!QFile(path).open(QIODevice::ReadWrite)) qFatal("cannot make the file");
  auto opened = Database::open(path.toStdU16String(), {.errorOf = [](int, const std::string& why) {
                                 return Error{ErrorCode::kIo, why};
                               }});
  return std::move(*opened);
}

/// Runs a script, a statement after another.
inline Result<void> runScript(const QString& databasePath, const QString& scriptPath) {
  QFile script(scriptPath);
  if (!script.open(QIODevice::ReadOnly)) return Error{ErrorCode::kIo, "the script is not there"};
  return openAnyFile(databasePath)->exec(script.readAll().toStdString());
}

inline PersonaRecord persona(RecordId id) {
  PersonaRecord record;
  record.id = id;
  record.name = QStringLiteral("Lektorin");
  record.systemPrompt = QStringLiteral("You edit texts: \"precise\", friendly; 精确.");
  record.color = 2;
  record.icon = QStringLiteral("pen");
  record.description = QStringLiteral("Reads along.");
  record.settings.temperature = 0.25;
  record.settings.stop = {QStringLiteral("###"), QStringLiteral("끝")};
  record.presetId = QStringLiteral("editor");
  record.createdMs = 1'700'000'000'123;
  return record;
}

inline ChatRecord chat(RecordId id, RecordId head = 0) {
  ChatRecord record;
  record.id = id;
  record.title = QStringLiteral("Chat %1 ✓").arg(id);
  record.titleIsAutomatic = false;
  record.headMessageId = head;
  record.color = 1;
  record.draft = QStringLiteral("half a thou");
  record.createdMs = 1'700'000'000'000 + id % 1'000'000;
  record.activeMs = 1'700'000'100'000 + id % 1'000'000;
  record.pinned = true;
  record.unread = true;
  record.forkedFrom = 4711;
  record.modelPath = QStringLiteral("/models/모델.gguf");
  record.settings.seed = 0xfedcba9876543210u;
  return record;
}

inline MessageRecord question(RecordId id, RecordId chatId, RecordId parentId = 0) {
  MessageRecord record;
  record.id = id;
  record.chatId = chatId;
  record.parentId = parentId;
  record.setText(QStringLiteral("Question %1").arg(id));
  record.createdMs = 1'700'000'000'000 + id % 1'000'000;
  return record;
}

/// An answer as it is when inference on it begins.
inline MessageRecord emptyAnswer(RecordId id, RecordId chatId, RecordId parentId = 0) {
  MessageRecord record;
  record.id = id;
  record.chatId = chatId;
  record.parentId = parentId;
  record.role = MessageRole::Assistant;
  record.status = MessageStatus::Streaming;
  record.createdMs = 1'700'000'000'000 + id % 1'000'000;
  return record;
}

inline MessageRecord finishedAnswer(RecordId id, RecordId chatId, RecordId parentId = 0) {
  MessageRecord record = emptyAnswer(id, chatId, parentId);
  record.status = MessageStatus::Complete;
  record.setText(QStringLiteral("Answer %1: 答え 🎈").arg(id));
  record.tokens = {0, 1, 255, 256, 65536, 0x7fffffff};
  record.modelName = QStringLiteral("quire-mini");
  record.modelFingerprint = QStringLiteral("abc123");
  record.seed = 0xfedcba9876543210u;
  record.temperature = 0.7;
  record.promptTokens = 120;
  record.cachedTokens = 112;
  record.outputTokens = 6;
  record.firstTokenMs = 12.5;
  record.totalMs = 99.75;
  record.thinkingMs = 33.5;
  record.diskTokens = 64;
  record.reusedTokens = 48;
  record.draftedTokens = 41;
  record.acceptedTokens = 30;
  return record;
}

inline AttachmentRecord attachment(int number) {
  AttachmentRecord record;
  record.name = QStringLiteral("표 %1.csv").arg(number);
  record.mediaType = QStringLiteral("text/csv");
  record.bytes = 5'000'000'000 + number;
  record.text = QStringLiteral("a,b\n1,2\n");
  record.tokens = 9;
  return record;
}

inline MessageRecord questionWith(RecordId id, RecordId chatId,
                                  const QList<AttachmentRecord>& files) {
  MessageRecord record = question(id, chatId);
  record.setAttachments(files);
  return record;
}

}  // namespace quire::samples
