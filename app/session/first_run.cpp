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
    m_models = m_manager.models();
    if (m_isShown || m_isPicking) emit changed();
  };
  connect(&manager, &ModelManager::stateChanged, this, announce);
  connect(&manager, &ModelManager::modelsChanged, this, announce);
  const auto renew = [this] { m_isPicking ? setPicking(true) : emit changed(); };
  connect(&personas, &QAbstractItemModel::modelReset, this, renew);
  connect(&personas, &QAbstractItemModel::rowsInserted, this, renew);
  connect(&personas, &QAbstractItemModel::rowsRemoved, this, renew);
}

void FirstRun::offer(bool isStoreNew) {
  if (!isStoreNew || m_session.setting(kDoneKey) == QLatin1String("1")) return;
  m_models = m_manager.models();
  m_isShown = true;
  emit changed();
}

void FirstRun::setPicking(bool isPicking) {
  beginResetModel();
  m_isPicking = isPicking;
  m_chosen.clear();
  for (const PersonaRecord& persona : m_personas.personas().first(rowCount())) {
    if (m_chosen.size() < kMaxTogether) m_chosen.insert(persona.id);
  }
  endResetModel();
  emit changed();
}

void FirstRun::pick() {
  m_models = m_manager.models();
  setPicking(true);
}

void FirstRun::unpick() {
  if (m_isPicking) setPicking(false);
}

/// The one that answers, unless it is the demonstration.
const ModelState* FirstRun::ownModel() const {
  const auto own = std::ranges::find_if(
      m_models, [](const ModelState& one) { return one.primary && !one.isDemonstration; });
  return own == m_models.end() ? nullptr : &*own;
}

bool FirstRun::hasModel() const {
  return ownModel() != nullptr || !m_bestPath.isEmpty();
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
  return tr("%n model(s) found on this computer.", nullptr, m_modelsFound);
}

QString FirstRun::startText() const {
  if (const ModelState* const own = ownModel()) return tr("Start with %1").arg(own->name);
  if (!m_bestPath.isEmpty()) return tr("Start with %1").arg(m_bestName);
  return problem().isEmpty() ? tr("Start with the demo model") : tr("Choose a model");
}

QStringList FirstRun::examplePrompts() const {
  return {tr("What is the capital of France?"), tr("Tell me a short story about a fox"),
          tr("What is Quire?"), tr("Make a list of five fruits")};
}

QString FirstRun::problem() const {
  return m_manager.state() == ModelManager::State::Failed ? m_manager.stateText() : QString();
}

void FirstRun::setFound(int count, const QString& path, const QString& name) {
  if (count == m_modelsFound && path == m_bestPath && name == m_bestName) return;
  m_modelsFound = count;
  m_bestPath = path;
  m_bestName = name;
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
  if (!hasModel() && !problem().isEmpty()) return chooseModel();
  if (ownModel() == nullptr && !m_bestPath.isEmpty()) emit loadWanted(m_bestPath);
  begin();
}

void FirstRun::begin() {
  emit startWanted({0});
  finish();
}

void FirstRun::startTogether() {
  if (!canTalkTogether()) return;
  QList<qint64> ids;
  for (const PersonaRecord& persona : m_personas.personas()) {
    if (m_chosen.contains(persona.id)) ids.append(persona.id);
  }
  unpick();
  emit startWanted(ids);
}

void FirstRun::chooseModel() {
  emit modelsWanted();
  finish();
}

void FirstRun::finish() {
  m_session.putSetting(kDoneKey, QStringLiteral("1"));
  m_isShown = false;
  emit changed();
}

}  // namespace quire
