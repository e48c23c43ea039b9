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
  int chatsCompleted = 0;  ///< Existed, and got messages or a newer state.
  int chatsKnown = 0;      ///< Existed in this or a newer state.
  int chatsDamaged = 0;    ///< Could not be read, or only in part.
  int messagesAdded = 0;
  int personasAdded = 0;
  int foldersAdded = 0;
  int settingsAdded = 0;      ///< Of models and of the program.
  QList<RecordId> completed;  ///< The ids of the chatsCompleted in this store.
  bool backedUp = false;      ///< A backup was made.
};

/// Called with the progress of a transfer; false cancels it, and the call fails with kInternal.
using Progress = std::function<bool(qint64 done, qint64 total)>;

// Each function opens the store and takes time in proportion to it. Thread: a worker.
// Errors: one sentence with the path.

/// Writes these chats with their personas and folders, or, for an empty list, everything including
/// the settings, as docs/export.md describes. The file appears when it is complete. Progress counts
/// chats.
Result<void> exportJson(const QString& folder, const QList<RecordId>& chatIds, const QString& path,
                        const Progress& progress);
/// Writes the shown branch of each chat as Markdown, all in one file.
Result<void> exportMarkdown(const QString& folder, const QList<RecordId>& chatIds,
                            const QString& path, const Progress& progress);

/// Merges an exported file into the store (Merger::Policy::Import). Chats that were merged before
/// an error stay. Progress counts bytes. Errors: kCorruptFile, kUnsupported for a newer format,
/// kNotFound if there is no store: as the merges below, it makes none.
Result<MergeReport> importJson(const QString& folder, const QString& path, IdSource& ids,
                               const Progress& progress);

/// The same for a Markdown file that Quire exported; versions and times of day are not in it.
Result<MergeReport> importMarkdown(const QString& folder, const QString& path, IdSource& ids,
                                   const Progress& progress);

/// The kind of a file, found by its first bytes.
enum class ExportKind { None, AsJson, AsMarkdown };
ExportKind exportKindOf(const QString& path);

/// Adds the chats that a backup or a damaged store has and this store lacks, and the newer states
/// of chats that are older here. Nothing newer is overwritten; an answer that was cut off here is
/// completed. Progress counts chats.
Result<MergeReport> mergeStore(const QString& folder, const QString& sourcePath, IdSource& ids,
                               const Progress& progress);

/// The same for the store that a rescue put aside, into the one that took its place; messages that
/// were written after that one are added whatever the clock said. A merge that ended early goes on
/// after the last chat that it added: what was deleted here meanwhile stays away.
Result<MergeReport> resumeMerge(const QString& folder, const QString& sourcePath, IdSource& ids,
                                const Progress& progress);

}  // namespace quire
