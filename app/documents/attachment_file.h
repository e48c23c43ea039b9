#pragma once

#include <QCoreApplication>
#include <QString>

#include <atomic>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// What a model can read of a file.
struct FileText {
  QString name;  ///< Without its folder.
  QString mediaType;
  qint64 bytes = 0;  ///< The file's size.
  QString text;
};

/// Reads files that come with a message: text in UTF-8, in UTF-16 with its mark, or else in the
/// encoding of the system; PDF through pdftotext. What a file claims to be is not trusted: its
/// bytes are looked at.
///
/// Thread: any. Waits for the disk and for pdftotext; `cancelled` ends that within 100 ms.
class AttachmentFile {
  Q_DECLARE_TR_FUNCTIONS(AttachmentFile)

 public:
  static constexpr qint64 kMaxTextBytes = qint64{8} << 20;
  static constexpr qint64 kMaxPdfBytes = qint64{200} << 20;

  /// Errors: kNotFound, kIo, kUnsupported (no text in it, too large), kCancelled.
  static Result<FileText> read(const QString& path, const std::atomic<bool>& cancelled);
  /// Nothing: these bytes are no text.
  static std::optional<QString> decode(const QByteArray& bytes);
};

/// The text of a PDF, by the program pdftotext (Poppler) in a process of its own, with limits in
/// time, memory, pages and length, so that a hostile file can do no harm here.
///
/// Thread: any; waits for the program.
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
  static Error failure(const QByteArray& said, const QString& name);
};

}  // namespace quire
