#pragma once

#include <QList>
#include <QString>

#include <functional>

#include "app/store/id_source.h"
#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

/// What a merge did.
struct MergeReport {
  int chatsAdded = 0;
  int chatsCompleted = 0;  ///< Were there, and got messages or a newer state.
  int chatsKnown = 0;      ///< Were there as they are, or newer.
  int chatsDamaged = 0;    ///< Could not be read, or only in part.
  int messagesAdded = 0;
  int personasAdded = 0;
  int foldersAdded = 0;
  int settingsAdded = 0;      ///< Of models, and of the program.
  QList<RecordId> completed;  ///< The ids here of chatsCompleted.
  bool backedUp = false;      ///< A backup was made; false: the newest one has all of it.
};

/// Told how far a transfer has come; false gives it up, and the call fails with kInternal.
using Progress = std::function<bool(qint64 done, qint64 total)>;

// Each of these opens the store anew and takes time in proportion to it: for a worker thread.
// Errors: one sentence with the path.

/// Writes these chats with their personas and folders, or for none all that there is, settings
/// included, as docs/export.md describes. The file is there whole or not at all. Progress counts
/// chats.
Result<void> exportJson(const QString& folder, const QList<RecordId>& chatIds, const QString& path,
                        const Progress& progress);
/// For reading: of each chat the branch that is shown, one after another in one file.
Result<void> exportMarkdown(const QString& folder, const QList<RecordId>& chatIds,
                            const QString& path, const Progress& progress);

/// Brings an exported file into the store (Merger::Policy::Import). What had come in before an
/// error stays. Progress counts bytes. Errors: kCorruptFile, kUnsupported for a newer format.
Result<MergeReport> importJson(const QString& folder, const QString& path, IdSource& ids,
                               const Progress& progress);

/// The same for a Markdown file that Quire exported; versions and times of day are not in it.
Result<MergeReport> importMarkdown(const QString& folder, const QString& path, IdSource& ids,
                                   const Progress& progress);

/// What a file is, by its first bytes; reads no more of it.
enum class ExportKind { None, AsJson, AsMarkdown };
ExportKind exportKindOf(const QString& path);

/// Brings back what a backup, or a damaged store, has and this one lacks: chats that are missing,
/// and the newer state of those that are older here. Nothing newer is overwritten. Progress counts
/// chats.
Result<MergeReport> mergeStore(const QString& folder, const QString& sourcePath, IdSource& ids,
                               const Progress& progress);

}  // namespace quire
