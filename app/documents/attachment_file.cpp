#include "app/documents/attachment_file.h"

#include <QFile>
#include <QFileInfo>
#include <QMimeDatabase>
#include <QStringConverter>

#include <algorithm>

#include "app/size_text.h"
#include "app/store/system_reason.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

std::optional<QString> decodeAs(const QByteArray& bytes, QStringConverter::Encoding encoding) {
  QStringDecoder decoder(encoding, QStringConverter::Flag::Stateless);
  QString text = decoder.decode(bytes);
  // Text contains no null characters.
  if (decoder.hasError() || text.contains(QChar(u'\0'))) return std::nullopt;
  return text;
}

/// Whether there are control characters that text files do not contain. A binary file that is
/// decoded as Latin-1 has them.
bool hasControls(const QString& text) {
  return std::any_of(text.cbegin(), text.cend(), [](QChar letter) {
    return letter < u' ' && !QStringView(u"\n\r\t\f").contains(letter);
  });
}

/// A fence that is longer than the longest run of backticks in the text.
QString fenceFor(const QString& text) {
  qsizetype longest = 2;
  qsizetype run = 0;
  for (const QChar letter : text) {
    run = letter == u'`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return QString(longest + 1, u'`');
}

/// The language after a fence: the file's extension, if it has only ASCII letters and digits.
QString languageOf(const QString& name) {
  const QString ending = name.section(u'.', -1).toLower();
  const bool isWord = ending != name.toLower() && ending.size() <= 12 &&
                      std::all_of(ending.cbegin(), ending.cend(), [](QChar letter) {
                        return letter.unicode() < 128 && letter.isLetterOrNumber();
                      });
  return isWord && ending != QLatin1String("pdf") ? ending : QString();
}

}  // namespace

std::optional<QString> AttachmentFile::decode(const QByteArray& bytes) {
  const auto marked = QStringConverter::encodingForData(bytes);
  auto text = decodeAs(bytes, marked.value_or(QStringConverter::Utf8));
  if (!text && !bytes.contains('\0')) {
    text = decodeAs(bytes, QStringConverter::System);
    if (!text) text = decodeAs(bytes, QStringConverter::Latin1);
    if (text && hasControls(*text)) return std::nullopt;
  }
  if (!text) return std::nullopt;
  return text->replace(QLatin1String("\r\n"), QLatin1String("\n"));
}

Result<FileText> AttachmentFile::read(const QString& path, const std::atomic<bool>& cancelled) {
  const QFileInfo info(path);
  FileText file{
      .name = visibleString(info.fileName()), .mediaType = {}, .bytes = info.size(), .text = {}};
  if (!info.exists())
    return attachmentError(ErrorCode::kNotFound, tr("%1 was not found.").arg(file.name));
  if (info.isDir()) {
    return attachmentError(ErrorCode::kUnsupported,
                           tr("%1 is a folder. Attach its files one by one.").arg(file.name));
  }
  if (!info.isFile()) {  // Reading it might never end.
    return attachmentError(
        ErrorCode::kUnsupported,
        tr("%1 is a pipe or a device. Save its contents as a file and attach that.")
            .arg(file.name));
  }
  QFile disk(path);
  if (!disk.open(QIODevice::ReadOnly)) {
    return attachmentError(
        ErrorCode::kIo,
        tr("%1 cannot be read: %2.").arg(file.name, systemReason(disk.errorString())));
  }
  const bool isPdf = disk.peek(5) == "%PDF-";
  const qint64 limit = isPdf ? kMaxPdfBytes : kMaxTextBytes;
  if (info.size() > limit) {
    return attachmentError(ErrorCode::kUnsupported,
                           tr("%1 is too large (%2; limit %3).")
                               .arg(file.name, sizeText(static_cast<quint64>(info.size())),
                                    sizeText(static_cast<quint64>(limit))));
  }
  if (isPdf) {
    disk.close();
    auto text = PdfText::read(info.absoluteFilePath(), cancelled);
    if (!text) return text.error();
    file.text = std::move(*text);
    file.mediaType = QStringLiteral("application/pdf");
    return file;
  }
  const QByteArray bytes = disk.read(limit);
  const auto text = decode(bytes);
  if (!text) {
    return attachmentError(
        ErrorCode::kUnsupported,
        tr("%1 is not a text file. You can attach text, Markdown, code, CSV and PDF files.")
            .arg(file.name));
  }
  if (text->trimmed().isEmpty()) {
    return attachmentError(ErrorCode::kUnsupported, tr("%1 is empty.").arg(file.name));
  }
  file.text = *text;
  file.mediaType = QMimeDatabase().mimeTypeForFile(info, QMimeDatabase::MatchExtension).name();
  if (file.mediaType == QLatin1String("application/octet-stream"))
    file.mediaType = QStringLiteral("text/plain");
  return file;
}

QString attachmentPrompt(const QList<AttachmentRecord>& files, const QString& message) {
  if (files.isEmpty()) return message;
  qsizetype length = message.size();
  for (const AttachmentRecord& file : files) length += file.text.size() + 600;
  QString prompt;
  prompt.reserve(length);
  for (const AttachmentRecord& file : files) {
    const QString fence = fenceFor(file.text);
    prompt += QStringLiteral("File: ") + file.name.simplified() + u'\n';
    prompt += fence + languageOf(file.name) + u'\n' + file.text;
    if (!file.text.endsWith(u'\n')) prompt += u'\n';
    prompt += fence + QStringLiteral("\n\n");
  }
  if (message.isEmpty()) prompt.chop(2);  // There is no text after the files.
  return prompt + message;
}

}  // namespace quire
