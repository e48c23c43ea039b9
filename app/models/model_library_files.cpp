// What the library does when the files of a model are deleted or moved.
#include "app/models/model_labels.h"
#include "app/models/model_library.h"

namespace quire {

void ModelLibrary::connectFiles() {
  connect(m_files.removal(), &ModelRemoval::removed, this,
          [this](const QString& path, const QString& notice) {
            forgetPath(path);
            setNotice(notice, {});
            rescan();
          });
  connect(m_files.mover(), &ModelMover::moved, this, &ModelLibrary::onMoved);
  connect(m_files.mover(), &ModelMover::ended, this, [this](const QString& sentence) {
    setNotice(sentence, {});
    rescan();
  });
}

/// The manager keeps the state of a model that was unloaded, so its card would stay.
void ModelLibrary::forgetPath(const QString& path) {
  m_gone.insert(path);
  if (m_query.opened.removeAll(path) > 0) m_settings.setOpened(m_query.opened);
  if (m_settings.lastModel() == path) m_settings.setLastModel({});
  arrange();
}

/// Called before the old files are deleted, so that no setting ever names a missing file.
void ModelLibrary::onMoved(const QString& from, const QString& to) {
  const ModelCard* const old = m_cards.find(from);
  const bool wasServing = old && old->isServing();
  const bool wasPrimary = old && old->isPrimary();
  const bool wasLast = m_settings.lastModel() == from;
  m_files.movePath(from, to);
  forgetPath(from);
  if (wasLast) m_settings.setLastModel(to);
  QStringList hidden = m_settings.hidden();
  if (hidden.removeAll(from) > 0) m_settings.setHidden(hidden << to);
  addWritten(to);
  emit modelMoved(from, to);
  if (!wasServing) return;
  // Its files stay readable while it is loaded, so that running answers need not end.
  auto* const waiting = new QObject(this);
  const auto replace = [this, waiting, from, to, wasPrimary] {
    for (const ModelState& state : m_manager.models()) {
      if (state.path == from && state.runningRequests > 0) return;
    }
    disconnect(&m_manager, nullptr, waiting, nullptr);
    waiting->deleteLater();
    m_manager.unloadModel(from);
    if (wasPrimary) m_manager.loadModel(requestFor(to));
  };
  connect(&m_manager, &ModelManager::modelsChanged, waiting, replace);
  connect(&m_manager, &ModelManager::throughputChanged, waiting, replace);
  replace();
}

BenchModel ModelLibrary::describe(const QString& path) {
  const ModelCard* const card = m_cards.find(path);
  if (card == nullptr) return {};
  const ModelFacts& facts = card->found().facts;
  return {.name = card->isDemonstration() ? "quire-mini (comes with Quire)" : "",
          .architecture = facts.architecture.toStdString(),
          .parameters = facts.parameters,
          .type = facts.quantisation.toStdString(),
          .bytes = facts.fileBytes};
}

bool ModelLibrary::isGone(const ModelCard& card) const {
  return m_gone.contains(card.path()) && !card.isServing() && !card.isLoading();
}

}  // namespace quire
