#include "app/engine/local_inspector.h"

#include <utility>

namespace quire {

void LocalInspector::watchBlocks(bool watched) {
  m_isWatching = watched;
  onPoolChanged();
}

void LocalInspector::readBlock(int block, Reply<BlockReading> reply) {
  if (ServedModel* const model = m_pool.primary())
    model->worker->readBlock(block, std::move(reply));
}

PendingReply LocalInspector::measurePersona(const PersonaPrompt& persona,
                                            Reply<PersonaReport> reply) {
  PendingReply pending = reply.pending();
  ServedModel* const model = m_pool.primary();
  model ? model->worker->measurePersona(persona, std::move(reply)) : reply({});
  return pending;
}

void LocalInspector::keepWarm(const QList<PersonaPrompt>& personas) {
  m_warm = personas;
  onPoolChanged();
}

void LocalInspector::onPoolChanged() {
  const ServedModel* const model = m_pool.primary();
  const QString watched = m_isWatching && model != nullptr ? model->path() : QString();
  if (watched != m_watched) {
    if (ServedModel* const before = m_pool.find(m_watched)) before->worker->watchBlocks(false);
    m_watched = watched;
    if (ServedModel* const now = m_pool.find(m_watched)) now->worker->watchBlocks(true);
  }
  for (const auto& one : m_pool.models()) {
    if (one->warm == m_warm) continue;
    one->warm = m_warm;
    one->worker->keepWarm(m_warm);
  }
  // The figures of a model that has left must not stay in view.
  const bool isServing = model != nullptr && model->isServing();
  const QString measured = isServing ? model->path() : QString();
  if (std::exchange(m_measured, measured) == measured) return;
  emit engineMeasured(isServing ? model->report : EngineReport());
}

void LocalInspector::handle(ServedModel& model, const WorkerEvent& event) {
  if (const auto* computed = std::get_if<PromptComputed>(&event)) {
    emit promptComputed(computed->report);
  }
  if (&model != m_pool.primary()) return;
  const bool isMeasured = std::holds_alternative<ThroughputMeasured>(event) && model.isServing();
  if (isMeasured) emit engineMeasured(model.report);
  if (const auto* mapped = std::get_if<BlocksMapped>(&event)) emit blockMapChanged(mapped->map);
}

}  // namespace quire
