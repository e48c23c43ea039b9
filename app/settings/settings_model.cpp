#include "app/settings/settings_model.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QSysInfo>
#include <QUrl>

#include <algorithm>

#include "app/settings/idle_choices.h"

namespace quire {
namespace {

constexpr int kLeastPercent = 90;
constexpr int kMostPercent = 130;
constexpr int kStandardMiB = 1024;  // Of PrefixBudgets.
constexpr int kMostMiB = 1 << 20;   // A tebibyte.
const QString kTextKey = QStringLiteral("window.textPercent");
const QString kIdleKey = QStringLiteral("engine.idleMinutes");

}  // namespace

SettingsModel::SettingsModel(ModelManager& manager, DataSession& session,
                             GenerationDefaults& generation, InterfaceLanguage& language,
                             QObject* parent)
    : QObject(parent),
      m_manager(manager),
      m_session(session),
      m_generation(generation),
      m_language(language) {
  // Not in the same breath: the window tells its own words anew in that one.
  connect(&language, &InterfaceLanguage::changed, this, &SettingsModel::changed,
          Qt::QueuedConnection);
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
  const int percent = m_session.setting(kTextKey).toInt();
  m_textPercent = percent == 0 ? 100 : std::clamp(percent, kLeastPercent, kMostPercent);
  m_manager.setIdleUnload(std::max(0, m_session.setting(kIdleKey).toInt()));
  onModelChanged();
  emit changed();
}

void SettingsModel::setTextPercent(int percent) {
  const int wanted = std::clamp(percent, kLeastPercent, kMostPercent);
  if (wanted == m_textPercent) return;
  m_textPercent = wanted;
  m_session.putSetting(kTextKey, QString::number(wanted));
  emit changed();
}

QStringList SettingsModel::languageNames() const {
  return QStringList(tr("As the system")) + m_language.names();
}

int SettingsModel::languageIndex() const {
  return static_cast<int>(m_language.codes().indexOf(m_language.choice())) + 1;
}

void SettingsModel::chooseLanguage(int index) {
  const QStringList codes = m_language.codes();
  if (index < 0 || index > codes.size()) return;
  m_language.setChoice(index == 0 ? QStringLiteral("system") : codes[index - 1]);
}

QStringList SettingsModel::idleChoices() const {
  QStringList choices;
  for (const int minutes : idle_choices::kMinutes) choices.append(idle_choices::words(minutes));
  return choices;
}

int SettingsModel::idleIndex() const {
  return idle_choices::indexOf(m_manager.idleUnload());
}

void SettingsModel::chooseIdle(int index) {
  if (index < 0 || index >= static_cast<int>(std::size(idle_choices::kMinutes))) return;
  const int minutes = idle_choices::kMinutes[index];
  m_manager.setIdleUnload(minutes);
  m_session.putSetting(kIdleKey, QString::number(minutes));
  emit changed();
}

// As linkPrefixDatabase reads them.
QString SettingsModel::keyOf(Budget budget) {
  return budget == Budget::Persona ? QStringLiteral("prefix.personaMiB")
                                   : QStringLiteral("prefix.chatMiB");
}

bool SettingsModel::isSet(Budget budget) const {
  return !m_session.setting(keyOf(budget)).isEmpty();
}

QString SettingsModel::budgetText(Budget budget) const {
  return isSet(budget) ? m_session.setting(keyOf(budget)) : QString::number(kStandardMiB);
}

QString SettingsModel::budgetDefault() const {
  return tr("Default: %1 MB").arg(kStandardMiB);
}

void SettingsModel::setBudget(Budget budget, const QString& text) {
  QString& problem = m_problems[static_cast<int>(budget)];
  problem.clear();
  bool isNumber = false;
  const int mebibytes = text.trimmed().toInt(&isNumber);
  if (text.trimmed().isEmpty()) {
    if (isSet(budget)) m_session.putSetting(keyOf(budget), QString());
  } else if (!isNumber || mebibytes < 0 || mebibytes > kMostMiB) {
    problem = tr("This is a whole number of megabytes, 0 or more; 0 keeps nothing.");
  } else if (text.trimmed() != budgetText(budget)) {
    m_session.putSetting(keyOf(budget), QString::number(mebibytes));
  }
  emit changed();
}

QString SettingsModel::dataFolder() const {
  return QDir::toNativeSeparators(QDir(m_session.folder()).absolutePath());
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

QString SettingsModel::generationHeading() const {
  return tr("How %1 answers").arg(m_generation.modelName());
}

/// Another model is in use, or its files were read only now: its settings are shown. Progress of a
/// load changes nothing here.
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
