#include "app/models/model_card.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QUrl>

#include <algorithm>

#include "app/error_strings.h"
#include "app/models/model_labels.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire {

ModelCard::ModelCard(const QString& path, ModelManager& manager, LoadPlanner& planner,
                     ComputeDevices& devices, QObject* parent)
    : QObject(parent), m_path(path), m_manager(manager), m_memory(planner), m_options(devices) {
  ModelSettings settings;
  settings.path = path;
  m_options.setSettings(settings);
  connect(&m_memory, &MemoryForecast::changed, this, &ModelCard::stateChanged);
  connect(&m_options, &ModelOptions::edited, this, [this] {
    if (m_memory.isWanted()) m_memory.setRequest(m_options.checkedRequest());
    emit stateChanged();
  });
}

void ModelCard::setFound(const FoundModel& found) {
  m_found = found;
  m_keys.reset();
  m_options.setTrainedContext(found.facts.contextLength);
  forecast();
  emit changed();
  emit stateChanged();
}

void ModelCard::setState(const ModelState& state) {
  const bool demonstrated = state.isDemonstration != m_state.isDemonstration;
  if (state.name != m_state.name) m_keys.reset();
  m_state = state;
  forecast();
  if (demonstrated) emit changed();
  emit stateChanged();
}

void ModelCard::setDefaults(const LoadDefaults& defaults) {
  m_options.setDefaults(defaults);
  if (m_memory.isWanted()) m_memory.setRequest(m_options.checkedRequest());
  emit stateChanged();
}

void ModelCard::setDrafts(const QList<DraftChoice>& drafts) {
  const QString before = m_options.checkedRequest().draftPath;
  m_options.setDrafts(drafts);
  const LoadRequest now = m_options.checkedRequest();
  if (before != now.draftPath && m_memory.isWanted()) m_memory.setRequest(now);
}

void ModelCard::setSpeed(double tokensPerSecond) {
  const double speed = isServing() && m_state.runningRequests > 0 ? tokensPerSecond : 0.0;
  if (speed == m_speed) return;
  m_speed = speed;
  emit stateChanged();
}

void ModelCard::setLabel(const QString& label) {
  if (label == m_label) return;
  m_label = label;
  m_keys.reset();
  emit changed();
  emit stateChanged();
}

QString ModelCard::name() const {
  if (!m_label.isEmpty()) return m_label;
  if (!m_found.name.isEmpty()) return visibleString(m_found.name);
  return m_state.name.isEmpty() ? model_labels::nameOf(m_path) : m_state.name;
}

const CardKeys& ModelCard::keys() const {
  const QString language = QLocale().name();
  if (m_keys && m_keys->language == language) return *m_keys;
  static QCollator collator;
  if (collator.locale() != QLocale() || !collator.numericMode()) {
    collator = QCollator(QLocale());
    collator.setNumericMode(true);
    collator.setCaseSensitivity(Qt::CaseInsensitive);
  }
  m_keys = CardKeys{collator.sortKey(name()), name() + u' ' + factsText(), language};
  return *m_keys;
}

QString ModelCard::obstacle() const {
  return hasObstacle() ? errorText(m_found.facts.obstacle) : QString();
}

QString ModelCard::factsText() const {
  return isFound() ? model_labels::facts(m_found.facts) : QString();
}

bool ModelCard::isLoading() const {
  return hasState() && m_state.state == ModelState::State::kLoading;
}

bool ModelCard::showsMemory() const {
  return (canLoad() || canReload()) && (m_memory.isKnown() || error().isEmpty());
}

QString ModelCard::demonstrationText() const {
  return isDemonstration() ? tr("Demo: limited and often wrong") : QString();
}

QString ModelCard::loadText() const {
  if (m_memory.isKnown() && m_memory.warns()) return tr("Load anyway");
  if (canReload()) return tr("Load again");
  return error().isEmpty() ? tr("Load") : tr("Try again");
}

QString ModelCard::badge() const {
  if (isLoading()) return isServing() ? tr("Loading again") : tr("Loading");
  if (isPrimary()) return tr("In use");
  if (isServing()) return tr("Loaded");
  return {};
}

QString ModelCard::statusText() const {
  if (!hasState()) return {};
  if (m_state.state == ModelState::State::kUnloaded)
    return tr("Unloaded to free its memory. It is loaded again when a chat needs it.");
  if (!isServing()) return {};
  QStringList words = {model_labels::device(m_state.deviceName)};
  if (m_state.memory.total() > 0) words += tr("takes %1").arg(sizeText(m_state.memory.total()));
  if (m_state.contextLength > 0) words += model_labels::tokens(m_state.contextLength);
  if (!m_state.draftName.isEmpty()) words += tr("draft model %1").arg(m_state.draftName);
  if (m_speed > 0.0)
    words += tr("%1 tokens/s").arg(QLocale().toString(m_speed, 'f', m_speed < 99.95 ? 1 : 0));
  words.removeAll(QString());
  return words.join(QStringLiteral(" · "));
}

/// It was reloaded, and is used as soon as the running answers are complete.
bool ModelCard::waitsForAnswers() const {
  return isLoading() && isServing() && m_state.runningRequests > 0 &&
         m_state.phase == LoadPhase::kCache;
}

QString ModelCard::phaseText() const {
  if (!isLoading()) return {};
  if (waitsForAnswers()) return tr("Ready, waiting for running answers to finish");
  const int percent = static_cast<int>(m_state.fraction * 100.0);
  return tr("%1 · %2%").arg(model_labels::phase(m_state)).arg(percent);
}

QString ModelCard::timeLeftText() const {
  return isLoading() && !waitsForAnswers() ? model_labels::timeLeft(m_state.secondsLeft)
                                           : QString();
}

qint64 ModelCard::lastUsedMs() const {
  return std::max(m_state.lastUsedMs, m_options.settings().lastUsedMs);
}

void ModelCard::show() {
  m_isShown = true;
  emit shown();
  forecast();
}

/// Planning opens the files in this process: not before another one has read them.
void ModelCard::forecast() {
  const bool isRead = (isFound() && !hasObstacle()) || isServing();
  if (m_isShown && isRead && !m_memory.isWanted()) m_memory.setRequest(m_options.checkedRequest());
}

void ModelCard::showGeneration() {
  m_generationShown = true;
  emit generationWanted();
}

void ModelCard::load() {
  if (canLoad() || canReload()) m_manager.loadModel(m_options.request());
}

void ModelCard::showInFileManager() const {
  const QFileInfo info(m_path);
  QDesktopServices::openUrl(QUrl::fromLocalFile(info.isDir() ? m_path : info.path()));
}

void ModelCard::copyPath() const {
  QGuiApplication::clipboard()->setText(m_path);
}

}  // namespace quire
