#include "app/hub/download_plan.h"

#include <QCryptographicHash>
#include <QSet>

#include <algorithm>
#include <numeric>

#include "app/hub/hub_problem.h"
#include "app/hub/hub_replies.h"
#include "app/hub/safe_path.h"
#include "engine/io/private_file.h"

namespace quire {
namespace {

/// "model" of "model-00001-of-00003.gguf".
QString stemOf(const QString& path) {
  const QString name = fileNameOf(path);
  const qsizetype part = name.lastIndexOf(QLatin1String("-00001-of-"));
  return name.left(part > 0 ? part : name.lastIndexOf(u'.'));
}

/// "Qwen/Qwen3-8B", or "ollama/library/qwen3": the tag is in the files' names.
QString folderOf(const HubModel& model) {
  const QString name = model.name.section(u':', 0, 0);
  return model.hub == HubName::Hub::kOllama ? QStringLiteral("ollama/") + name : name;
}

Error unsafe(const HubModel& model, const QString& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 has a file with the name \"%2\", which is not safe to store. Choose "
                    "another model",
                    {model.name.toStdString(), path.left(200).toStdString()});
}

Error notUnique(const HubModel& model, const QString& path) {
  return make_error(
      ErrorCode::kUnsupported,
      "%1 has two files with the name \"%2\", of which only one can be stored. Choose "
      "another model",
      {model.name.toStdString(), path.left(200).toStdString()});
}

Error tooLarge(const HubModel& model, qint64 bytes) {
  return make_error(ErrorCode::kUnsupported,
                    "the files of %1 take %2, and Quire downloads at most %3. Choose another model",
                    {model.name.toStdString(), bytesText(bytes), bytesText(kMostFileBytes)});
}

Error tooManyFiles(const HubModel& model, qsizetype count) {
  return make_error(
      ErrorCode::kUnsupported,
      "%1 has %2 files, and Quire downloads at most %3. Choose another model",
      {model.name.toStdString(), std::to_string(count), std::to_string(kMostPlannedFiles)});
}

Error noData(const HubModel& model, const QString& path) {
  return make_error(ErrorCode::kUnsupported, "%1: the file %2 is empty. Choose another model",
                    {model.name.toStdString(), path.left(200).toStdString()});
}

/// Names must be safe and differ, also where upper and lower case are the same.
Result<void> addFiles(const HubModel& model, const QList<HubFile>& files, bool isFolder,
                      DownloadPlan& plan) {
  QSet<QString> names;
  for (const HubFile& file : files) {
    const QString path = isFolder ? file.path : fileNameOf(file.path);
    if (!isSafePath(path)) return unsafe(model, file.path);
    if (names.contains(path.toLower())) return notUnique(model, path);
    names.insert(path.toLower());
    if ((isGguf(path) || isSafetensors(path)) && file.bytes == 0) return noData(model, path);
    plan.files.append({path, file.url, file.bytes, file.hash});
  }
  return {};
}

}  // namespace

qint64 DownloadPlan::bytes() const {
  return std::accumulate(files.begin(), files.end(), qint64{0},
                         [](qint64 sum, const PlannedFile& file) { return sum + file.bytes; });
}

QString DownloadPlan::modelPath() const {
  const auto gguf =
      std::ranges::find_if(files, [](const PlannedFile& file) { return isGguf(file.path); });
  const bool isInFolder = isFolder && gguf != files.end();
  return isInFolder ? targetPath() + u'/' + gguf->path : targetPath();
}

QString DownloadPlan::stagingPath() const {
  const QByteArray key =
      QCryptographicHash::hash((source + u'\n' + target).toUtf8(), QCryptographicHash::Sha256);
  return folder + QStringLiteral("/.incoming/") + QString::fromLatin1(key.toHex().left(24));
}

QString defaultModelsFolder() {
  const auto data = base_folder("XDG_DATA_HOME", ".local/share");
  if (data.empty()) return {};
  return QString::fromStdString((data / "quire" / "models").string());
}

Result<DownloadPlan> planDownload(const HubModel& model, const ModelChoice& choice,
                                  const QString& folder) {
  DownloadPlan plan{.title = model.name,
                    .source = hubTitle(model.hub) + u' ' + model.name,
                    .page = model.page,
                    .folder = folder,
                    .isFolder = choice.isFolder || choice.files.size() > 1};
  if (!choice.type.isEmpty()) plan.title += QStringLiteral(" · ") + choice.type;
  if (choice.files.isEmpty()) return unsafe(model, {});
  if (choice.files.size() > kMostPlannedFiles) return tooManyFiles(model, choice.files.size());
  // Each is bounded, and there are too few to overflow.
  if (choice.bytes() > kMostFileBytes) return tooLarge(model, choice.bytes());
  const auto added = addFiles(model, choice.files, choice.isFolder, plan);
  if (!added) return added.error();
  plan.target = folderOf(model);
  if (!choice.isFolder) {
    plan.target += u'/' + (plan.isFolder ? stemOf(plan.files.first().path) : plan.files[0].path);
  }
  if (!isSafePath(plan.target)) return unsafe(model, plan.target);
  return plan;
}

}  // namespace quire
