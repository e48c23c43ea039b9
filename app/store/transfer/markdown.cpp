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
constexpr qsizetype kPieceLength = 64 * 1024;
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

/// The lines of a text that arrives in pieces, of which little more than one line is in memory.
class InputLines {
 public:
  explicit InputLines(const MarkdownInput& input) : m_input(input) {}

  /// False after the last line. A text has one line more than it has line ends.
  Result<bool> next() {
    if (m_isLast) return false;
    dropRead();
    qsizetype searched = m_begin;
    while ((m_end = m_buffer.indexOf(u'\n', searched)) < 0 && !m_isComplete) {
      searched = m_buffer.size();
      if (auto read = readMore(); !read) return read.error();
      if (searched - m_begin > mostOfLine()) return m_input.tooLarge;
    }
    m_isLast = m_end < 0;
    if (m_isLast) m_end = m_buffer.size();
    m_next = m_isLast ? m_end : m_end + 1;
    // The date of a chat stands two lines below its title.
    constexpr qsizetype kLookAhead = 64;
    while (m_buffer.size() - m_next < kLookAhead && !m_isComplete) {
      if (auto read = readMore(); !read) return read.error();
    }
    return true;
  }
  QStringView line() const { return QStringView(m_buffer).sliced(m_begin, m_end - m_begin); }
  /// The beginning of the text after the line.
  QStringView below() const { return QStringView(m_buffer).sliced(m_next); }

 private:
  qsizetype mostOfLine() const { return std::min(m_input.maxChatLength, m_input.maxTextLength); }

  /// Not for each line, because what follows is moved.
  void dropRead() {
    m_begin = m_next;
    if (m_begin < kPieceLength) return;
    m_buffer.remove(0, m_begin);
    m_begin = 0;
  }

  Result<void> readMore() {
    const auto piece = m_input.readMore();
    if (!piece) return piece.error();
    m_isComplete = piece->isEmpty();
    m_buffer += *piece;
    return {};
  }

  const MarkdownInput& m_input;
  QString m_buffer;
  qsizetype m_begin = 0;  ///< Of the line, in m_buffer.
  qsizetype m_end = 0;
  qsizetype m_next = 0;       ///< Where the next line begins.
  bool m_isComplete = false;  ///< m_buffer has the end of the text.
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
  explicit MarkdownReader(const MarkdownInput& input) : m_input(input), m_lines(input) {}

  Result<void> read() {
    auto hasLine = m_lines.next();
    for (; hasLine && *hasLine; hasLine = m_lines.next()) {
      if (auto taken = takeLine(); !taken) return taken;
    }
    return hasLine ? endChat() : Result<void>(hasLine.error());
  }

 private:
  Result<void> takeLine() {
    const QStringView line = m_lines.line();
    const bool isOutside = m_fences.isOutside(line);
    if (isOutside && isChatHeading(line, m_lines.below())) return beginChat();
    if (!m_inChat) return {};
    m_chatLength += line.size() + 1;
    if (m_chatLength > m_input.maxChatLength) return m_input.tooLarge;
    if (isOutside && isMessageHeading(line)) return beginMessage();
    if (!m_inMessage) return {};
    m_text += isOutside ? withoutMark(line, m_lines.below()) : line;
    m_text += u'\n';
    return checkLength(line);
  }

  /// Refuses a text that is far too long before all of it is in memory: since the beginning of the
  /// last file there are that file and the message's own text at most.
  Result<void> checkLength(QStringView line) {
    if (line.startsWith(kAttached)) m_fileStart = m_text.size();
    const bool isTooLong = m_text.size() - m_fileStart > 2 * m_input.maxTextLength + kPieceLength;
    return isTooLong ? Result<void>(m_input.tooLarge) : Result<void>();
  }

  Result<void> beginChat() {
    if (auto ended = endChat(); !ended) return ended;
    m_inChat = true;
    m_chatLength = 0;
    m_bundle = {};
    m_bundle.chat.id = ++m_numChats;
    m_bundle.chat.title = visibleName(m_lines.line().sliced(2).trimmed().toString());
    m_bundle.chat.titleIsAutomatic = false;
    m_bundle.chat.color = (m_numChats - 1) % kNumChatColors;
    for (int line = 0; line < 2; ++line) {
      if (auto hasLine = m_lines.next(); !hasLine) return hasLine.error();
    }
    m_bundle.chat.createdMs =
        QDate::fromString(m_lines.line(), Qt::ISODate).startOfDay(Qt::UTC).toMSecsSinceEpoch();
    return {};
  }

  Result<void> endChat() {
    if (auto ended = endMessage(); !ended) return ended;
    if (!std::exchange(m_inChat, false)) return {};
    giveTimes(m_bundle);
    return m_input.take(m_bundle);
  }

  Result<void> beginMessage() {
    if (auto ended = endMessage(); !ended) return ended;
    if (m_bundle.messages.size() >= m_input.maxMessages) return m_input.tooLarge;
    const QStringView heading = m_lines.line();
    MessageRecord message;
    message.id = m_bundle.messages.size() + 1;
    message.parentId = message.id - 1;  // The first has none.
    message.role = heading == kYou ? MessageRole::User : MessageRole::Assistant;
    const qsizetype open = heading.indexOf(u'(');
    if (open > 0 && heading.endsWith(u')')) {
      message.modelName = visibleName(heading.sliced(open + 1).chopped(1).toString());
    }
    m_bundle.messages.append({message, {}});
    m_bundle.chat.headMessageId = message.id;
    m_inMessage = true;
    m_text.clear();
    m_fileStart = 0;
    return {};
  }

  Result<void> endMessage() {
    if (!std::exchange(m_inMessage, false)) return {};
    MessageRecord& message = m_bundle.messages.last().message;
    QStringView text = QStringView(m_text).trimmed();
    QList<AttachmentRecord> files;
    while (message.role == MessageRole::User && files.size() < kMaxFilesOfText) {
      auto file = takeFile(text);
      if (!file) break;
      if (file->text.size() > m_input.maxTextLength) return m_input.tooLarge;
      files.append(std::move(*file));
    }
    if (text.size() > m_input.maxTextLength) return m_input.tooLarge;
    message.setText(text.toString());
    message.setAttachments(files);
    return {};
  }

  const MarkdownInput& m_input;
  FenceWatch m_fences;
  InputLines m_lines;
  ChatBundle m_bundle;  ///< The chat that is being read.
  int m_numChats = 0;
  qsizetype m_chatLength = 0;
  bool m_inChat = false;
  bool m_inMessage = false;
  QString m_text;             ///< Of the message that is being read.
  qsizetype m_fileStart = 0;  ///< Where its last file may begin, in m_text.
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

Result<void> readMarkdown(const MarkdownInput& input) {
  return MarkdownReader(input).read();
}

QList<ChatBundle> chatsFromMarkdown(const QString& text) {
  QList<ChatBundle> chats;
  qsizetype at = 0;
  const auto readMore = [&]() -> Result<QString> {
    return text.mid(std::exchange(at, at + kPieceLength), kPieceLength);
  };
  const auto take = [&](const ChatBundle& chat) {
    chats.append(chat);
    return Result<void>();
  };
  const auto read = readMarkdown({.readMore = readMore, .take = take});
  return read ? chats : QList<ChatBundle>();
}

}  // namespace quire
