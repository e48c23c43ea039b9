#include "app/models/files/stored_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

#include "app/models/files/hash_record.h"
#include "app/models/files/hub_cache.h"
#include "app/models/files/ollama_store.h"
#include "platform/file.h"
#include "platform/folder.h"

namespace quire {
namespace {

constexpr int kMostFiles = 10'000;

struct ModelFileTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelFileTexts)
};

/// The names of a split set in a folder, or the file's name alone.
QStringList namesOfSet(const QString& name, const QStringList& all) {
  static const QRegularExpression kPart(QStringLiteral("^(.*)-\\d{5}-of-(\\d{5})\\.gguf$"),
                                        QRegularExpression::CaseInsensitiveOption);
  const QRegularExpressionMatch match = kPart.match(name);
  if (!match.hasMatch()) return {name};
  QStringList set;
  for (const QString& one : all) {
    const QRegularExpressionMatch other = kPart.match(one);
    if (other.hasMatch() && other.captured(1) == match.captured(1) &&
        other.captured(2) == match.captured(2)) {
      set.append(one);
    }
  }
  return set;
}

/// Whether a file of a Hugging Face folder is the model's. Others, such as notes, are left alone.
bool isOfFolderModel(const QString& name) {
  static const QRegularExpression kNames(
      QStringLiteral("^(\\.gitattributes|license.*|readme.*|notice.*|use_policy.*|merges\\.txt|"
                     "vocab\\.(txt|json)|.*\\.(safetensors|json|jinja|model|tiktoken)|"
                     "pytorch_model.*\\.bin)$"),
      QRegularExpression::CaseInsensitiveOption);
  return kNames.match(name).hasMatch();
}

/// Lists what belongs to a model in one folder.
class FolderListing {
 public:
  FolderListing(const StoredModel& model, ModelParts& parts) : m_model(model), m_parts(parts) {}

  void list() {
    const QFileInfo info(m_model.path);
    const bool isFolder = info.isDir();
    m_folder = isFolder ? m_model.path : info.path();
    if (!checkPlace()) return;
    QStringList all = QDir(m_folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System |
                                               QDir::NoDotAndDotDot);
    const bool hasRecords = all.removeOne(QStringLiteral(".quire-hashes"));
    if (all.size() > kMostFiles) {
      m_parts.problem =
          ModelFileTexts::tr("Its folder holds too many files. Use the file manager.");
      return;
    }
    const QStringList own = isFolder ? namesOfFolder(all) : namesOfFile(info.fileName(), all);
    for (const QString& name : own) add(m_folder + u'/' + name);
    const bool isAlone = own.size() == all.size();
    if (isFolder && isAlone && !hasRecords) m_parts.wholeFolder = m_folder;
    addRecords(isFolder ? m_folder : m_folder + u'/' + info.fileName(), isAlone);
    if (isAlone) addFolders(isFolder);
    if (!platform::may_change(platform::utf8_path(m_folder.toStdString())) &&
        m_parts.problem.isEmpty()) {
      m_parts.problem = ModelFileTexts::tr("You may not change the folder %1.").arg(m_folder);
    }
  }

 private:
  /// A folder behind a link belongs to where the link leads.
  bool checkPlace() {
    const QString real = QFileInfo(m_folder).canonicalFilePath();
    const QString place = QFileInfo(m_model.place).canonicalFilePath();
    const bool isWithin = m_model.place.isEmpty() || real == place ||
                          (!place.isEmpty() && real.startsWith(place + u'/'));
    if (real.isEmpty()) {
      m_parts.problem = ModelFileTexts::tr("Its files are not there any more. Scan again.");
    } else if (!isWithin) {
      m_parts.problem = ModelFileTexts::tr(
                            "Its folder is a link: the files are in %1. Add that folder, then try "
                            "again there.")
                            .arg(real);
    }
    m_folder = real;
    return m_parts.problem.isEmpty();
  }

  static QStringList namesOfFolder(const QStringList& all) {
    QStringList own;
    std::copy_if(all.begin(), all.end(), std::back_inserter(own), isOfFolderModel);
    return own;
  }

  /// A projector belongs to a model that has its folder for itself.
  static QStringList namesOfFile(const QString& name, const QStringList& all) {
    QStringList own = namesOfSet(name, all);
    const bool isOnly = std::all_of(all.begin(), all.end(), [&](const QString& other) {
      return !isGguf(other) || own.contains(other) || isProjector(other);
    });
    for (const QString& other : all) {
      if (isOnly && isProjector(other) && !own.contains(other)) own.append(other);
    }
    return own;
  }

  void add(const QString& path) {
    if (const auto file = storedFile(path)) {
      m_parts.files.append(*file);
    } else if (QFileInfo(path).isSymLink()) {
      m_parts.problem = ModelFileTexts::tr("%1 is a link to %2. Quire deletes and moves no links.")
                            .arg(QFileInfo(path).fileName(), QFileInfo(path).symLinkTarget());
    }
  }

  /// The record of a folder may be of several models.
  void addRecords(const QString& path, bool isAlone) {
    for (const QString& record : hashRecordsOf(path)) {
      const bool isOfFolder = QFileInfo(record).completeBaseName() != QFileInfo(path).fileName();
      const auto file = storedFile(record);
      if (!file || (isOfFolder && !isAlone)) continue;
      m_parts.files.append(*file);
      m_parts.folders.append(QFileInfo(record).path());
    }
  }

  /// Adds the folders below the searched one that hold nothing else.
  void addFolders(bool isFolderModel) {
    const QString place = QFileInfo(m_model.place).canonicalFilePath();
    QString folder = m_folder;
    if (place.isEmpty()) {
      if (isFolderModel) m_parts.folders.append(folder);
      return;
    }
    while (folder != place && folder.startsWith(place + u'/')) {
      m_parts.folders.append(folder);
      folder = QFileInfo(folder).path();
    }
  }

  const StoredModel& m_model;
  ModelParts& m_parts;
  QString m_folder;
};

}  // namespace

qint64 ModelParts::bytes() const {
  qint64 sum = 0;
  for (const StoredFile& file : files) sum += file.bytes;
  return sum;
}

qint64 ModelParts::freedBytes() const {
  qint64 sum = 0;
  for (const StoredFile& file : files) sum += file.hasOtherNames ? 0 : file.bytes;
  return sum;
}

QStringList ModelParts::paths() const {
  QStringList paths;
  for (const StoredFile& file : files) paths.append(file.path);
  return paths;
}

std::optional<StoredFile> storedFile(const QString& path) {
  const auto entry = platform::entry_of(platform::utf8_path(path.toStdString()));
  if (!entry || !entry->status.is_regular) return std::nullopt;
  return StoredFile{.path = path,
                    .bytes = static_cast<qint64>(entry->status.size),
                    .modifiedNs = entry->stamp.modified_ns,
                    .identity = {entry->stamp.device, entry->stamp.number},
                    .hasOtherNames = entry->status.num_names > 1};
}

QString commandFor(const QString& command, const QString& prefix, const QString& name) {
  static const QRegularExpression kPlain(QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9._:/-]*\\z"));
  return kPlain.match(name).hasMatch() ? command + u' ' + prefix + name : command;
}

bool isUnchanged(const StoredFile& file) {
  const auto now = storedFile(file.path);
  return now && now->bytes == file.bytes && now->modifiedNs == file.modifiedNs &&
         now->identity == file.identity;
}

ModelParts partsOf(const StoredModel& model) {
  ModelParts parts;
  if (isOllamaBlob(model.path)) {
    addOllamaParts(model, parts);
  } else if (isInHubCache(model.path)) {
    addHubCacheParts(model, parts);
  } else {
    FolderListing(model, parts).list();
  }
  if (parts.files.isEmpty() && parts.problem.isEmpty()) {
    parts.problem = ModelFileTexts::tr("Its files are not there any more. Scan again.");
  }
  return parts;
}

bool holdsWeights(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return isGguf(name) || isSafetensors(name) || name.endsWith(QLatin1String(".bin")) ||
         isOllamaBlob(path);
}

}  // namespace quire
