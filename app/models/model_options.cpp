#include "app/models/model_options.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

#include "app/models/model_labels.h"

namespace quire {
namespace {

constexpr int kLeastContext = LoadBounds::kLeastContext;
constexpr int kStep = 256;  ///< A round number of whole cache blocks.
constexpr int kUnknownMaximum = 131'072;

/// The model's own value, else that of all models; 0 if neither is set.
int chosen(std::optional<int> own, int ofAll) {
  return own.value_or(0) > 0 ? *own : ofAll;
}

}  // namespace

ModelOptions::ModelOptions(ComputeDevices& devices, QObject* parent)
    : QObject(parent), m_devices(devices) {
  connect(&devices, &ComputeDevices::changed, this, &ModelOptions::changed);
}

void ModelOptions::setSettings(const ModelSettings& settings) {
  m_settings = settings;
  emit changed();
}

void ModelOptions::writeTo(ModelSettings& settings) const {
  settings.contextLength = m_settings.contextLength;
  settings.device = m_settings.device;
  settings.threads = m_settings.threads;
  settings.kvMiB = m_settings.kvMiB;
  settings.kvType = m_settings.kvType;
  settings.batchTokens = m_settings.batchTokens;
  settings.speculates = m_settings.speculates;
  settings.draftModel = m_settings.draftModel;
  settings.keepLoaded = m_settings.keepLoaded;
  settings.unloadAfterMinutes = m_settings.unloadAfterMinutes;
}

void ModelOptions::setTrainedContext(int tokens) {
  m_trainedContext = tokens;
  emit changed();
}

void ModelOptions::setDefaults(const LoadDefaults& defaults) {
  if (defaults == m_defaults) return;
  m_defaults = defaults;
  emit changed();
}

LoadRequest ModelOptions::request() const {
  LoadRequest request = {.path = m_settings.path, .device = m_settings.device};
  const int threads = chosen(m_settings.threads, m_defaults.threads);
  const int context = chosen(m_settings.contextLength, m_defaults.contextLength);
  const int cache = chosen(m_settings.kvMiB, m_defaults.cacheMebibytes);
  const int batch = chosen(m_settings.batchTokens, m_defaults.batchTokens);
  if (threads > 0) request.threads = threads;
  if (context > 0) request.contextLength = context;
  if (cache > 0) request.cacheBytes = static_cast<quint64>(cache) << 20;
  if (batch > 0) request.batchTokens = batch;
  request.cacheType = cacheType().isEmpty() ? m_defaults.cacheType : cacheType();
  request.speculates = m_settings.speculates.value_or(true);
  if (request.speculates) request.draftPath = m_settings.draftModel;
  return request;
}

LoadRequest ModelOptions::checkedRequest() const {
  LoadRequest checked = request();
  if (!isDraftKnown()) checked.draftPath.clear();
  return checked;
}

int ModelOptions::contextMaximum() const {
  return std::max(kLeastContext, m_trainedContext > 0 ? m_trainedContext : kUnknownMaximum);
}

double ModelOptions::contextPosition() const {
  const int shown = shownContext();
  if (contextMaximum() <= kLeastContext) return 1.0;
  return std::log2(static_cast<double>(shown) / kLeastContext) /
         std::log2(static_cast<double>(contextMaximum()) / kLeastContext);
}

void ModelOptions::setContextPosition(double position) {
  const double most = static_cast<double>(contextMaximum()) / kLeastContext;
  const double tokens = kLeastContext * std::pow(most, std::clamp(position, 0.0, 1.0));
  if (tokens > contextMaximum() - kStep / 2) return setContextLength(contextMaximum());
  setContextLength(static_cast<int>(std::lround(tokens / kStep)) * kStep);
}

void ModelOptions::setContextLength(int tokens) {
  const int most = contextMaximum();
  const bool isDefault = tokens <= 0 || (tokens >= most && m_defaults.contextLength == 0);
  choose(m_settings.contextLength, isDefault ? 0 : tokens, kLeastContext, most);
}

QString ModelOptions::contextText() const {
  return model_labels::tokens(shownContext());
}

int ModelOptions::shownContext() const {
  if (contextIsSet()) return contextLength();
  return m_defaults.contextLength > 0 ? std::min(m_defaults.contextLength, contextMaximum())
                                      : contextMaximum();
}

QString ModelOptions::contextDefault() const {
  if (m_defaults.contextLength > 0 && contextMaximum() > m_defaults.contextLength)
    return model_labels::tokens(m_defaults.contextLength);
  return m_trainedContext > 0 ? model_labels::tokens(m_trainedContext) : tr("the model's own");
}

int ModelOptions::deviceIndex() const {
  return std::max(0, static_cast<int>(m_devices.names().indexOf(m_settings.device)));
}

void ModelOptions::setDeviceIndex(int index) {
  const QString device = m_devices.names().value(index);
  if (device == m_settings.device) return;
  m_settings.device = device;
  touch();
}

/// Sets a number, clamped to its bounds; 0 or less unsets it.
void ModelOptions::choose(std::optional<int>& choice, int number, int least, int most) {
  const int wanted = number <= 0 ? 0 : std::clamp(number, least, most);
  if (wanted == choice.value_or(0)) return;
  choice = wanted == 0 ? std::nullopt : std::optional(wanted);
  touch();
}

void ModelOptions::setCacheMebibytes(int mebibytes) {
  choose(m_settings.kvMiB, mebibytes, 1, LoadBounds::kMostCacheMebibytes);
}

void ModelOptions::setBatchTokens(int tokens) {
  choose(m_settings.batchTokens, tokens, LoadBounds::kLeastBatch, LoadBounds::kMostBatch);
}

QString ModelOptions::threadsDefault() const {
  const int known = m_defaults.threads > 0 ? m_defaults.threads : m_devices.threads();
  if (known == 0) return tr("all cores");
  const QString count = QLocale().toString(known);
  return m_defaults.threads > 0 ? count : tr("%1, all cores").arg(count);
}

QString ModelOptions::cacheDefault() const {
  if (m_defaults.cacheMebibytes == 0) return tr("by what is free");
  return tr("%1 MiB").arg(QLocale().toString(m_defaults.cacheMebibytes));
}

QString ModelOptions::batchDefault() const {
  return QLocale().toString(m_defaults.batchTokens > 0 ? m_defaults.batchTokens
                                                       : LoadBounds::kStandardBatch);
}

/// The chosen type; empty if the stored one is not offered any more.
QString ModelOptions::cacheType() const {
  return cache_types::isOffered(m_settings.kvType) ? m_settings.kvType : QString();
}

cache_types::Choices ModelOptions::cacheTypeChoices() const {
  const QString& device = m_settings.device;
  return cache_types::choices(tr("Same as all models"),
                              {m_devices.cacheTypes(device), m_devices.defaultCacheType(device)},
                              cacheType());
}

int ModelOptions::precisionIndex() const {
  return static_cast<int>(cacheTypeChoices().types.indexOf(cacheType()));
}

void ModelOptions::setPrecisionIndex(int index) {
  const QStringList types = cacheTypeChoices().types;
  if (index < 0 || index >= types.size() || index == precisionIndex()) return;
  m_settings.kvType = types[index];
  touch();
}

QString ModelOptions::precisionDefault() const {
  const QString ofAll = m_defaults.cacheType;
  const QString words =
      cache_types::labelOf(ofAll.isEmpty() ? m_devices.defaultCacheType(m_settings.device) : ofAll);
  return words.isEmpty() ? tr("the device's own") : words;
}

void ModelOptions::setSpeculationIndex(int index) {
  if (index < 0 || index > 1 || index == speculationIndex()) return;
  m_settings.speculates = index == 0 ? std::nullopt : std::optional(false);
  touch();
}

void ModelOptions::setDrafts(const QList<DraftChoice>& drafts) {
  if (drafts == m_drafts) return;
  m_drafts = drafts;
  emit changed();
}

bool ModelOptions::isDraftKnown() const {
  return std::ranges::find(m_drafts, m_settings.draftModel, &DraftChoice::path) != m_drafts.end();
}

QStringList ModelOptions::draftPaths() const {
  QStringList paths = {QString()};
  for (const DraftChoice& draft : m_drafts) paths.append(draft.path);
  if (!paths.contains(m_settings.draftModel)) paths.append(m_settings.draftModel);
  return paths;
}

QStringList ModelOptions::draftChoices() const {
  QStringList choices = {tr("None")};
  for (const DraftChoice& draft : m_drafts) choices.append(draft.name);
  if (draftPaths().size() > choices.size())
    choices.append(tr("%1, not found yet").arg(model_labels::nameOf(m_settings.draftModel)));
  return choices;
}

void ModelOptions::setDraftIndex(int index) {
  const QStringList paths = draftPaths();
  if (index < 0 || index >= paths.size() || index == draftIndex()) return;
  m_settings.draftModel = paths[index];
  touch();
}

bool ModelOptions::anySet() const {
  return contextIsSet() || threadsIsSet() || cacheIsSet() || batchIsSet() ||
         !cacheType().isEmpty() || speculationIsSet() || draftIsSet() ||
         idleMinutes().has_value() || !m_settings.device.isEmpty();
}

void ModelOptions::resetAll() {
  if (!anySet()) return;
  m_settings.contextLength.reset();
  m_settings.threads.reset();
  m_settings.kvMiB.reset();
  m_settings.kvType.clear();
  m_settings.batchTokens.reset();
  m_settings.speculates.reset();
  m_settings.draftModel.clear();
  m_settings.keepLoaded.reset();
  m_settings.unloadAfterMinutes.reset();
  m_settings.device.clear();
  touch();
}

void ModelOptions::setIdleOfAll(int minutes) {
  if (minutes == m_idleOfAll) return;
  m_idleOfAll = minutes;
  emit changed();
}

std::optional<int> ModelOptions::idleMinutes() const {
  if (m_settings.keepLoaded.value_or(false)) return 0;
  return m_settings.unloadAfterMinutes;
}

QStringList ModelOptions::idleChoices() const {
  QStringList choices = {tr("Same as all models")};
  for (const int minutes : model_labels::kIdleMinutes) choices += model_labels::idleTime(minutes);
  return choices;
}

int ModelOptions::idleIndex() const {
  return idleMinutes() ? model_labels::idleIndex(*idleMinutes()) + 1 : 0;
}

void ModelOptions::setIdleIndex(int index) {
  if (index < 0 || index > static_cast<int>(std::size(model_labels::kIdleMinutes))) return;
  if (index == idleIndex()) return;
  const int minutes = index == 0 ? 0 : model_labels::kIdleMinutes[index - 1];
  m_settings.keepLoaded.reset();
  m_settings.unloadAfterMinutes.reset();
  if (index > 0 && minutes == 0) m_settings.keepLoaded = true;
  if (index > 0 && minutes > 0) m_settings.unloadAfterMinutes = minutes;
  touch();
}

QString ModelOptions::idleDefault() const {
  return model_labels::idleTime(m_idleOfAll);
}

void ModelOptions::touch() {
  emit changed();
  emit edited();
}

}  // namespace quire
