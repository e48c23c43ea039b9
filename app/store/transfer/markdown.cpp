#include "app/store/transfer/markdown.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QHash>
#include <QStringView>
#include <QtEndian>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/store/name_limits.h"

namespace quire {
namespace {

constexpr qsizetype kMaxFilesOfText = 200;  ///< Of a message; what follows stays in its text.
constexpr qsizetype kLinesBetweenQuestions = 1024;
const QString kYou = QStringLiteral("## You");
const QString kAttached = QStringLiteral("Attached: ");

/// The lines of a text, one after another, without a list of them: a file may have millions.
class LineReader {
 public:
  explicit LineReader(QStringView text) : m_below(text) {}

  /// False after the last line. A text has one line more than it has line ends.
  bool next() {
    if (m_isLast) return false;
    const qsizetype end = m_below.indexOf(u'\n');
    m_isLast = end < 0;
    m_line = m_isLast ? m_below : m_below.first(end);
    m_below = m_isLast ? QStringView() : m_below.sliced(end + 1);
    return true;
  }
  QStringView line() const { return m_line; }
  QStringView below() const { return m_below; }  ///< The text after the line.
  bool isLast() const { return m_isLast; }

 private:
  QStringView m_line;
  QStringView m_below;
  bool m_isLast = false;
};

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

/// "# Title", an empty line and a date, with which a chat begins. `below`: the text after the line.
bool isChatHeading(QStringView line, QStringView below) {
  if (!line.startsWith(QLatin1String("# "))) return false;
  LineReader lines(below);
  lines.next();
  if (!lines.line().isEmpty()) return false;
  lines.next();
  return QDate::fromString(lines.line(), Qt::ISODate).isValid();
}

/// Whether the line is a heading as above, or one after backslashes.
bool isMarkable(QStringView line, QStringView below) {
  qsizetype slashes = 0;
  while (slashes < line.size() && line[slashes] == u'\\') ++slashes;
  const QStringView bare = line.sliced(slashes);
  return isMessageHeading(bare) || isChatHeading(bare, below);
}

/// A message's text as it is exported: a line that looks like a heading as above gets a backslash,
/// which Markdown does not show, and an open fence is closed.
QString toExportedText(const QString& text) {
  QString written;
  FenceWatch fences;
  LineReader lines(text);
  while (lines.next()) {
    const bool isOutside = fences.isOutside(lines.line());
    if (isOutside && isMarkable(lines.line(), lines.below())) written += u'\\';
    written += lines.line();
    if (!lines.isLast()) written += u'\n';
  }
  if (!fences.closing().isEmpty()) written += u'\n' + fences.closing();
  return written;
}

/// The line without the backslash that the export added.
QStringView withoutMark(QStringView line, QStringView below) {
  return line.startsWith(u'\\') && isMarkable(line, below) ? line.sliced(1) : line;
}

QString roleHeading(const MessageRecord& message) {
  if (message.role == MessageRole::User) return QStringLiteral("## You");
  if (message.modelName.isEmpty()) return QStringLiteral("## Answer");
  // On one line: the name may come from an imported file, and another line would be read as a
  // message.
  return QStringLiteral("## Answer (%1)").arg(message.modelName.simplified());
}

/// A fence that the text does not contain.
QString fenceFor(const QString& text) {
  qsizetype longest = 2;
  qsizetype run = 0;
  for (const QChar c : text) {
    run = c == u'`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return QString(longest + 1, u'`');
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
    text += QStringLiteral("\n\n*%1*").arg(bundled.message.error.simplified());
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

/// Whether the line is only the beginning of a fence.
bool isFence(QStringView line) {
  constexpr qsizetype kShortest = 3;
  return line.size() >= kShortest &&
         std::all_of(line.begin(), line.end(), [](QChar c) { return c == u'`'; });
}

/// Takes "Attached: name", an empty line and the file's text in a fence off the text.
std::optional<AttachmentRecord> takeFile(QStringView& text) {
  if (!text.startsWith(kAttached)) return std::nullopt;
  LineReader lines(text);
  lines.next();
  const QString name = lines.line().sliced(kAttached.size()).toString();
  if (!lines.next() || !lines.line().isEmpty()) return std::nullopt;
  if (!lines.next() || !isFence(lines.line())) return std::nullopt;
  const QStringView fence = lines.line();
  const QStringView content = lines.below();
  while (lines.next()) {
    if (!lines.line().startsWith(fence)) continue;
    const qsizetype length = lines.line().data() - content.data();
    AttachmentRecord file{.name = visibleName(name, kMaxFileNameLength),
                          .mediaType = QStringLiteral("text/plain"),
                          .text = content.first(std::max<qsizetype>(0, length - 1)).toString()};
    file.bytes = file.text.toUtf8().size();
    text = text.sliced(lines.line().data() - text.data() + fence.size()).trimmed();
    return file;
  }
  return std::nullopt;
}

/// Reads chats line by line: the title and date of each, then its messages.
class MarkdownReader {
 public:
  explicit MarkdownReader(QStringView text) : m_lines(text) {}

  QList<ChatBundle> read(const MarkdownGoOn& goOn) {
    for (qsizetype count = 1; m_lines.next(); ++count) {
      if (goOn && count % kLinesBetweenQuestions == 0 && !goOn(m_numRecords)) return {};
      take();
    }
    endMessage();
    if (goOn && !goOn(m_numRecords)) return {};
    for (ChatBundle& bundle : m_chats) giveTimes(bundle);
    return m_chats;
  }

 private:
  void take() {
    const QStringView line = m_lines.line();
    const bool isOutside = m_fences.isOutside(line);
    if (isOutside && isChatHeading(line, m_lines.below())) return beginChat();
    if (m_chats.isEmpty()) return;
    if (isOutside && isMessageHeading(line)) return beginMessage(line);
    if (!m_inMessage) return;
    m_text += isOutside ? withoutMark(line, m_lines.below()) : line;
    m_text += u'\n';
  }

  void beginChat() {
    endMessage();
    ChatBundle bundle;
    bundle.chat.id = m_chats.size() + 1;
    bundle.chat.title = visibleName(m_lines.line().sliced(2).trimmed().toString());
    bundle.chat.titleIsAutomatic = false;
    bundle.chat.color = static_cast<int>(m_chats.size() % 4);
    m_lines.next();
    m_lines.next();
    bundle.chat.createdMs =
        QDate::fromString(m_lines.line(), Qt::ISODate).startOfDay(Qt::UTC).toMSecsSinceEpoch();
    m_chats.append(bundle);
    ++m_numRecords;
  }

  void beginMessage(QStringView heading) {
    endMessage();
    ChatBundle& bundle = m_chats.last();
    MessageRecord message;
    message.id = bundle.messages.size() + 1;
    message.parentId = bundle.messages.isEmpty() ? 0 : bundle.messages.last().message.id;
    message.role = heading == kYou ? MessageRole::User : MessageRole::Assistant;
    const qsizetype open = heading.indexOf(u'(');
    if (open > 0 && heading.endsWith(u')')) {
      message.modelName = visibleName(heading.sliced(open + 1).chopped(1).toString());
    }
    bundle.messages.append({message, {}});
    bundle.chat.headMessageId = message.id;
    m_inMessage = true;
    m_text.clear();
    ++m_numRecords;
  }

  void endMessage() {
    if (!std::exchange(m_inMessage, false)) return;
    MessageRecord& message = m_chats.last().messages.last().message;
    QStringView text = QStringView(m_text).trimmed();
    QList<AttachmentRecord> files;
    while (message.role == MessageRole::User && files.size() < kMaxFilesOfText) {
      auto file = takeFile(text);
      if (!file) break;
      files.append(std::move(*file));
    }
    message.setText(text.toString());
    message.setAttachments(files);
  }

  QList<ChatBundle> m_chats;
  FenceWatch m_fences;
  LineReader m_lines;
  qsizetype m_numRecords = 0;  ///< Chats and messages.
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

QList<ChatBundle> chatsFromMarkdown(const QString& text, const MarkdownGoOn& goOn) {
  return MarkdownReader(text).read(goOn);
}

}  // namespace quire
