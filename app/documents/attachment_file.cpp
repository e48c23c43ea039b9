#include "app/documents/attachment_file.h"

#include <QFile>
#include <QFileInfo>
#include <QMimeDatabase>
#include <QStringConverter>

namespace quire {
namespace {

Error errorOf(ErrorCode code, const QString& sentence) {
  return {code, sentence.toStdString()};
}

/// By the mark at the beginning; without one, UTF-8.
QStringConverter::Encoding encodingOf(const QByteArray& bytes) {
  const auto marked = QStringConverter::encodingForData(bytes);
  return marked.value_or(QStringConverter::Utf8);
}

std::optional<QString> decodeAs(const QByteArray& bytes, QStringConverter::Encoding encoding) {
  QStringDecoder decoder(encoding, QStringConverter::Flag::Stateless);
  QString text = decoder.decode(bytes);
  // A null in the text is what no text has.
  if (decoder.hasError() || text.contains(QChar(u'\0'))) return std::nullopt;
  return text;
}

/// Control characters that no text editor writes: what stays of a binary file read as Latin text.
bool hasControls(const QString& text) {
  for (const QChar letter : text) {
    const char16_t code = letter.unicode();
    if (code < 32 && code != u'\n' && code != u'\r' && code != u'\t' && code != u'\f') return true;
  }
  return false;
}

QString megabytes(qint64 bytes) {
  return QLocale().formattedDataSize(bytes, 0, QLocale::DataSizeTraditionalFormat);
}

}  // namespace

std::optional<QString> AttachmentFile::decode(const QByteArray& bytes) {
  auto text = decodeAs(bytes, encodingOf(bytes));
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
  FileText file{.name = info.fileName(), .mediaType = {}, .bytes = info.size(), .text = {}};
  if (!info.exists()) return errorOf(ErrorCode::kNotFound, tr("%1 was not found.").arg(file.name));
  if (!info.isFile()) {  // A pipe or a device would be waited for without end.
    return errorOf(ErrorCode::kUnsupported,
                   tr("%1 is a folder. Attach its files one by one.").arg(file.name));
  }
  QFile disk(path);
  if (!disk.open(QIODevice::ReadOnly)) {
    return errorOf(ErrorCode::kIo, tr("%1 cannot be read: %2.").arg(file.name, disk.errorString()));
  }
  const bool isPdf = disk.peek(5) == "%PDF-";
  const qint64 limit = isPdf ? kMaxPdfBytes : kMaxTextBytes;
  if (info.size() > limit) {
    return errorOf(ErrorCode::kUnsupported,
                   tr("%1 is too large (%2; limit %3).")
                       .arg(file.name, megabytes(info.size()), megabytes(limit)));
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
    return errorOf(
        ErrorCode::kUnsupported,
        tr("%1 is not a text file. You can attach text, Markdown, code, CSV and PDF files.")
            .arg(file.name));
  }
  if (text->trimmed().isEmpty()) {
    return errorOf(ErrorCode::kUnsupported, tr("%1 is empty.").arg(file.name));
  }
  file.text = *text;
  file.mediaType = QMimeDatabase().mimeTypeForFile(info, QMimeDatabase::MatchExtension).name();
  if (file.mediaType == QLatin1String("application/octet-stream"))
    file.mediaType = QStringLiteral("text/plain");
  return file;
}

}  // namespace quire
