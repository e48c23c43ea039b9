#include "tests/app/hub/hub_files.h"

#include <QCryptographicHash>
#include <QRandomGenerator>

namespace quire {
namespace {

QByteArray littleEndian(quint64 value, int bytes) {
  QByteArray text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

QByteArray ggufText(const QByteArray& text) {
  return littleEndian(static_cast<quint64>(text.size()), 8) + text;
}

}  // namespace

HubBlob HubBlob::of(const QByteArray& contents, bool isLarge) {
  const QByteArray git = "blob " + QByteArray::number(contents.size()) + '\0' + contents;
  return {.bytes = contents.size(),
          .read = [contents](qint64 at, qint64 count) { return contents.mid(at, count); },
          .sha256 = QCryptographicHash::hash(contents, QCryptographicHash::Sha256).toHex(),
          .gitSha1 = QCryptographicHash::hash(git, QCryptographicHash::Sha1).toHex(),
          .isLarge = isLarge};
}

QByteArray randomBytes(qint64 count, quint32 seed) {
  QRandomGenerator random(seed);
  QByteArray bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.generate());
  return bytes;
}

QByteArray ggufHeadOf(qint64 fileBytes) {
  constexpr qint64 kAlignment = 32;
  const auto headWith = [](quint64 elements) {
    QByteArray head = "GGUF" + littleEndian(3, 4) + littleEndian(1, 8) + littleEndian(1, 8) +
                      ggufText("general.architecture") + littleEndian(8, 4) + ggufText("testing") +
                      ggufText("weights") + littleEndian(1, 4) + littleEndian(elements, 8) +
                      littleEndian(0, 4) + littleEndian(0, 8);
    return head + QByteArray((kAlignment - head.size() % kAlignment) % kAlignment, '\0');
  };
  const qint64 dataBytes = fileBytes - headWith(0).size();
  return headWith(static_cast<quint64>(std::max<qint64>(dataBytes / 4, 0)));
}

QByteArray ggufOf(qint64 fileBytes, quint32 seed) {
  const QByteArray head = ggufHeadOf(fileBytes);
  return head + randomBytes(fileBytes - head.size(), seed);
}

QByteArray safetensorsOf(qint64 fileBytes, quint32 seed) {
  // Its own length changes that of the header, so it is padded with spaces.
  constexpr qsizetype kHeader = 120;
  const QByteArray count = QByteArray::number(fileBytes - 8 - kHeader);
  const QByteArray header =
      R"({"w":{"dtype":"U8","shape":[)" + count + R"(],"data_offsets":[0,)" + count + "]}}";
  return littleEndian(kHeader, 8) + header.leftJustified(kHeader, ' ') +
         randomBytes(fileBytes - 8 - kHeader, seed);
}

}  // namespace quire
