#include "app/engine_page/block_map_model.h"

#include <QStringList>

#include <utility>

namespace quire {

using MapKind = BlockMapSnapshot::Kind;

BlockMapModel::BlockMapModel(EngineInspector& inspector, ChatLabels labels, QObject* parent)
    : QObject(parent), m_inspector(inspector), m_labels(std::move(labels)), m_legend(m_labels) {
  connect(&inspector, &EngineInspector::blockMapChanged, this, &BlockMapModel::onMap);
}

void BlockMapModel::addViewer() {
  if (++m_numViewers > 1) return;
  m_inspector.watchBlocks(true);
  emit watchedChanged();
}

void BlockMapModel::removeViewer() {
  if (--m_numViewers > 0) return;
  m_inspector.watchBlocks(false);
  emit watchedChanged();
}

BlockLook BlockMapModel::lookOf(const BlockMapSnapshot::Block& block) {
  switch (block.kind) {
    case MapKind::Free:
      return BlockLook::Free;
    case MapKind::Kept:
      return block.onDisk ? BlockLook::Stored : BlockLook::Kept;
    case MapKind::Shared:
      return BlockLook::Shared;
    case MapKind::Used:
      break;
  }
  auto look = m_chatLooks.constFind(block.chatId);
  if (look == m_chatLooks.constEnd()) {
    look = m_chatLooks.insert(block.chatId, quire::lookOf(m_labels, block.chatId));
  }
  return *look;
}

void BlockMapModel::count(const BlockMapSnapshot::Block& block, BlockLook look) {
  if (block.inHostMemory) ++m_counts.inHostMemory;
  if (block.references > 1) m_counts.saved += block.references - 1;
  if (block.kind == MapKind::Free) {
    ++m_counts.free;
  } else if (block.kind == MapKind::Kept) {
    ++(look == BlockLook::Stored ? m_counts.stored : m_counts.kept);
  } else if (block.kind == MapKind::Shared) {
    ++m_counts.shared;
  } else if (block.chatId == 0) {
    ++m_counts.nobody;
  } else {
    ++m_counts.chats[block.chatId];
  }
}

void BlockMapModel::onMap(const BlockMapSnapshot& map) {
  m_map = map;
  m_counts = {};
  m_looks.clear();
  m_looks.reserve(map.blocks.size());
  m_chatLooks.clear();
  for (const BlockMapSnapshot::Block& block : map.blocks) {
    const BlockLook seen = lookOf(block);
    m_looks.append(static_cast<quint8>(seen));
    count(block, seen);
  }
  m_legend.setCounts(m_counts);
  emit changed();
}

QString BlockMapModel::countText() const {
  const int total = m_counts.total();
  return tr("%1 of %2").arg(quire::countText(total - m_counts.free), quire::countText(total));
}

QString BlockMapModel::summary() const {
  if (isEmpty()) return tr("There are no cache blocks: no model is loaded.");
  return tr("Of %1 cache blocks %2 are shared by several answers, %3 belong to one answer, %4 are "
            "kept for later, %5 more are kept and on disk too, and %6 are free.")
      .arg(quire::countText(m_counts.total()), quire::countText(m_counts.shared),
           quire::countText(m_counts.used() - m_counts.shared), quire::countText(m_counts.kept),
           quire::countText(m_counts.stored), quire::countText(m_counts.free));
}

QString BlockMapModel::savingsText() const {
  if (m_counts.saved == 0) return {};
  return tr("Sharing saves %1 now: %2 are there once instead of in each answer.")
      .arg(sizeText(static_cast<quint64>(m_counts.saved) * m_map.bytesPerBlock),
           blocksText(m_counts.shared));
}

QString BlockMapModel::stateOf(const BlockMapSnapshot::Block& block) const {
  const QString title =
      block.chatId != 0 ? tr("“%1”").arg(titleOf(m_labels, block.chatId)) : QString();
  switch (block.kind) {
    case MapKind::Free:
      return tr("free");
    case MapKind::Kept:
      return title.isEmpty() ? tr("kept for later") : tr("kept for %1").arg(title);
    case MapKind::Used:
      return title.isEmpty() ? tr("in use, of no chat") : tr("in use by %1").arg(title);
    case MapKind::Shared:
      return block.chats > 1 ? tr("shared by %1").arg(answersText(block.chats))
                             : tr("shared by %1 answers").arg(quire::countText(block.references));
  }
  return {};
}

QString BlockMapModel::describe(int block) const {
  if (block < 0 || block >= numBlocks()) return {};
  const BlockMapSnapshot::Block& at = m_map.blocks[block];
  QStringList parts = {tr("Block %1").arg(quire::countText(block + 1)), stateOf(at)};
  if (at.pinned) parts.append(tr("never evicted"));
  if (at.onDisk) parts.append(tr("on disk too"));
  if (at.inHostMemory) parts.append(tr("in the computer's memory too"));
  return parts.join(QStringLiteral(" · "));
}

void BlockMapModel::read(int block) {
  if (block < 0 || block >= numBlocks()) return;
  m_asked = block;
  m_inspector.readBlock(block, {this, [this](const BlockReading& reading) { onReading(reading); }});
}

void BlockMapModel::closeReading() {
  m_asked = -1;
  m_reading.reset();
  emit readingChanged();
}

void BlockMapModel::onReading(const BlockReading& reading) {
  if (reading.block != m_asked) return;  // Another block was requested meanwhile.
  m_asked = -1;
  m_reading = reading;
  emit readingChanged();
}

QString BlockMapModel::messageText() const {
  if (m_reading->message == BlockReading::kUnknownMessage) return {};
  if (m_reading->message < 0) return tr("the system prompt");
  return tr("message %1").arg(quire::countText(m_reading->message + 1));
}

QString BlockMapModel::readingTitle() const {
  if (!m_reading) return {};
  QStringList parts = {tr("Block %1").arg(quire::countText(m_reading->block + 1))};
  QStringList titles;
  for (const qint64 chat : m_reading->chatIds.mid(0, 3)) {
    titles.append(tr("“%1”").arg(titleOf(m_labels, chat)));
  }
  const qsizetype more = m_reading->chatIds.size() - titles.size();
  if (more > 0) titles.append(tr("%1 more").arg(quire::countText(more)));
  if (!titles.isEmpty()) parts.append(titles.join(QStringLiteral(", ")));
  parts.append(messageText());
  if (m_reading->firstToken >= 0 && m_reading->tokens > 0) {
    parts.append(tr("tokens %1 to %2")
                     .arg(quire::countText(m_reading->firstToken + 1),
                          quire::countText(m_reading->firstToken + m_reading->tokens)));
  }
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

QString BlockMapModel::readingText() const {
  if (!m_reading) return {};
  if (m_reading->tokens == 0) return tr("This block holds nothing.");
  if (m_reading->text.isEmpty()) return tr("This block holds no whole character.");
  return m_reading->text;
}

}  // namespace quire
