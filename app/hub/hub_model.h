#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QUrl>

#include "app/hub/hub_name.h"
#include "kernels/base/result.h"

namespace quire {

/// What the bytes of a file are verified with.
struct FileHash {
  enum class Kind {
    kSha256,
    kGitSha1,  ///< Git's name of a blob: SHA-1 of "blob SIZE", a zero byte and the contents.
  };
  Kind kind = Kind::kSha256;
  QByteArray hex;  ///< In lower case.

  bool operator==(const FileHash&) const = default;
};

/// A file of a model on a hub. `path` comes from the network: see isSafePath().
struct HubFile {
  QString path;
  qint64 bytes = 0;
  FileHash hash;
  QUrl url;
};

/// A model on a hub, at one revision.
struct HubModel {
  HubName::Hub hub = HubName::Hub::kHuggingFace;
  QString name;      ///< "Qwen/Qwen3-8B-GGUF", "library/qwen3:8b".
  QString revision;  ///< Names the contents: a commit. Empty where files are named by hashes.
  QString license;   ///< As the hub names it; empty if it does not.
  bool isGated = false;
  QUrl page;  ///< For people.
  QList<HubFile> files;
};

/// A model that a search found.
struct HubEntry {
  QString name;
  qint64 downloads = 0;
  QString license;
  bool isGated = false;
};

/// Why a hub did not do what was asked.
struct HubFailure {
  Error error;
  bool isTransient = false;  ///< Trying again may help.
  qint64 retryAfterMs = -1;  ///< What the hub asks to wait; below 0: it does not.
  bool isOfRange = false;    ///< Status 416.
};

}  // namespace quire
