#include "app/models/card_cache.h"

#include <QTimer>

#include <algorithm>
#include <utility>

#include "app/models/model_labels.h"

namespace quire {
namespace {

/// How long a removed card lives on: views release its row only when they are next rendered.
constexpr int kDeleteDelayMs = 1000;

constexpr int kSaveMs = 500;
constexpr qint64 kUsedStepMs = 60'000;  ///< The resolution of the time of last use.

}  // namespace

CardCache::CardCache(ModelManager& manager, DataSession& session, GenerationDefaults& settings,
                     QObject* parent)
    : QObject(parent),
      m_manager(manager),
      m_session(session),
      m_settings(settings),
      m_planner(manager),
      m_devices(manager),
      m_engine(session, m_devices) {
  m_saving.setSingleShot(true);
  m_saving.setInterval(kSaveMs);
  connect(&m_saving, &QTimer::timeout, this, &CardCache::save);
  connect(&manager, &ModelManager::modelsChanged, this, &CardCache::onModelsChanged);
  connect(&manager, &ModelManager::throughputChanged, this, &CardCache::onThroughput);
  connect(&settings, &GenerationDefaults::changed, this, &CardCache::onSettingsChanged);
  connect(&m_engine, &EngineSettings::changed, this, &CardCache::onDefaultsChanged);
  connect(&m_engine, &EngineSettings::applyWanted, this, &CardCache::applyToLoaded);
  connect(&session, &DataSession::settingChanged, this, [this] { onIdleChanged(); });
}

void CardCache::load() {
  m_engine.load();
  for (const ModelSettings& settings : m_session.allModelSettings()) {
    m_stored[settings.path] = settings;
    if (ModelCard* known = find(settings.path)) known->options()->setSettings(settings);
  }
  onDefaultsChanged();
  onModelsChanged();
}

ModelCard* CardCache::find(const QString& path) const {
  return m_cards.value(model_labels::normalPath(path));
}

ModelCard* CardCache::card(const QString& path) {
  const QString normal = model_labels::normalPath(path);
  if (ModelCard* known = m_cards.value(normal)) return known;
  auto* made = new ModelCard(normal, m_manager, m_planner, m_devices, this);
  m_cards[normal] = made;
  m_order.append(made);
  if (m_labels) made->setLabel(m_labels(normal));
  if (const auto stored = m_stored.constFind(normal); stored != m_stored.cend())
    made->options()->setSettings(*stored);
  made->options()->setDefaults(m_engine.defaults());
  made->options()->setIdleOfAll(m_idleOfAll);
  made->memory()->setServing(m_serving);
  made->memory()->setNames([this](const QString& other) {
    const ModelCard* of = find(other);
    return of ? of->name() : model_labels::nameOf(other);
  });
  connect(made->options(), &ModelOptions::edited, this, [this, made] { onEdited(*made); });
  connect(made->generation(), &GenerationEditor::edited, this,
          [this, made] { m_settings.putGeneration(made->path(), made->generation()->own()); });
  connect(made, &ModelCard::shown, this,
          [this, made] { made->setDrafts(m_drafts.of(made->found())); });
  connect(made, &ModelCard::generationWanted, this, [this, made] { showGeneration(*made); });
  return made;
}

void CardCache::keepOnly(const QSet<QString>& paths) {
  for (qsizetype at = m_order.size() - 1; at >= 0; --at) {
    ModelCard* card = m_order[at];
    if (paths.contains(card->path()) || card->hasState()) continue;
    m_order.removeAt(at);
    m_cards.remove(card->path());
    QTimer::singleShot(kDeleteDelayMs, card, &QObject::deleteLater);
  }
}

void CardCache::movePath(const QString& from, const QString& to) {
  save();
  ModelSettings moved = m_settings.modelSettings(from);
  moved.path = to;
  if (moved != ModelSettings{.path = to}) m_settings.putModelSettings(moved);
  const QHash<QString, ModelSettings> stored = m_stored;
  for (ModelSettings settings : stored) {
    if (settings.draftModel != from) continue;
    settings.draftModel = to;
    m_settings.putModelSettings(settings);
  }
}

void CardCache::updateDrafts() {
  QList<const FoundModel*> models;
  for (const ModelCard* each : std::as_const(m_order)) models.append(&each->found());
  if (!find(m_offeredDraft.path)) models.append(&m_offeredDraft);
  m_drafts = DraftChoices(models);
  for (ModelCard* each : std::as_const(m_order)) {
    if (each->isShown()) each->setDrafts(m_drafts.of(each->found()));
  }
}

void CardCache::onEdited(ModelCard& card) {
  m_unsaved.insert(card.path());
  m_saving.start();
  applyOptions(*card.options());
  updateStale();
}

void CardCache::applyOptions(const ModelOptions& options) {
  m_manager.setLoadRequest(options.request());
  m_manager.setIdleUnload(options.settings().path, options.idleMinutes());
}

/// Settings may change elsewhere too. Unsaved options of a card are newer, so they stay.
void CardCache::onSettingsChanged(const QString& path) {
  const ModelSettings settings = m_settings.modelSettings(path);
  m_stored[path] = settings;
  ModelCard* const of = find(path);
  if (!of) return;
  if (of->generationShown() && of->generation()->own() != settings.generation) showGeneration(*of);
  if (m_unsaved.contains(path)) return;
  of->options()->setSettings(settings);
  applyOptions(*of->options());
}

void CardCache::addStored() {
  const auto stored = m_session.store().allModelSettings();
  if (!stored) return;
  for (const ModelSettings& settings : *stored) {
    const ModelSettings known = m_settings.modelSettings(settings.path);
    const ModelSettings nothing = {.path = known.path, .lastUsedMs = known.lastUsedMs};
    if (known == nothing && settings != known) m_settings.putModelSettings(settings);
  }
}

void CardCache::onDefaultsChanged() {
  for (ModelCard* each : std::as_const(m_order)) each->setDefaults(m_engine.defaults());
  ModelOptions options(m_devices);
  options.setDefaults(m_engine.defaults());
  m_manager.setLoadRequest(options.request());
  for (const ModelSettings& stored : std::as_const(m_stored)) {
    options.setSettings(stored);
    applyOptions(options);
  }
  updateStale();
}

void CardCache::onIdleChanged() {
  const int minutes = m_manager.idleUnload();
  if (minutes == m_idleOfAll) return;
  m_idleOfAll = minutes;
  for (ModelCard* each : std::as_const(m_order)) each->options()->setIdleOfAll(minutes);
}

void CardCache::updateStale() {
  QStringList names;
  bool isApplying = false;
  for (const ModelState& state : m_manager.models()) {
    const ModelCard* of = find(state.path);
    if (!of || !of->isStale()) continue;
    names.append(of->name());
    isApplying |= of->isLoading();
  }
  m_engine.setStale(names, isApplying);
}

void CardCache::applyToLoaded() {
  save();
  for (const ModelState& state : m_manager.models()) {
    ModelCard* const of = find(state.path);
    if (of && of->canReload()) of->load();
  }
}

void CardCache::showGeneration(ModelCard& card) {
  card.generation()->show(SettingsLayer::Model, m_settings.layersFor(card.path()), card.name());
}

void CardCache::save() {
  m_saving.stop();
  for (const QString& path : std::exchange(m_unsaved, {})) {
    ModelCard* card = find(path);
    if (!card || !m_session.isOpen()) continue;
    ModelSettings settings = m_settings.modelSettings(path);
    card->options()->writeTo(settings);
    settings.lastUsedMs = card->lastUsedMs();
    m_settings.putModelSettings(settings);
  }
}

void CardCache::onModelsChanged() {
  onIdleChanged();
  QSet<QString> known;
  m_serving.clear();
  const qsizetype before = m_order.size();
  bool reordered = false;
  for (const ModelState& state : m_manager.models()) {
    if (state.path.isEmpty()) continue;
    ModelCard* of = card(state.path);
    reordered |= of->isServing() != state.serving || of->isDemonstration() != state.isDemonstration;
    updateState(*of, state);
    known.insert(of->path());
    if (state.serving) m_serving.append(of->path());
    if (!of->isFound()) emit unknownModel(of->path());
  }
  for (ModelCard* each : std::as_const(m_order)) {
    if (each->hasState() && !known.contains(each->path())) each->setState({});
    each->memory()->setServing(m_serving);
  }
  updateStale();
  if (reordered || m_order.size() != before) emit changed();
}

void CardCache::updateState(ModelCard& card, const ModelState& state) {
  const qint64 stored = m_stored.value(card.path()).lastUsedMs;
  card.setState(state);
  if (state.lastUsedMs - stored > kUsedStepMs && !state.isDemonstration) onEdited(card);
  const bool isReady = state.serving && state.primary && state.error.isEmpty();
  if (!isReady || card.path() == m_primary) return;
  m_primary = card.path();
  emit primaryReady(m_primary);
}

void CardCache::onThroughput(double tokensPerSecond, int) {
  const QList<ModelState> models = m_manager.models();
  const auto isBusy = [](const ModelState& state) { return state.runningRequests > 0; };
  const auto busy = std::count_if(models.cbegin(), models.cend(), isBusy);
  for (const ModelState& state : models) {
    ModelCard* const of = find(state.path);
    if (of) of->setSpeed(busy == 1 ? tokensPerSecond : state.tokensPerSecond);
  }
}

}  // namespace quire
