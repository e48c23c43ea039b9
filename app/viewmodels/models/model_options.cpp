#include "app/viewmodels/models/model_options.h"

#include <algorithm>
#include <cmath>

#include "app/viewmodels/models/model_words.h"

namespace quire {
namespace {

constexpr int kLeastContext = 512;
constexpr int kStep = 256;  ///< Whole blocks, and round numbers.
constexpr int kUnknownMaximum = 131'072;
constexpr int kMostThreads = 1024;
constexpr int kMostCacheMebibytes = 4 << 20;

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
}

void ModelOptions::setTrainedContext(int tokens) {
  m_trainedContext = tokens;
  emit changed();
}

LoadRequest ModelOptions::request() const {
  LoadRequest request = {.path = m_settings.path, .device = m_settings.device};
  request.threads = m_settings.threads;
  request.contextLength = m_settings.contextLength;
  if (m_settings.kvMiB) request.cacheBytes = static_cast<quint64>(*m_settings.kvMiB) << 20;
  return request;
}

int ModelOptions::contextMaximum() const {
  return std::max(kLeastContext, m_trainedContext > 0 ? m_trainedContext : kUnknownMaximum);
}

double ModelOptions::contextPosition() const {
  const int shown = contextIsSet() ? contextLength() : contextMaximum();
  if (contextMaximum() <= kLeastContext) return 1.0;
  return std::log2(static_cast<double>(shown) / kLeastContext) /
         std::log2(static_cast<double>(contextMaximum()) / kLeastContext);
}

void ModelOptions::setContextPosition(double position) {
  const double most = static_cast<double>(contextMaximum()) / kLeastContext;
  const double tokens = kLeastContext * std::pow(most, std::clamp(position, 0.0, 1.0));
  if (tokens > contextMaximum() - kStep / 2) return setContextLength(0);
  setContextLength(static_cast<int>(std::lround(tokens / kStep)) * kStep);
}

void ModelOptions::setContextLength(int tokens) {
  const int most = contextMaximum();
  const int wanted = tokens <= 0 || tokens >= most ? 0 : std::max(tokens, kLeastContext);
  if (wanted == contextLength()) return;
  m_settings.contextLength = wanted == 0 ? std::nullopt : std::optional(wanted);
  touch();
}

QString ModelOptions::contextText() const {
  return model_words::tokens(contextIsSet() ? contextLength() : contextMaximum());
}

QString ModelOptions::contextDefault() const {
  return m_trainedContext > 0 ? model_words::tokens(m_trainedContext) : tr("the model's own");
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

void ModelOptions::setThreads(int threads) {
  const int wanted = std::clamp(threads, 0, kMostThreads);
  if (wanted == this->threads()) return;
  m_settings.threads = wanted == 0 ? std::nullopt : std::optional(wanted);
  touch();
}

void ModelOptions::setCacheMebibytes(int mebibytes) {
  const int wanted = std::clamp(mebibytes, 0, kMostCacheMebibytes);
  if (wanted == cacheMebibytes()) return;
  m_settings.kvMiB = wanted == 0 ? std::nullopt : std::optional(wanted);
  touch();
}

bool ModelOptions::anySet() const {
  return contextIsSet() || threads() > 0 || cacheMebibytes() > 0 || !m_settings.device.isEmpty();
}

void ModelOptions::resetAll() {
  if (!anySet()) return;
  m_settings.contextLength.reset();
  m_settings.threads.reset();
  m_settings.kvMiB.reset();
  m_settings.device.clear();
  touch();
}

void ModelOptions::touch() {
  emit changed();
  emit edited();
}

}  // namespace quire
