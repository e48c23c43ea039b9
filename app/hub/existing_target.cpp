#include "app/hub/existing_target.h"

#include <QFileInfo>

namespace quire {

bool ExistingTarget::isThere(const DownloadPlan& plan) {
  const QFileInfo info(plan.targetPath());
  return info.exists() || info.isSymLink();
}

QString ExistingTarget::pathOf(const PlannedFile& file) const {
  return m_plan.isFolder ? m_plan.targetPath() + u'/' + file.path : m_plan.targetPath();
}

bool ExistingTarget::open() {
  const PlannedFile& file = m_plan.files[m_index];
  m_file.setFileName(pathOf(file));
  if (!QFileInfo(m_file).isFile() || m_file.size() != file.bytes) return false;
  if (!m_file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) return false;
  m_hash = std::make_unique<StreamHash>(file.hash.kind, file.bytes);
  return true;
}

ExistingTarget::Verdict ExistingTarget::step(qint64 most) {
  if (m_index == m_plan.files.size()) return Verdict::kSame;
  if (!m_hash && !open()) return Verdict::kDifferent;
  const QByteArray bytes = m_file.read(most);
  m_hash->add(bytes);
  m_readBytes += bytes.size();
  if (!bytes.isEmpty() && !m_file.atEnd()) return Verdict::kReading;
  if (m_hash->hex() != m_plan.files[m_index].hash.hex) return Verdict::kDifferent;
  m_hash.reset();
  m_file.close();
  ++m_index;
  return m_index == m_plan.files.size() ? Verdict::kSame : Verdict::kReading;
}

}  // namespace quire
