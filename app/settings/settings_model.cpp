#include "app/settings/settings_model.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QLocale>
#include <QSysInfo>
#include <QUrl>

#include <algorithm>

#include "app/models/model_labels.h"
#include "app/store/file_system.h"
#include "app/store/setting_keys.h"

namespace quire {
namespace {

constexpr int kStandardMiB = 1024;  ///< The default of PrefixBudgets.
constexpr int kMostMiB = 1 << 20;
const QString kIdleKey = QStringLiteral("engine.idleMinutes");

}  // namespace

SettingsModel::SettingsModel(ModelManager& manager, DataSession& session,
                             GenerationDefaults& generation, QObject* parent)
    : QObject(parent), m_manager(manager), m_session(session), m_generation(generation) {
  connect(&manager, &ModelManager::modelsChanged, this, &SettingsModel::onModelChanged);
  connect(&manager, &ModelManager::stateChanged, this, &SettingsModel::onModelChanged);
  connect(&generation, &GenerationDefaults::changed, this, [this] {
    const SettingsLayers layers = m_generation.layersFor();
    if (layers.model == m_editor.own()) return;
    m_editor.show(SettingsLayer::Model, layers, m_generation.modelName());
  });
  connect(&m_editor, &GenerationEditor::edited, this,
          [this] { m_generation.putGeneration(m_generation.pathOf({}), m_editor.own()); });
}

void SettingsModel::load() {
  m_manager.setIdleUnload(std::max(0, m_session.setting(kIdleKey).toInt()));
  m_network = fileSystemOf(m_session.folder()).network;
  onModelChanged();
  emit changed();
}

QStringList SettingsModel::idleChoices() const {
  QStringList choices;
  for (const int minutes : model_labels::kIdleMinutes)
    choices.append(model_labels::idleTime(minutes));
  return choices;
}

int SettingsModel::idleIndex() const {
  return model_labels::idleIndex(m_manager.idleUnload());
}

void SettingsModel::chooseIdle(int index) {
  if (index < 0 || index >= static_cast<int>(std::size(model_labels::kIdleMinutes))) return;
  const int minutes = model_labels::kIdleMinutes[index];
  m_manager.setIdleUnload(minutes);
  m_session.putSetting(kIdleKey, QString::number(minutes));
  emit changed();
}

// linkPrefixDatabase() reads the same keys.
QString SettingsModel::keyOf(Budget budget) {
  return budget == Budget::Persona ? setting_keys::kPersonaCacheMiB : setting_keys::kChatCacheMiB;
}

bool SettingsModel::isSet(Budget budget) const {
  return !m_session.setting(keyOf(budget)).isEmpty();
}

QString SettingsModel::budgetText(Budget budget) const {
  return isSet(budget) ? m_session.setting(keyOf(budget)) : QString::number(kStandardMiB);
}

QString SettingsModel::budgetDefault() const {
  return tr("Default: %1 MiB").arg(QLocale().toString(kStandardMiB));
}

void SettingsModel::setBudget(Budget budget, const QString& text) {
  QString& problem = m_problems[static_cast<int>(budget)];
  problem.clear();
  bool isNumber = false;
  const int mebibytes = text.trimmed().toInt(&isNumber);
  if (text.trimmed().isEmpty()) {
    if (isSet(budget)) m_session.putSetting(keyOf(budget), QString());
  } else if (!isNumber || mebibytes < 0 || mebibytes > kMostMiB) {
    problem = tr("This is a whole number of MiB, 0 or more; 0 keeps nothing.");
  } else if (text.trimmed() != budgetText(budget)) {
    m_session.putSetting(keyOf(budget), QString::number(mebibytes));
  }
  emit changed();
}

QString SettingsModel::dataFolder() const {
  return QDir::toNativeSeparators(QDir(m_session.folder()).absolutePath());
}

QString SettingsModel::folderProblem() const {
  if (m_network.isEmpty()) return {};
  return tr("This folder is on a network (%1), where a lost connection can damage your chats. A "
            "folder on this computer is safer: start Quire with --data.")
      .arg(m_network);
}

void SettingsModel::openDataFolder() const {
  QDesktopServices::openUrl(QUrl::fromLocalFile(QDir(m_session.folder()).absolutePath()));
}

QString SettingsModel::versionText() const {
  const QString version = QCoreApplication::applicationVersion();
  return version.isEmpty() ? tr("Quire") : tr("Quire %1").arg(version);
}

QString SettingsModel::systemText() const {
  return tr("%1, %2, Qt %3")
      .arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture(),
           QString::fromLatin1(qVersion()));
}

/// Shows the settings of the primary model when it has changed, or when its files were read.
/// Ignores the progress of a load.
void SettingsModel::onModelChanged() {
  const QString path = m_generation.pathOf({});
  const QString shown = path + u'\n' + m_generation.modelName();
  const SettingsLayers layers = m_generation.layersFor();
  if (shown == m_shownModel && layers.modelFile == m_shownFile) return;
  m_shownModel = shown;
  m_shownFile = layers.modelFile;
  m_editor.show(SettingsLayer::Model, layers, m_generation.modelName());
  emit changed();
}

}  // namespace quire
