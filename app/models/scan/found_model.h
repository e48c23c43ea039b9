#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "app/models/scan/model_facts.h"

namespace quire {

/// Something on the disk that looks like a model, before it is read.
struct ModelCandidate {
  QString path;       ///< What would be loaded: a file, the first part of a split set, or a folder.
  QString name;       ///< As its application calls it: "qwen3:8b", "org/name"; else the file's.
  QString source;     ///< Whose it is: "LM Studio"; empty: from a folder that the user chose.
  QString place;      ///< The folder that was searched.
  QStringList files;  ///< All that its facts depend on.
  QString note;       ///< What its application would add and Quire does not; empty: nothing.
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

/// What is in a folder of models and is none, or cannot be looked at, with the reason in a
/// sentence.
struct LeftOutFile {
  QString path;
  QString source;
  QString reason;
};

}  // namespace quire
