#include "app/store/transfer/markdown.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QHash>
#include <QStringList>
#include <QtEndian>

#include <utility>

#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr qsizetype kMaxMessages = 1'000'000;
const QString kYou = QStringLiteral("## You");
const QString kAttached = QStringLiteral("Attached: ");

/// Finds the lines inside code fences, where no heading begins.
class FenceWatch {
 public:
  /// Whether the next line is neither inside a fence nor a fence itself.
  bool isOutside(QStringView line) {
    qsizetype run = 0;
    while (run < line.size() && line[run] == u'`') ++run;
    if (m_open == 0) {
      // A line with another backtick is inline code.
      if (run < 3 || line.mid(run).contains(u'`')) return true;
      m_open = run;
    } else if (run >= m_open && line.mid(run).trimmed().isEmpty()) {
      m_open = 0;
    }
    return false;
  }
  /// The fence that closes the open one; empty if none is open.
  QString closing() const { return QString(m_open, u'`'); }

 private:
  qsizetype m_open = 0;  ///< The number of backticks of the open fence; 0: none.
};

/// "## You", "## Answer" or "## Answer (model)", with which a message begins.
bool isMessageHeading(QStringView line) {
  if (line == QLatin1String("## You") || line == QLatin1String("## Answer")) return true;
  return line.startsWith(QLatin1String("## Answer (")) && line.endsWith(u')');
}

/// "# Title", an empty line and a date, with which a chat begins.
bool isChatHeading(const QStringList& lines, qsizetype line) {
  if (line + 2 >= lines.size() || !lines[line].startsWith(QLatin1String("# "))) return false;
  return lines[line + 1].isEmpty() && QDate::fromString(lines[line + 2], Qt::ISODate).isValid();
}

QString withoutSlashes(const QString& line) {
  qsizetype slashes = 0;
  while (slashes < line.size() && line[slashes] == u'\\') ++slashes;
  return line.mid(slashes);
}

/// Whether the line is a heading as above, or one after backslashes.
bool isMarkable(const QStringList& lines, qsizetype line) {
  const QString bare = withoutSlashes(lines[line]);
  if (isMessageHeading(bare)) return true;
  return bare.startsWith(QLatin1String("# ")) &&
         isChatHeading({bare, lines.value(line + 1), lines.value(line + 2)}, 0);
}

/// A message's text as it is exported: a line that looks like a heading as above gets a backslash,
/// which Markdown does not show, and an open fence is closed.
QString toExportedText(const QString& text) {
  const QStringList lines = text.split(u'\n');
  QStringList written;
  FenceWatch fences;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const bool isOutside = fences.isOutside(lines[i]);
    written.append(isOutside && isMarkable(lines, i) ? u'\\' + lines[i] : lines[i]);
  }
  if (!fences.closing().isEmpty()) written.append(fences.closing());
  return written.join(u'\n');
}

/// The line without the backslash that the export added.
QString withoutMark(const QStringList& lines, qsizetype line) {
  const bool isMarked = lines[line].startsWith(u'\\') && isMarkable(lines, line);
  return isMarked ? lines[line].mid(1) : lines[line];
}

QString roleHeading(const MessageRecord& message) {
  if (message.role == MessageRole::User) return QStringLiteral("## You");
  if (message.modelName.isEmpty()) return QStringLiteral("## Answer");
  return QStringLiteral("## Answer (%1)").arg(message.modelName);
}

/// A fence that the text does not contain.
QString fenceFor(const QString& text) {
  QString fence = QStringLiteral("```");
  while (text.contains(fence)) fence += u'`';
  return fence;
}

QString markdownOf(const BundledMessage& bundled) {
  QString text = roleHeading(bundled.message) + QStringLiteral("\n\n");
  for (const AttachmentRecord& file : bundled.message.attachments()) {
    const QString fence = fenceFor(file.text);
    text += QStringLiteral("Attached: %1\n\n%2\n%3\n%2\n\n")
                .arg(QString(file.name).replace(u'\n', u' '), fence, file.text);
  }
  text += toExportedText(bundled.message.text());
  if (!bundled.message.error.isEmpty()) {
    text += QStringLiteral("\n\n*%1*").arg(bundled.message.error);
  }
  return text + QStringLiteral("\n\n");
}

/// Gives times to a chat, of which the file has only the day. The time of day is a hash of the
/// whole chat, so that an equal chat is recognised, and a chat that only begins alike is not.
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

/// Reads chats line by line: the title and date of each, then its messages.
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
    bundle.chat.title = visibleString(lines[m_line].mid(2).trimmed());
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

  /// Reads "Attached: name", an empty line and the file's text in a fence.
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

QString toMarkdown(const ChatBundle& bundle) {
  QHash<RecordId, const BundledMessage*> byId;
  for (const BundledMessage& message : bundle.messages) byId.insert(message.message.id, &message);
  QList<const BundledMessage*> path;
  RecordId id = bundle.chat.headMessageId;
  while (const BundledMessage* message = byId.take(id)) {  // take() excludes cycles.
    path.prepend(message);
    id = message->message.parentId;
  }
  const QString date =
      QDateTime::fromMSecsSinceEpoch(bundle.chat.createdMs).toString(Qt::ISODate).left(10);
  QString text =
      QStringLiteral("# %1\n\n%2\n\n").arg(QString(bundle.chat.title).replace(u'\n', u' '), date);
  for (const BundledMessage* message : path) text += markdownOf(*message);
  return text;
}

QList<ChatBundle> chatsFromMarkdown(const QString& text) {
  return MarkdownReader().read(text.split(u'\n'));
}

}  // namespace quire
