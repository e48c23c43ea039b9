#include "app/store/transfer/markdown_reader.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QtEndian>

#include <utility>

#include "app/store/transfer/markdown_lines.h"

namespace quire {
namespace {

constexpr qsizetype kMaxMessages = 1'000'000;
const QString kYou = QStringLiteral("## You");
const QString kAttached = QStringLiteral("Attached: ");

/// The file has a chat's day and no times, by which chats and messages are known again. Each chat
/// gets a moment of that day made of all that it says: the same one comes in once, and two that
/// only begin alike are two.
void giveTimes(ChatBundle& bundle) {
  constexpr quint32 kMoments = 8'000'000;  // Milliseconds: some hours, to stay within the day.
  QCryptographicHash hash(QCryptographicHash::Sha256);
  hash.addData(bundle.chat.title.toUtf8());
  for (const BundledMessage& bundled : bundle.messages) {
    const MessageRecord& message = bundled.message;
    hash.addData(message.role == MessageRole::User ? "\n0" : "\n1");
    hash.addData(message.text().toUtf8());
    for (const AttachmentRecord& file : message.attachments()) hash.addData(file.text.toUtf8());
  }
  ChatRecord& chat = bundle.chat;
  chat.createdMs += qFromBigEndian<quint32>(hash.result().constData()) % kMoments;
  chat.activeMs = chat.createdMs;
  for (BundledMessage& bundled : bundle.messages) {
    bundled.message.createdMs = chat.createdMs + bundled.message.id;
    chat.activeMs = bundled.message.createdMs;
  }
}

/// Line by line: a chat's title and date, then its messages.
class MarkdownReader {
 public:
  QList<ChatBundle> read(const QStringList& lines) {
    for (m_line = 0; m_line < lines.size(); ++m_line) take(lines);
    endMessage();
    for (ChatBundle& bundle : m_chats) giveTimes(bundle);
    return m_chats;
  }

 private:
  void take(const QStringList& lines) {
    const QString& line = lines[m_line];
    const bool isOutside = m_fences.isOutside(line);
    if (isOutside && isChatHeading(lines, m_line)) return beginChat(lines);
    if (m_chats.isEmpty()) return;
    if (isOutside && isMessageHeading(line)) return beginMessage(line);
    if (m_inMessage) m_text += (isOutside ? withoutMark(lines, m_line) : line) + u'\n';
  }

  void beginChat(const QStringList& lines) {
    endMessage();
    ChatBundle bundle;
    bundle.chat.id = m_chats.size() + 1;
    bundle.chat.title = lines[m_line].mid(2).trimmed();
    bundle.chat.titleIsAutomatic = false;
    bundle.chat.color = static_cast<int>(m_chats.size() % 4);
    bundle.chat.createdMs =
        QDate::fromString(lines[m_line + 2], Qt::ISODate).startOfDay(Qt::UTC).toMSecsSinceEpoch();
    m_chats.append(bundle);
    m_line += 2;
  }

  void beginMessage(const QString& heading) {
    endMessage();
    ChatBundle& bundle = m_chats.last();
    if (bundle.messages.size() >= kMaxMessages) return;
    MessageRecord message;
    message.id = bundle.messages.size() + 1;
    message.parentId = bundle.messages.isEmpty() ? 0 : bundle.messages.last().message.id;
    message.role = heading == kYou ? MessageRole::User : MessageRole::Assistant;
    const qsizetype open = heading.indexOf(u'(');
    if (open > 0 && heading.endsWith(u')')) message.modelName = heading.mid(open + 1).chopped(1);
    bundle.messages.append({message, {}});
    bundle.chat.headMessageId = message.id;
    m_inMessage = true;
    m_text.clear();
  }

  void endMessage() {
    if (!std::exchange(m_inMessage, false)) return;
    BundledMessage& bundled = m_chats.last().messages.last();
    QString text = m_text.trimmed();
    QList<AttachmentRecord> files;
    while (bundled.message.role == MessageRole::User && takeFile(text, files)) {
    }
    bundled.message.setText(text);
    bundled.message.setAttachments(files);
  }

  /// "Attached: name", an empty line, the text in a fence of its own.
  static bool takeFile(QString& text, QList<AttachmentRecord>& files) {
    if (!text.startsWith(kAttached)) return false;
    const qsizetype nameEnd = text.indexOf(QLatin1String("\n\n```"));
    const qsizetype fenceEnd = nameEnd < 0 ? -1 : text.indexOf(u'\n', nameEnd + 2);
    if (fenceEnd < 0) return false;
    const QString fence = text.mid(nameEnd + 2, fenceEnd - nameEnd - 2);
    const qsizetype end = text.indexOf(u'\n' + fence, fenceEnd);
    if (end < 0) return false;
    AttachmentRecord file;
    file.name = text.mid(kAttached.size(), nameEnd - kAttached.size());
    file.mediaType = QStringLiteral("text/plain");
    file.text = text.mid(fenceEnd + 1, end - fenceEnd - 1);
    file.bytes = file.text.toUtf8().size();
    files.append(file);
    text = text.mid(end + 1 + fence.size()).trimmed();
    return true;
  }

  QList<ChatBundle> m_chats;
  FenceWatch m_fences;
  qsizetype m_line = 0;
  bool m_inMessage = false;
  QString m_text;
};

}  // namespace

QList<ChatBundle> chatsFromMarkdown(const QString& text) {
  return MarkdownReader().read(text.split(u'\n'));
}

}  // namespace quire
