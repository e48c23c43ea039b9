#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

#include "app/model_names.h"
#include "app/models/scan/file_identity.h"

namespace quire {

/// A model as the library knows it.
struct StoredModel {
  QString path;    ///< A file, the first part of a split set, or a folder.
  QString name;    ///< As its application calls it: "qwen3:8b".
  QString source;  ///< The application; empty: a folder or file that the user chose.
  QString place;   ///< The folder that was searched; empty: it was opened directly.

  bool operator==(const StoredModel&) const = default;
};

/// A regular file of a model, as it was when it was listed.
struct StoredFile {
  QString path;
  qint64 bytes = 0;
  qint64 modifiedNs = 0;
  FileIdentity identity = {};
  bool hasOtherNames = false;  ///< Other hard links, so that removing this one frees nothing.

  bool operator==(const StoredFile&) const = default;
};

/// The files and folders of a model.
struct ModelParts {
  /// In the order in which they may be removed: what names the others is first.
  QList<StoredFile> files;
  /// Folders that hold nothing but the model, the innermost first.
  QStringList folders;
  /// The model is this folder, and nothing else is in it; empty otherwise.
  QString wholeFolder;
  /// Why Quire neither deletes nor moves it, and how it can be done; empty if it can.
  QString problem;

  qint64 bytes() const;
  qint64 freedBytes() const;  ///< Of `bytes`: what its removal frees.
  QStringList paths() const;
};

/// The command with a name behind it; without it, if a shell would take the name for more than one
/// word or for an option. The command is shown to be pasted.
QString commandFor(const QString& command, const QString& prefix, const QString& name);

/// The file as it is now; nullopt if it is missing or no regular file. Follows no link.
std::optional<StoredFile> storedFile(const QString& path);
/// Whether it is still the file that was listed, with the same contents as far as its time says.
bool isUnchanged(const StoredFile& file);

/// Lists the files of a model, and says whether Quire may remove them. Reads folders and small
/// files, so it does not belong on the window's thread. Only regular files are listed, and those
/// behind a link that leads out of the model's place are a problem.
ModelParts partsOf(const StoredModel& model);

/// Whether a file holds weights, which identify a model: the others are small.
bool holdsWeights(const QString& path);

}  // namespace quire
