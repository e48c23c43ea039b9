#include "app/models/model_file_actions.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/models/model_labels.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

const QString kNamesKey = QStringLiteral("models.names");
constexpr qsizetype kMostLetters = 120;
constexpr int kMoveFlushMs = 60'000;

}  // namespace

ModelFileActions::ModelFileActions(ModelManager& manager, CardCache& cards, DataSession& session,
                                   QObject* parent)
    : QObject(parent), m_cards(cards), m_session(session), m_removal(manager) {
  m_cards.setLabels([this](const QString& path) { return m_names.value(path); });
  connect(&m_removal, &ModelRemoval::removed, &m_duplicates, &DuplicateList::remove);
}

void ModelFileActions::load() {
  const QJsonObject names = QJsonDocument::fromJson(m_session.setting(kNamesKey).toUtf8()).object();
  for (auto at = names.begin(); at != names.end(); ++at) {
    const QString name = at.value().toString().left(kMostLetters);
    if (name.isEmpty()) continue;
    m_names[at.key()] = name;
    if (ModelCard* card = m_cards.find(at.key())) card->setLabel(name);
  }
  const QString hashes =
      QDir(m_session.folder()).absoluteFilePath(QStringLiteral("model-hashes.json"));
  m_verifier.setCachePath(hashes);
  m_duplicates.setCachePath(hashes);
  m_mover.setDataFolder(m_session.folder());
  m_mover.setFlush([writer = &m_session.writer()] { return writer->flush(kMoveFlushMs); });
  m_mover.recover();
}

QString ModelFileActions::renamedFile() const {
  return m_renaming ? model_labels::nameOf(m_renaming->path()) : QString();
}

QString ModelFileActions::renamedName() const {
  return m_renaming ? m_renaming->name() : QString();
}

bool ModelFileActions::isRenamed() const {
  return m_renaming && m_names.contains(m_renaming->path());
}

void ModelFileActions::askName(ModelCard* card) {
  m_renaming = card;
  emit renamingChanged();
}

void ModelFileActions::rename(const QString& name) {
  if (!m_renaming) return;
  const QString wanted = visibleString(name).simplified().left(kMostLetters);
  const QString path = m_renaming->path();
  m_renaming->setLabel({});
  if (wanted.isEmpty() || wanted == m_renaming->name()) {
    m_names.remove(path);
  } else {
    m_names[path] = wanted;
    m_renaming->setLabel(wanted);
  }
  saveNames();
  emit m_cards.changed();
  closeRenaming();
}

void ModelFileActions::closeRenaming() {
  m_renaming.clear();
  emit renamingChanged();
}

void ModelFileActions::saveNames() {
  QJsonObject names;
  for (auto at = m_names.cbegin(); at != m_names.cend(); ++at) names[at.key()] = at.value();
  m_session.putSetting(kNamesKey,
                       QString::fromUtf8(QJsonDocument(names).toJson(QJsonDocument::Compact)));
}

void ModelFileActions::movePath(const QString& from, const QString& to) {
  m_cards.movePath(from, to);
  if (!m_names.contains(from)) return;
  m_names[to] = m_names.take(from);
  if (ModelCard* card = m_cards.find(to)) card->setLabel(m_names[to]);
  saveNames();
}

}  // namespace quire
