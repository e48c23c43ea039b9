#pragma once

#include "app/hub/model_choice.h"

namespace quire {

/// A file of a download.
struct PlannedFile {
  QString path;  ///< Below the folder of the download; safe.
  QUrl url;
  qint64 bytes = 0;
  FileHash hash;

  bool operator==(const PlannedFile&) const = default;
};

/// A model to download: where from, what, and where to.
struct DownloadPlan {
  QString title;   ///< "Qwen/Qwen3-8B-GGUF · Q4_K_M", for people.
  QString source;  ///< The hub and the model's name: equal for each start of the same download.
  QUrl page;
  QString folder;         ///< Absolute. Unfinished files lie in its ".incoming".
  QString target;         ///< The model's place, relative to `folder`.
  bool isFolder = false;  ///< The target is a folder with all files; otherwise the only file.
  QByteArray token = {};  ///< Of the hub that all files are from. Never stored.
  QList<PlannedFile> files;

  qint64 bytes() const;
  QString targetPath() const { return folder + u'/' + target; }
  /// What is loaded: the model's file, the first one of a split set, or its folder.
  QString modelPath() const;
  /// Where it lies until it is complete.
  QString stagingPath() const;
};

/// The folder that the page Models searches: $XDG_DATA_HOME/quire/models. Empty without a home.
QString defaultModelsFolder();

/// A folder with its weights in hundreds of parts is below that, and the journal of so many fits
/// its limit (download_journal.cpp) however long their names are.
inline constexpr qsizetype kMostPlannedFiles = 1000;

/// The plan for a choice. Errors: kUnsupported for names, sizes or numbers of files that a hub
/// should not have.
Result<DownloadPlan> planDownload(const HubModel& model, const ModelChoice& choice,
                                  const QString& folder);

}  // namespace quire
