#pragma once

#include <QCoreApplication>
#include <QString>

#include <atomic>
#include <optional>

#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

/// A file as text.
struct FileText {
  QString name;  ///< Without its folder, in visible characters.
  QString mediaType;
  qint64 bytes = 0;  ///< The file's size.
  QString text;
};

/// Reads attached files: text in UTF-8, in UTF-16 with a byte order mark, or else in the encoding
/// of the system; PDF through pdftotext. The type is detected by the contents, not by the name.
///
/// Thread: any. Waits for the disk and for pdftotext; setting `cancelled` ends that within 100 ms.
class AttachmentFile {
  Q_DECLARE_TR_FUNCTIONS(AttachmentFile)

 public:
  static constexpr qint64 kMaxTextBytes = qint64{8} << 20;
  static constexpr qint64 kMaxPdfBytes = qint64{200} << 20;

  /// Errors: kNotFound, kIo, kUnsupported (no text in it, too large), kCancelled.
  static Result<FileText> read(const QString& path, const std::atomic<bool>& cancelled);
  /// Decodes text; nullopt: the bytes are not text.
  static std::optional<QString> decode(const QByteArray& bytes);
};

/// Extracts the text of a PDF with pdftotext (Poppler) in a process of its own, with limits of
/// time, memory, pages and length, because the file may be hostile.
///
/// Thread: any; waits for the process.
class PdfText {
  Q_DECLARE_TR_FUNCTIONS(PdfText)

 public:
  static constexpr int kMaxPages = 500;
  static constexpr int kTimeoutMs = 20'000;

  /// Errors: kNotFound (no pdftotext), kUnsupported (encrypted, scanned, too long), kCorruptFile,
  /// kCancelled.
  static Result<QString> read(const QString& path, const std::atomic<bool>& cancelled,
                              int timeoutMs = kTimeoutMs);

 private:
  static Result<QString> textOf(const QByteArray& output, const QString& name);
  static Error tooSlow(const QString& name);
  static Error failure(const QByteArray& messages, const QString& name);
};

inline Error attachmentError(ErrorCode code, const QString& sentence) {
  return {code, sentence.toStdString()};
}

/// The prompt text of a message with files: each file with its name, in a fence that is longer than
/// any in the file, then the message.
///
///     File: prices.csv
///     ```csv
///     item,price
///     ```
///
///     Which is the cheapest?
///
/// Do not change this form: it would invalidate the cached prefixes of all chats with files.
QString attachmentPrompt(const QList<AttachmentRecord>& files, const QString& message);

}  // namespace quire
