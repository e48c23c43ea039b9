#include "app/panes/pane_titles.h"

#include <QHash>

#include "app/chat/chat_model.h"

namespace quire {
namespace {

constexpr int kMaxQuestion = 24;

/// What distinguishes a chat from others with the same question.
QString labelOf(const ChatModel& chat) {
  if (chat.personaId() != 0) return chat.personaName();
  return chat.hasOwnModel() ? chat.ownModelName() : QString();
}

}  // namespace

QStringList numberedLabels(const QStringList& labels) {
  QHash<QString, int> numbers;
  QStringList numbered;
  for (const QString& label : labels) {
    if (labels.count(label) == 1) {
      numbered.append(label);
      continue;
    }
    const int number = ++numbers[label];
    numbered.append(QStringLiteral("%1 %2").arg(label).arg(number).trimmed());
  }
  return numbered;
}

void titleApart(const QList<ChatModel*>& chats, const QString& text,
                const QList<AttachmentRecord>& files) {
  QList<ChatModel*> untitled = chats;
  untitled.removeIf([](const ChatModel* chat) { return !chat->awaitsTitle(); });
  if (untitled.size() < 2) return;
  QStringList labels;
  for (const ChatModel* chat : untitled) labels.append(labelOf(*chat));
  const QStringList numbered = numberedLabels(labels);
  const QString question = titleFromMessage(text, files, kMaxQuestion);
  for (qsizetype i = 0; i < untitled.size(); ++i) {
    const QString& label = numbered[i];
    untitled[i]->setAutomaticTitle(
        label.isEmpty() ? question : QStringLiteral("%1 · %2").arg(question, label));
  }
}

}  // namespace quire
