#include "app/session/first_run.h"

#include <algorithm>

namespace quire {
namespace {

const QString kDoneKey = QStringLiteral("window.firstRunDone");

}  // namespace

FirstRun::FirstRun(const ModelManager& manager, DataSession& session,
                   const PersonaListModel& personas, QObject* parent)
    : RoleListModel(parent), m_manager(manager), m_session(session), m_personas(personas) {
  const auto persona = [this](int role) {
    return [this, role](int row) { return m_personas.data(m_personas.index(row), role); };
  };
  setRoles({{kName, "name", persona(PersonaListModel::kName)},
            {kSummary, "summary", persona(PersonaListModel::kSummary)},
            {kIconName, "iconName", persona(PersonaListModel::kIconName)},
            {kColor, "colorIndex", persona(PersonaListModel::kColor)},
            {kIsChosen, "isChosen",
             [this](int row) { return m_chosen.contains(m_personas.personas()[row].id); }}});
  const auto announce = [this] {
    if (m_isShown) emit changed();
  };
  connect(&manager, &ModelManager::stateChanged, this, announce);
  connect(&manager, &ModelManager::modelsChanged, this, announce);
}

void FirstRun::offer(bool isStoreNew) {
  if (!isStoreNew || m_session.setting(kDoneKey) == QLatin1String("1")) return;
  beginResetModel();
  m_isShown = true;
  m_chosen.clear();
  for (const PersonaRecord& persona : m_personas.personas().first(rowCount())) {
    if (m_chosen.size() < kMaxTogether) m_chosen.insert(persona.id);
  }
  endResetModel();
  emit changed();
}

QString FirstRun::togetherText() const {
  switch (m_chosen.size()) {
    case 2:
      return tr("Talk to two at once");
    case 3:
      return tr("Talk to three at once");
    case 4:
      return tr("Talk to four at once");
    default:
      return tr("Choose two to four personas");
  }
}

QString FirstRun::modelsText() const {
  if (m_modelsFound == 0)
    return tr("Models from LM Studio, Ollama, GPT4All and Jan are found automatically.");
  return tr("%n found on this computer.", nullptr, m_modelsFound);
}

QString FirstRun::startText() const {
  if (!problem().isEmpty()) return tr("Choose a model");
  for (const ModelState& model : m_manager.models()) {
    if (model.primary && !model.isDemonstration)
      return tr("Start one chat with %1").arg(model.name);
  }
  return tr("Start one chat with the demo model");
}

QStringList FirstRun::examplePrompts() const {
  return {tr("What is the capital of France?"), tr("Tell me a short story about a fox"),
          tr("What is Quire?"), tr("Make a list of five fruits")};
}

QString FirstRun::problem() const {
  return m_manager.state() == ModelManager::State::Failed ? m_manager.stateText() : QString();
}

void FirstRun::setModelsFound(int count) {
  if (count == m_modelsFound) return;
  m_modelsFound = count;
  emit changed();
}

void FirstRun::toggle(int row) {
  if (row < 0 || row >= rowCount()) return;
  const RecordId id = m_personas.personas()[row].id;
  if (!m_chosen.remove(id)) {
    if (m_chosen.size() >= kMaxTogether) return;
    m_chosen.insert(id);
  }
  emit dataChanged(index(row), index(row), {kIsChosen});
  emit changed();
}

void FirstRun::startAlone() {
  if (!problem().isEmpty()) return chooseModel();
  emit startWanted({0});
  finish();
}

void FirstRun::startTogether() {
  if (!canTalkTogether()) return;
  QList<qint64> ids;
  for (const PersonaRecord& persona : m_personas.personas()) {
    if (m_chosen.contains(persona.id)) ids.append(persona.id);
  }
  emit startWanted(ids);
  finish();
}

void FirstRun::chooseModel() {
  emit modelsWanted();
  finish();
}

void FirstRun::finish() {
  m_session.putSetting(kDoneKey, QStringLiteral("1"));
  beginResetModel();
  m_isShown = false;
  endResetModel();
  emit changed();
}

}  // namespace quire
