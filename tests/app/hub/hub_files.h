#pragma once

#include <QByteArray>

#include <functional>

namespace quire {

/// The bytes of a file on the test hub.
struct HubBlob {
  qint64 bytes = 0;
  std::function<QByteArray(qint64 at, qint64 count)> read;
  QByteArray sha256;
  QByteArray gitSha1;
  bool isLarge = true;  ///< Stored by LFS, and answered by a redirect.

  static HubBlob of(const QByteArray& contents, bool isLarge = true);
};

/// Bytes that differ from seed to seed.
QByteArray randomBytes(qint64 count, quint32 seed);
/// What stands before the only tensor of a GGUF file of so many bytes.
QByteArray ggufHeadOf(qint64 fileBytes);
/// A GGUF and a safetensors file of so many bytes, with one tensor.
QByteArray ggufOf(qint64 fileBytes, quint32 seed);
QByteArray safetensorsOf(qint64 fileBytes, quint32 seed);

}  // namespace quire
