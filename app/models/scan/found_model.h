#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "app/models/scan/model_facts.h"

namespace quire {

/// A file or folder that may be a model, before it is read.
struct ModelCandidate {
  QString path;       ///< A file, the first part of a split set, or a folder.
  QString name;       ///< The name in its application ("qwen3:8b", "org/name"), else of the file.
  QString source;     ///< The application; empty for a folder that the user chose.
  QString place;      ///< The folder that was searched.
  QStringList files;  ///< All files that its facts depend on.
  QString note;       ///< What its application adds and Quire does not; may be empty.
};

/// A candidate and what its files say.
struct FoundModel {
  QString path;
  QString name;
  QString source;
  QString place;
  QString note;
  ModelFacts facts;
};

/// A file or folder that was skipped, with the reason in a sentence.
struct LeftOutFile {
  QString path;
  QString source;
  QString reason;
};

}  // namespace quire
