#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>

#include "app/confine/confine.h"
#include "app/documents/attachment_file.h"

namespace quire {
namespace {

constexpr int kCancelCheckMs = 50;  ///< Time between two checks of `cancelled`.
constexpr qint64 kMaxMessageBytes = 4096;
constexpr uint64_t kMaxMemoryBytes = uint64_t{2} << 30;
constexpr std::chrono::seconds kMaxProcessorTime(120);
/// pdftotext reads ordinary PDFs at least ten times as fast.
constexpr qint64 kMinBytesPerCpuSecond = 100'000;

/// By the file's size: a small file that takes seconds is one that unpacks to hundreds of
/// megabytes.
std::chrono::seconds processorTimeFor(const QString& pdf) {
  return std::min(kMaxProcessorTime,
                  std::chrono::seconds(1 + QFileInfo(pdf).size() / kMinBytesPerCpuSecond));
}

/// It reads the PDF and itself, and writes to its pipes.
ConfineLimits limitsOf(const QString& program, const QString& pdf) {
  return {
      .data_bytes = kMaxMemoryBytes,
      .address_bytes = kMaxMemoryBytes,
      .cpu = processorTimeFor(pdf),
      .readable = {QFile::encodeName(program).toStdString(), QFile::encodeName(pdf).toStdString()},
      .may_execute = true};
}

void stopProcess(QProcess& process) {
  process.kill();
  process.waitForFinished(1000);
}

}  // namespace

Result<QString> PdfText::read(const QString& path, const std::atomic<bool>& cancelled,
                              int timeoutMs) {
  const QString name = QFileInfo(path).fileName();
  const QString program = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
  if (program.isEmpty()) {
    return attachmentError(
        ErrorCode::kNotFound,
        tr("%1 cannot be read without pdftotext. Install the package poppler-utils.").arg(name));
  }
  const PreparedConfinement confinement(limitsOf(program, path));
  QProcess process;
  // Runs between fork and exec, where only system calls are allowed.
  process.setChildProcessModifier([&confinement] { confinement.apply(); });
  process.setStandardInputFile(QProcess::nullDevice());
  process.start(program, {QStringLiteral("-enc"), QStringLiteral("UTF-8"), QStringLiteral("-l"),
                          QString::number(kMaxPages + 1), path, QStringLiteral("-")});
  QElapsedTimer clock;
  clock.start();
  QByteArray output;
  QByteArray messages;
  while (process.state() != QProcess::NotRunning) {
    process.waitForFinished(kCancelCheckMs);
    output += process.readAllStandardOutput();
    messages = (messages + process.readAllStandardError()).left(kMaxMessageBytes);
    if (cancelled) {
      stopProcess(process);
      return attachmentError(ErrorCode::kCancelled, tr("Reading %1 was stopped.").arg(name));
    }
    if (clock.elapsed() > timeoutMs || output.size() > AttachmentFile::kMaxTextBytes) {
      stopProcess(process);
      if (output.size() <= AttachmentFile::kMaxTextBytes) return tooSlow(name);
      return attachmentError(ErrorCode::kUnsupported,
                             tr("%1 has more than 8 MB of text. Attach part of it.").arg(name));
    }
  }
  output += process.readAllStandardOutput();
  messages += process.readAllStandardError();
  if (process.exitStatus() == QProcess::CrashExit && process.exitCode() == SIGXCPU) {
    return tooSlow(name);
  }
  const bool isDone = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0 &&
                      process.error() != QProcess::FailedToStart;
  return isDone ? textOf(output, name) : failure(messages, name);
}

Result<QString> PdfText::textOf(const QByteArray& output, const QString& name) {
  if (output.count('\f') > kMaxPages) {  // One follows each page.
    return attachmentError(
        ErrorCode::kUnsupported,
        tr("%1 has more than %2 pages. Save part of it as a separate PDF and attach "
           "that.")
            .arg(name)
            .arg(kMaxPages));
  }
  QString text = QString::fromUtf8(output);
  text.remove(QChar(u'\0'));
  text.replace(u'\f', u'\n');
  text = text.trimmed();
  if (!text.isEmpty()) return text;
  return attachmentError(
      ErrorCode::kUnsupported,
      tr("%1 is a scan without text. Run text recognition (OCR) on it first.").arg(name));
}

Error PdfText::tooSlow(const QString& name) {
  return attachmentError(
      ErrorCode::kUnsupported,
      tr("%1 takes too long to read. Save part of it as a separate PDF and attach that.")
          .arg(name));
}

Error PdfText::failure(const QByteArray& messages, const QString& name) {
  if (messages.contains("ncorrect password") || messages.contains("ncrypt")) {
    return attachmentError(
        ErrorCode::kUnsupported,
        tr("%1 is password-protected. Save a copy without a password and attach that.").arg(name));
  }
  return attachmentError(ErrorCode::kCorruptFile,
                         tr("%1 is damaged and cannot be read as a PDF.").arg(name));
}

}  // namespace quire
