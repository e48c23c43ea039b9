#include "app/models/scan/model_search.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <utility>

#include "kernels/base/visible_text.h"
#include "platform/file.h"

namespace quire {
namespace {

struct ModelSearchTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelSearchTexts)
};

struct PartName {
  QString stem;
  QString count;
};

/// The parts of "model-00002-of-00003.gguf"; nullopt for other names.
std::optional<PartName> partOf(const QString& name) {
  static const QRegularExpression kPart(QStringLiteral("^(.*)-\\d{5}-of-(\\d{5})\\.gguf$"),
                                        QRegularExpression::CaseInsensitiveOption);
  const QRegularExpressionMatch match = kPart.match(name);
  if (!match.hasMatch()) return std::nullopt;
  return PartName{match.captured(1), match.captured(2)};
}

bool isWeights(const QString& name) {
  return name.endsWith(QLatin1String(".safetensors")) ||
         (name.startsWith(QLatin1String("pytorch_model")) && name.endsWith(QLatin1String(".bin")));
}

bool mattersToFolderModel(const QString& name) {
  return isWeights(name) || name.endsWith(QLatin1String(".json")) ||
         name.endsWith(QLatin1String(".jinja")) || name == QLatin1String("tokenizer.model");
}

}  // namespace

void ModelSearch::search(const ModelPlace& place) {
  if (stopped()) return;
  switch (place.layout) {
    case PlaceLayout::kTree:
      searchTree(place.path, {place});
      break;
    case PlaceLayout::kOllama:
      searchOllama(place);
      break;
    case PlaceLayout::kHuggingFace:
      searchHuggingFace(place);
      break;
  }
}

bool ModelSearch::isNew(const QString& path, const ModelPlace& place) {
  const auto identity = identityOf(path);
  if (!identity && QFile::encodeName(path).size() >= PATH_MAX) {
    leaveOut(path, place,
             ModelSearchTexts::tr("Its path is too long. Move it to a folder further up."));
  }
  if (!identity || m_seen.contains(*identity)) return false;
  m_seen.insert(*identity);
  return true;
}

bool ModelSearch::countEntry() {
  if (++m_numEntries > m_limits.entries) m_found.limited = true;
  return !stopped();
}

void ModelSearch::leaveOut(const QString& path, const ModelPlace& place, const QString& reason) {
  m_found.leftOut.append({path, place.source, reason});
}

/// Breadth first, without recursion.
void ModelSearch::searchTree(const QString& root, const Naming& naming) {
  QList<Folder> waiting = {{QDir::cleanPath(root), 0}};
  while (!waiting.isEmpty() && !stopped()) {
    const Folder folder = waiting.takeFirst();
    if (!isNew(folder.path, naming.place) || isKernelFolder(folder.path)) continue;
    searchFolder(folder, naming, waiting);
  }
}

void ModelSearch::searchFolder(const Folder& folder, const Naming& naming, QList<Folder>& below) {
  const QFileInfo info(folder.path);
  if (!info.isReadable() || !info.isExecutable()) {
    leaveOut(folder.path, naming.place, ModelSearchTexts::tr("You may not read this folder."));
    return;
  }
  QStringList names;
  QDirIterator entries(folder.path, QDir::Dirs | QDir::Files | QDir::NoDotAndDotDot);
  while (entries.hasNext()) {
    entries.next();
    if (!countEntry()) return;
    if (!entries.fileInfo().isDir()) {
      // QDir::Files lets links to pipes and devices through.
      if (entries.fileInfo().isFile()) names.append(entries.fileName());
    } else if (folder.depth < m_limits.depth && !entries.fileName().startsWith(u'.')) {
      below.append({entries.filePath(), folder.depth + 1});
    }
  }
  leaveOutUndecodable(folder.path, naming.place);
  names.sort();                    // The file system has no order.
  QHash<QString, qsizetype> sets;  // Index of the candidate of each split set.
  for (const QString& name : std::as_const(names)) {
    if (name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
      addGguf(folder.path, name, sets, naming);
  }
  addFolderModel(folder.path, names, naming);
}

/// Reports GGUF files and folders whose names are no UTF-8, which QDirIterator passes over.
void ModelSearch::leaveOutUndecodable(const QString& folder, const ModelPlace& place) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = platform::utf8_path(folder.toStdString());
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (QUtf8StringView(name.data(), static_cast<qsizetype>(name.size())).isValidUtf8()) continue;
    if (!countEntry()) return;
    std::error_code unknown;
    const bool matters = entry->is_directory(unknown) ||
                         (name.ends_with(".gguf") && entry->is_regular_file(unknown));
    if (!matters || name.starts_with('.')) continue;
    leaveOut(folder + u'/' + QString::fromStdString(visible_text(name)), place,
             ModelSearchTexts::tr("Its name is not valid UTF-8. Rename it."));
  }
}

void ModelSearch::addGguf(const QString& folder, const QString& name,
                          QHash<QString, qsizetype>& sets, const Naming& naming) {
  const QString path = folder + u'/' + name;
  QString shownName = name.chopped(5);
  QString set;
  if (const auto part = partOf(name)) {
    // A split set is one candidate, named by its first part; the reader reports missing parts.
    set = part->stem + u'/' + part->count;
    shownName = part->stem;
    if (const auto known = sets.constFind(set); known != sets.cend()) {
      if (*known >= 0) m_found.candidates[*known].files += path;
      return;
    }
  }
  const bool fresh = isNew(path, naming.place);
  if (!set.isEmpty()) sets[set] = fresh ? m_found.candidates.size() : -1;
  if (!fresh) return;
  if (!naming.repository.isEmpty())
    shownName = naming.repository + QStringLiteral(" · ") + shownName;
  m_found.candidates.append({.path = path,
                             .name = shownName,
                             .source = naming.place.source,
                             .place = naming.place.path,
                             .files = {path},
                             .note = {}});
}

void ModelSearch::addFolderModel(const QString& folder, const QStringList& names,
                                 const Naming& naming) {
  const auto weights = std::find_if(names.cbegin(), names.cend(), isWeights);
  if (weights == names.cend()) return;
  if (names.contains(QLatin1String("adapter_config.json"))) {
    leaveOut(folder, naming.place,
             ModelSearchTexts::tr("An adapter: it changes another model. Choose it in a persona."));
    return;
  }
  if (!names.contains(QLatin1String("config.json"))) return;
  if (!isNew(folder + u'/' + *weights, naming.place)) return;
  ModelCandidate candidate = {
      .path = folder,
      .name = naming.repository.isEmpty() ? QFileInfo(folder).fileName() : naming.repository,
      .source = naming.place.source,
      .place = naming.place.path,
      .files = {},
      .note = {}};
  for (const QString& name : names) {
    if (mattersToFolderModel(name)) candidate.files += folder + u'/' + name;
  }
  m_found.candidates.append(candidate);
}

}  // namespace quire
