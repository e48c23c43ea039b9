#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <optional>

#include "app/engine_page/block_legend.h"

namespace quire {

/// The latest snapshot of the cache blocks, and the text of a selected block. The engine reports
/// changes only while there is a viewer.
/// Thread: the window's.
class BlockMapModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by EngineMonitor.")
  Q_PROPERTY(quire::BlockLegend* legend READ legend CONSTANT)
  Q_PROPERTY(QString countText READ countText NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)
  Q_PROPERTY(QString savingsText READ savingsText NOTIFY changed)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY changed)
  Q_PROPERTY(bool hasReading READ hasReading NOTIFY readingChanged)
  Q_PROPERTY(QString readingTitle READ readingTitle NOTIFY readingChanged)
  Q_PROPERTY(QString readingText READ readingText NOTIFY readingChanged)

 public:
  BlockMapModel(EngineInspector& inspector, ChatLabels labels, QObject* parent = nullptr);

  BlockLegend* legend() { return &m_legend; }
  const BlockCounts& counts() const { return m_counts; }
  int numBlocks() const { return static_cast<int>(m_map.blocks.size()); }
  bool isEmpty() const { return m_map.blocks.isEmpty(); }
  const QList<quint8>& looks() const { return m_looks; }  ///< The BlockLook of each block.

  QString countText() const;    ///< "192 of 360": the blocks that are not free.
  QString summary() const;      ///< All counts, as a sentence.
  QString savingsText() const;  ///< The memory saved by sharing; empty if none is.
  /// The number and state of a block.
  QString describe(int block) const;

  /// Requests the text of a block.
  Q_INVOKABLE void read(int block);
  Q_INVOKABLE void closeReading();
  bool hasReading() const { return m_reading.has_value(); }
  int readBlock() const { return m_reading ? m_reading->block : -1; }
  QString readingTitle() const;
  QString readingText() const;

  void addViewer();
  void removeViewer();
  bool isWatched() const { return m_numViewers > 0; }

 signals:
  void changed();
  void readingChanged();
  void watchedChanged();

 private:
  void onMap(const BlockMapSnapshot& map);
  void onReading(const BlockReading& reading);
  BlockLook lookOf(const BlockMapSnapshot::Block& block);
  void count(const BlockMapSnapshot::Block& block, BlockLook look);
  QString stateOf(const BlockMapSnapshot::Block& block) const;
  QString messageText() const;

  EngineInspector& m_inspector;
  const ChatLabels m_labels;
  BlockMapSnapshot m_map;
  QList<quint8> m_looks;
  QHash<qint64, BlockLook> m_chatLooks;  ///< Cache of lookOf(chat) while a snapshot is processed.
  BlockCounts m_counts;
  BlockLegend m_legend;
  int m_asked = -1;  ///< The block whose text was requested; -1: none.
  std::optional<BlockReading> m_reading;
  int m_numViewers = 0;
};

}  // namespace quire
