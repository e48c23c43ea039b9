#include "app/models/files/move_model.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>

#include "app/size_text.h"
#include "app/store/system_reason.h"
#include "platform/file.h"
#include "platform/folder.h"

namespace quire {
namespace {

constexpr qint64 kCopyBytes = 1 << 20;
constexpr qint64 kSpareBytes = 64 << 20;  ///< Stays free for chats on the same disk.

struct MoveTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::MoveTexts)
};

/// A file system that cannot do that may lose a name in a power failure, never a file under its old
/// name.
void flushFolder(const QString& path) {
  platform::flush_folder(QFile::encodeName(path).toStdString());
}

/// Where a file of the move will be.
QString targetOf(const ModelMove& move, qsizetype at) {
  return move.isFolder ? move.target + u'/' + move.copies[at] : move.target;
}

/// Copies one model into the staging folder.
class Copier {
 public:
  /// Adds the copies that it verified to the move.
  Copier(ModelMove& move, const std::stop_token& stop, const FileProgress& progress)
      : m_move(move), m_stop(stop), m_progress(progress), m_total(2 * move.bytes()) {}

  /// Why it failed; empty on success, or after a stop.
  QString run() {
    if (!QDir().mkpath(m_move.staging)) {
      return MoveTexts::tr("You may not write to this folder. Choose another one.");
    }
    for (qsizetype at = 0; at < m_move.files.size(); ++at) {
      if (m_stop.stop_requested()) return {};
      const QString problem = copyOne(m_move.files[at], m_move.staging + u'/' + m_move.copies[at]);
      if (!problem.isEmpty()) return problem;
    }
    flushFolder(m_move.staging);
    return {};
  }

 private:
  /// Reads the source once, and the copy once from the disk.
  QString copyOne(const StoredFile& source, const QString& copy) {
    const QByteArray sent = write(source, copy);
    if (m_stop.stop_requested() || !m_problem.isEmpty()) return m_problem;
    const auto written = storedFile(copy);
    const QByteArray arrived = written ? hashOf(*written, ExpectedHash::Kind::kSha256, m_stop,
                                                [this](qint64 bytes) { advance(bytes); })
                                       : QByteArray();
    if (m_stop.stop_requested()) return {};
    if (arrived == sent) {
      m_move.verified.append(*written);
      m_move.verified.last().path = targetOf(m_move, m_move.verified.size() - 1);
      return {};
    }
    return MoveTexts::tr(
               "The copy of %1 differs from the original, so the disk may be faulty. The model is "
               "still at its old place.")
        .arg(fileNameOf(source.path));
  }

  QByteArray write(const StoredFile& source, const QString& copy) {
    QFile from(source.path);
    QFile to(copy);
    if (!isUnchanged(source) || !from.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
      m_problem = MoveTexts::tr("%1 has changed meanwhile, or cannot be read. Scan again.")
                      .arg(fileNameOf(source.path));
      return {};
    }
    if (!to.open(QIODevice::WriteOnly | QIODevice::NewOnly | QIODevice::Unbuffered)) {
      return fail(to);
    }
    QCryptographicHash hash(QCryptographicHash::Sha256);
    QByteArray slice(kCopyBytes, Qt::Uninitialized);
    qint64 got = 0;
    while ((got = from.read(slice.data(), kCopyBytes)) > 0) {
      if (m_stop.stop_requested()) return {};
      hash.addData(QByteArrayView(slice.constData(), got));
      if (to.write(slice.constData(), got) != got) return fail(to);
      advance(got);
    }
    // Only what is on the disk can be read back from it.
    if (got < 0 || !platform::flush_file(to.handle())) return fail(to);
    platform::drop_from_cache(to.handle(), 0, 0);
    return hash.result().toHex();
  }

  QByteArray fail(const QFile& to) {
    m_problem = MoveTexts::tr("%1 cannot be copied: %2. The model is still at its old place.")
                    .arg(fileNameOf(to.fileName()), systemReason(to.errorString()));
    return {};
  }

  void advance(qint64 bytes) {
    m_done += bytes;
    if (m_progress) m_progress(m_done, m_total);
  }

  ModelMove& m_move;
  const std::stop_token& m_stop;
  const FileProgress& m_progress;
  const qint64 m_total;
  qint64 m_done = 0;
  QString m_problem;
};

/// Removes the copies, and nothing else that may be there.
void removeStaging(const ModelMove& move) {
  for (const QString& name : move.copies) QFile::remove(move.staging + u'/' + name);
  QDir().rmdir(move.staging);
}

/// Makes the copies the target in one step, unless there is something of that name.
bool publish(const ModelMove& move) {
  const QString from =
      move.isFolder ? move.staging : move.staging + u'/' + move.copies.constFirst();
  if (!platform::rename_to_new(QFile::encodeName(from).toStdString(),
                               QFile::encodeName(move.target).toStdString()))
    return false;
  if (!move.isFolder) QDir().rmdir(move.staging);
  flushFolder(QFileInfo(move.target).path());
  return true;
}

/// Whether the verified copies are at the target.
bool isPublished(const ModelMove& move) {
  if (move.verified.size() != move.files.size()) return false;
  return std::ranges::all_of(move.verified, [](const StoredFile& copy) {
    const auto file = storedFile(copy.path);
    return file && file->identity == copy.identity && file->bytes == copy.bytes;
  });
}

/// The record of the source's hashes holds for the copies too, because they are equal.
void moveRecords(const ModelMove& move) {
  for (const QString& record : move.records) {
    const bool isOfModel = QFileInfo(record).completeBaseName() == QFileInfo(move.from).fileName();
    const QString folder =
        QFileInfo(isOfModel ? move.to : move.target).path() + QStringLiteral("/.quire-hashes");
    if (storedFile(record) && QDir().mkpath(folder) &&
        QFile::copy(record, folder + u'/' + fileNameOf(record))) {
      QFile::remove(record);
    }
  }
}

/// What the target of several files is called.
QString folderName(const StoredModel& model, const ModelParts& parts) {
  const QFileInfo info(model.path);
  if (info.isDir()) return info.fileName();
  const QString parent = QFileInfo(info.path()).fileName();
  // A model that has its folder for itself keeps its name.
  return parts.folders.contains(info.canonicalPath()) ? parent : info.completeBaseName();
}

QString problemOf(const StoredModel& model, const ModelParts& parts, const QString& folder) {
  const QFileInfo target(folder);
  const QString real = target.canonicalFilePath();
  if (!parts.problem.isEmpty()) return parts.problem;
  if (!QDir::isAbsolutePath(folder) || !target.isDir()) {
    return MoveTexts::tr("There is no such folder.");
  }
  if (!platform::may_change(platform::utf8_path(folder.toStdString()))) {
    return MoveTexts::tr("You may not write to this folder. Choose another one.");
  }
  const QFileInfo source(model.path);
  const QString own = source.isDir() ? source.canonicalFilePath() : source.canonicalPath();
  if (real == own || (source.isDir() && real.startsWith(own + u'/')) ||
      (source.isDir() && real == QFileInfo(own).path())) {
    return MoveTexts::tr("The model is in this folder already.");
  }
  return {};
}

}  // namespace

MovePlan planMove(const StoredModel& model, const ModelParts& parts, const QString& folder) {
  MovePlan plan;
  plan.problem = problemOf(model, parts, folder);
  if (!plan.problem.isEmpty()) return plan;
  const QString real = QFileInfo(folder).canonicalFilePath();
  const QFileInfo source(model.path);
  ModelMove& move = plan.move;
  for (const StoredFile& file : parts.files) {
    if (file.path.contains(QLatin1String("/.quire-hashes/"))) {
      move.records.append(file.path);
      continue;
    }
    move.files.append(file);
    move.copies.append(fileNameOf(file.path));
  }
  move.isFolder = source.isDir() || move.files.size() > 1;
  if (source.fileName().startsWith(QLatin1String("sha256"))) {
    plan.problem = MoveTexts::tr(
        "Ollama finds its models only in its own folder. Download the model with Quire to have it "
        "elsewhere.");
    return plan;
  }
  move.from = model.path;
  move.target = real + u'/' + (move.isFolder ? folderName(model, parts) : source.fileName());
  move.to = source.isDir() || !move.isFolder ? move.target : move.target + u'/' + source.fileName();
  move.staging =
      real + QStringLiteral("/.quire-move-") + QUuid::createUuid().toString(QUuid::Id128).left(8);
  move.folders = parts.folders;
  const auto free = platform::free_bytes(platform::utf8_path(real.toStdString()));
  plan.freeBytes = static_cast<qint64>(free.value_or(0));
  if (QFileInfo::exists(move.target)) {
    plan.problem = MoveTexts::tr(
                       "%1 is there already, and it is not overwritten. Choose another "
                       "folder.")
                       .arg(fileNameOf(move.target));
  } else if (free && plan.freeBytes < move.bytes() + kSpareBytes) {
    plan.problem = MoveTexts::tr(
                       "The model takes %1, and %2 are free there. Free some space, or "
                       "choose another folder.")
                       .arg(sizeText(static_cast<quint64>(move.bytes())),
                            sizeText(static_cast<quint64>(plan.freeBytes)));
  }
  return plan;
}

QString copyModel(const ModelMove& move, const MoveJournal& journal, const std::stop_token& stop,
                  const FileProgress& progress) {
  if (journal.read()) {
    return MoveTexts::tr("An earlier move is not complete. Start Quire again to complete it.");
  }
  if (!journal.write(move)) {
    return MoveTexts::tr(
        "Quire's data folder cannot be written, so nothing was moved. Free some space there.");
  }
  ModelMove copied = move;
  QString problem = Copier(copied, stop, progress).run();
  if (problem.isEmpty() && !stop.stop_requested()) {
    // Without this entry in the journal, a crash after it would undo the move.
    if (journal.write(copied) && publish(copied)) return {};
    problem = QFileInfo::exists(move.target)
                  ? MoveTexts::tr(
                        "%1 is there already, and it is not overwritten. Choose another folder.")
                        .arg(fileNameOf(move.target))
                  : MoveTexts::tr(
                        "The last step of the move failed, so nothing was moved. Check that both "
                        "disks have space and can be written.");
  }
  removeStaging(move);
  journal.remove();
  return problem;
}

QString removeSource(const ModelMove& move, const MoveJournal& journal) {
  QStringList left;
  for (const StoredFile& file : move.files) {
    if (!storedFile(file.path)) continue;  // An earlier try removed it.
    if (!isUnchanged(file) || !QFile::remove(file.path)) left.append(fileNameOf(file.path));
  }
  moveRecords(move);
  QDir().rmdir(move.staging);
  for (const QString& folder : move.folders) QDir().rmdir(folder);  // Only an empty one.
  journal.remove();
  if (left.isEmpty()) return {};
  return MoveTexts::tr("The model was copied, but %1 could not be deleted at the old place.")
      .arg(left.join(QStringLiteral(", ")));
}

std::optional<ModelMove> recoverMove(const MoveJournal& journal) {
  const auto move = journal.read();
  if (!move) return std::nullopt;
  if (isPublished(*move)) return move;
  removeStaging(*move);
  journal.remove();
  return std::nullopt;
}

}  // namespace quire
