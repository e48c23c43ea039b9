#include "app/models/files/delete_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include "app/store/system_reason.h"

namespace quire {
namespace {

struct DeleteTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::DeleteTexts)
};

/// Whether the folder still holds exactly the files that were listed.
bool holdsOnly(const QString& folder, const QList<StoredFile>& files) {
  const auto names =
      QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
  return std::all_of(names.begin(), names.end(), [&](const QString& name) {
    const QString path = folder + u'/' + name;
    return std::ranges::any_of(files, [&](const StoredFile& f) { return f.path == path; });
  });
}

/// Deletes one after another.
class Deleter {
 public:
  Deleter(const ModelParts& parts, Disposal disposal) : m_parts(parts), m_disposal(disposal) {}

  Deletion run() {
    m_done.problem = m_parts.problem;
    if (!m_done.problem.isEmpty()) return m_done;
    for (const StoredFile& file : m_parts.files) {
      if (isUnchanged(file)) continue;
      m_done.problem =
          DeleteTexts::tr("%1 has changed meanwhile, so nothing was deleted. Scan again.")
              .arg(fileNameOf(file.path));
      return m_done;
    }
    const QString whole = m_parts.wholeFolder;
    const bool goesWhole = m_disposal == Disposal::kTrash && !whole.isEmpty();
    if (!goesWhole || !holdsOnly(whole, m_parts.files) || !trashFolder(whole)) deleteFiles();
    for (const QString& folder : m_parts.folders) {
      if (m_done.problem.isEmpty()) QDir().rmdir(folder);  // Only an empty one.
    }
    return m_done;
  }

 private:
  /// A folder that can be restored as a whole.
  bool trashFolder(const QString& folder) {
    if (!QFile::moveToTrash(folder)) return false;
    for (const StoredFile& file : m_parts.files) {
      if (file.path.startsWith(folder + u'/')) count(file);
    }
    return true;
  }

  void count(const StoredFile& file) {
    ++m_done.numDeleted;
    m_done.bytes += file.bytes;
  }

  void deleteFiles() {
    for (const StoredFile& file : m_parts.files) {
      if (!storedFile(file.path)) continue;  // It went with its folder.
      if (!deleteFile(file)) return;
      count(file);
    }
  }

  bool deleteFile(const StoredFile& file) {
    if (!isUnchanged(file)) {
      m_done.problem = DeleteTexts::tr("%1 has changed meanwhile and is not deleted. Scan again.")
                           .arg(fileNameOf(file.path));
      return false;
    }
    if (m_disposal == Disposal::kTrash) {
      if (QFile::moveToTrash(file.path)) return true;
      m_done.problem = DeleteTexts::tr(
                           "%1 cannot be moved to the trash, because its disk has none "
                           "or it is not writable. Delete it for good instead.")
                           .arg(fileNameOf(file.path));
      return false;
    }
    QFile doomed(file.path);
    if (doomed.remove()) return true;
    m_done.problem = DeleteTexts::tr(
                         "%1 cannot be deleted: %2. Change its permissions, or close the programs "
                         "that use it.")
                         .arg(fileNameOf(file.path), systemReason(doomed.errorString()));
    return false;
  }

  const ModelParts& m_parts;
  const Disposal m_disposal;
  Deletion m_done;
};

}  // namespace

Deletion deleteModel(const ModelParts& parts, Disposal disposal) {
  return Deleter(parts, disposal).run();
}

}  // namespace quire
