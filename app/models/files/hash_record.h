#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace quire {

/// A hash that a file must have.
struct ExpectedHash {
  enum class Kind {
    kSha256,
    kGitSha1,  ///< SHA-1 of "blob SIZE", a zero byte and the contents.
  };
  QString path;  ///< Of the file, absolute.
  Kind kind = Kind::kSha256;
  QByteArray hex;  ///< In lower case.
  QString origin;  ///< Who says so: "Ollama", "Hugging Face Qwen/Qwen3-8B".
};

/// The records of hashes that a download leaves beside a model (app/hub/download_record.h):
/// ".quire-hashes/NAME.json" in the folder of what was downloaded, which is the model's file or the
/// folder that it is in. Only those that exist.
QStringList hashRecordsOf(const QString& modelPath);

/// All hashes that are known for the model's files: of its download, or those in the names of blobs
/// of Ollama and of the Hugging Face libraries. Reads small files.
QList<ExpectedHash> expectedHashes(const QString& modelPath, const QStringList& files);

}  // namespace quire
