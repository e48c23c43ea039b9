#include "app/models/scan/model_verdicts.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonObject>

#include <utility>

#include "app/error_strings.h"
#include "app/models/scan/small_json.h"

namespace quire {
namespace {

constexpr JsonLimits kVerdictLimits = {
    .max_bytes = 16 << 20, .max_depth = 8, .max_values = 500'000};
constexpr qsizetype kMost = 10'000;  ///< Models; those that were read are dropped beyond it.
const QString kReaderVersion = QStringLiteral("version");
const QString kVerdicts = QStringLiteral("verdicts");
const QString kFileStamp = QStringLiteral("stamp");
const QString kWhy = QStringLiteral("why");

}  // namespace

ModelVerdicts::ModelVerdicts(const QString& path, const QString& version)
    : m_path(path), m_version(version) {
  load();
}

void ModelVerdicts::load() {
  if (m_path.isEmpty()) return;
  const QJsonObject root = readSmallJson(m_path, kVerdictLimits);
  const bool isSameReader = root[kReaderVersion].toString() == m_version;
  const QJsonObject verdicts = root[kVerdicts].toObject();
  for (auto at = verdicts.begin(); at != verdicts.end(); ++at) {
    const QJsonObject one = at.value().toObject();
    const Verdict verdict = {one[kFileStamp].toString(), errorFromJson(one[kWhy].toObject())};
    if (isSameReader || !verdict.why.message.empty()) m_verdicts.insert(at.key(), verdict);
  }
}

std::optional<Error> ModelVerdicts::find(const QString& modelPath, const QString& stamp) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_verdicts.constFind(modelPath);
  if (stamp.isEmpty() || found == m_verdicts.cend() || found->stamp != stamp) return {};
  return found->why;
}

void ModelVerdicts::setRead(const QString& modelPath, const QString& stamp) {
  const std::lock_guard lock(m_mutex);
  if (m_verdicts.size() >= kMost) {
    m_verdicts.removeIf([](const auto& one) { return one->why.message.empty(); });
  }
  m_verdicts.insert(modelPath, {stamp, {}});
  m_changed = true;
}

void ModelVerdicts::quarantine(const QString& modelPath, const QString& stamp, const Error& why) {
  {
    const std::lock_guard lock(m_mutex);
    m_verdicts.insert(modelPath, {stamp, why});
    m_changed = true;
  }
  save();
}

void ModelVerdicts::forget(const QString& modelPath) {
  const std::lock_guard lock(m_mutex);
  if (m_verdicts.remove(modelPath)) m_changed = true;
}

void ModelVerdicts::save() {
  const std::lock_guard writing(m_writing);
  QHash<QString, Verdict> verdicts;
  {
    const std::lock_guard lock(m_mutex);
    if (!std::exchange(m_changed, false)) return;
    verdicts = m_verdicts;
  }
  write(verdicts);
}

void ModelVerdicts::write(const QHash<QString, Verdict>& all) const {
  if (m_path.isEmpty()) return;
  QJsonObject verdicts;
  for (auto at = all.cbegin(); at != all.cend(); ++at) {
    verdicts[at.key()] = QJsonObject{{kFileStamp, at->stamp}, {kWhy, toJson(at->why)}};
  }
  QDir().mkpath(QFileInfo(m_path).path());
  // It names the user's files, so no other user may read it.
  static_cast<void>(replaceSmallJson(m_path, {{kReaderVersion, m_version}, {kVerdicts, verdicts}}));
}

}  // namespace quire
