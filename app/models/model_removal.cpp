#include "app/models/model_removal.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

#include "app/models/model_labels.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr qsizetype kMostNames = 8;
constexpr qsizetype kMostTitles = 3;

}  // namespace

StoredModel storedModel(const ModelCard& card) {
  return {.path = card.path(),
          .name = card.found().name,
          .source = card.found().source,
          .place = card.found().place};
}

ModelRemoval::ModelRemoval(ModelManager& manager, QObject* parent)
    : QObject(parent), m_manager(manager) {
  connect(&manager, &ModelManager::modelsChanged, this, [this] {
    goOn();
    if (m_phase == Phase::Asking) emit changed();
  });
}

void ModelRemoval::open(ModelCard* card) {
  if (card == nullptr || isDeleting()) return;
  m_card = card;
  m_phase = Phase::Listing;
  m_parts = {};
  m_problem.clear();
  m_chats = m_chatsUsing ? m_chatsUsing(card->path()) : QStringList();
  m_tasks.runNewest([model = storedModel(*card)](const std::stop_token&) { return partsOf(model); },
                    [this](const ModelParts& parts) {
                      m_parts = parts;
                      m_phase = Phase::Asking;
                      emit changed();
                    });
  emit changed();
}

void ModelRemoval::close() {
  if (!isOpen() || isDeleting()) return;
  m_tasks.cancel();
  m_phase = Phase::None;
  m_card.clear();
  emit changed();
}

bool ModelRemoval::canDelete() const {
  return m_phase == Phase::Asking && m_card && !m_card->isDemonstration() && !m_card->isLoading() &&
         m_parts.problem.isEmpty();
}

QString ModelRemoval::title() const {
  return m_card ? tr("Delete %1?").arg(m_card->name()) : QString();
}

QString ModelRemoval::freedText() const {
  if (m_phase == Phase::Listing) return tr("Reading the folder…");
  const QString files = tr("%n file(s)", nullptr, static_cast<int>(m_parts.files.size()));
  const auto freed = static_cast<quint64>(m_parts.freedBytes());
  if (m_parts.freedBytes() < m_parts.bytes()) {
    return tr("%1 · frees %2, because the disk holds a file under another name too")
        .arg(files, quire::sizeText(freed));
  }
  return tr("%1 · frees %2").arg(files, quire::sizeText(freed));
}

QStringList ModelRemoval::files() const {
  QStringList names;
  for (const StoredFile& file : m_parts.files.mid(0, kMostNames)) {
    names.append(tr("%1, %2").arg(visibleString(fileNameOf(file.path)),
                                  quire::sizeText(static_cast<quint64>(file.bytes))));
  }
  if (m_parts.files.size() > kMostNames)
    names.append(tr("and %1 more").arg(m_parts.files.size() - kMostNames));
  return names;
}

QString ModelRemoval::placeText() const {
  if (!m_card) return {};
  // The records of its hashes lie in a folder of their own.
  const auto weights = std::ranges::find_if(
      m_parts.files, [](const StoredFile& file) { return holdsWeights(file.path); });
  const QString file = weights == m_parts.files.end() ? m_card->path() : weights->path;
  const QString folder = QFileInfo(file).path();
  return model_labels::shortPath(folder, QDir::homePath() + u'/');
}

QString ModelRemoval::ownerText() const {
  const QString owner = m_card ? m_card->source() : QString();
  if (owner.isEmpty() || owner == QLatin1String("Quire")) return {};
  return tr("It belongs to %1, which will lose it too.").arg(owner);
}

QString ModelRemoval::chatsText() const {
  if (m_chats.isEmpty()) return {};
  QStringList titles;
  for (const QString& title : m_chats.mid(0, kMostTitles))
    titles.append(tr("“%1”").arg(visibleString(title)));
  const QString count = tr("%n chat(s) always use it", nullptr, static_cast<int>(m_chats.size()));
  const QString named = m_chats.size() > kMostTitles
                            ? tr("%1: %2 and others.").arg(count, titles.join(QStringLiteral(", ")))
                            : tr("%1: %2.").arg(count, titles.join(QStringLiteral(", ")));
  return tr("%1 They keep their messages, and need another model to continue.").arg(named);
}

QString ModelRemoval::loadedText() const {
  if (!m_card || !m_card->isServing()) return {};
  return m_card->state().runningRequests > 0
             ? tr("It is answering. Deleting it unloads it; the running answers end and keep their "
                  "text.")
             : tr("It is loaded. Deleting it unloads it first.");
}

QString ModelRemoval::problem() const {
  if (!m_card) return {};
  if (m_card->isDemonstration()) return tr("The demo model comes with Quire and stays.");
  if (m_card->isLoading()) return tr("It is being loaded. Wait, or cancel the load first.");
  const QString& problem = m_parts.problem.isEmpty() ? m_problem : m_parts.problem;
  return visibleLine(problem);
}

void ModelRemoval::begin(Disposal disposal) {
  if (!canDelete()) return;
  m_disposal = disposal;
  m_problem.clear();
  m_phase = Phase::Unloading;
  if (m_card->isServing()) m_manager.unloadModel(m_card->path());
  emit changed();
  goOn();
}

/// Begins to delete once the model is not loaded. The manager's signal calls it too, which may come
/// while the model is being unloaded.
void ModelRemoval::goOn() {
  if (m_phase != Phase::Unloading) return;
  // The card follows the manager's list in the same signal, perhaps later.
  for (const ModelState& state : m_manager.models()) {
    if (m_card && state.path == m_card->path() && state.serving) return;
  }
  m_phase = Phase::Deleting;
  m_tasks.runNewest([parts = m_parts, disposal = m_disposal](
                        const std::stop_token&) { return deleteModel(parts, disposal); },
                    [this](const Deletion& deletion) { onDeleted(deletion); });
  emit changed();
}

void ModelRemoval::onDeleted(const Deletion& deletion) {
  m_phase = Phase::Asking;
  if (!m_card) return close();
  if (!deletion.problem.isEmpty()) {
    m_problem = deletion.problem;
    const QString problem = m_problem;
    if (deletion.numDeleted > 0) open(m_card);  // What is left of it.
    m_problem = problem;
    return emit changed();
  }
  const QString path = m_card->path();
  const QString name = m_card->name();
  const QString notice =
      m_disposal == Disposal::kTrash
          ? tr("%1 is in the trash. Its disk space is free when you empty the trash.").arg(name)
          : tr("%1 is deleted. %2 are free now.")
                .arg(name, quire::sizeText(static_cast<quint64>(m_parts.freedBytes())));
  close();
  emit removed(path, notice);
}

}  // namespace quire
