#include "app/models/load_planner.h"

#include <utility>

namespace quire {

LoadPlanner::LoadPlanner(ModelManager& manager, QObject* parent)
    : QObject(parent), m_manager(manager) {
  connect(&manager, &ModelManager::modelsChanged, this, &LoadPlanner::onModelsChanged);
}

void LoadPlanner::ask(QObject* asker, const LoadRequest& request, Answer answer) {
  m_waiting.removeIf([&](const Question& question) { return question.asker == asker; });
  if (m_asked.asker == asker) m_asked.answer = {};  // Replaced by the new request.
  m_waiting.append({asker, request, std::move(answer)});
  if (!m_isAsking) askNext();
}

void LoadPlanner::askNext() {
  while (!m_waiting.isEmpty()) {
    m_asked = m_waiting.takeFirst();
    if (!m_asked.asker) continue;
    m_isAsking = true;
    m_manager.planLoad(m_asked.request, {this, [this](const LoadPlan& plan) { onPlanned(plan); }});
    return;
  }
}

void LoadPlanner::onPlanned(const LoadPlan& plan) {
  m_isAsking = false;
  const Question answered = std::exchange(m_asked, {});
  if (answered.asker && answered.answer) answered.answer(plan);
  if (!m_isAsking) askNext();
}

void LoadPlanner::onModelsChanged() {
  QStringList loaded;
  for (const ModelState& state : m_manager.models()) {
    if (state.serving) loaded.append(state.path);
  }
  if (loaded == m_loaded) return;
  m_loaded = loaded;
  emit outdated();
}

}  // namespace quire
