#pragma once

#include "app/engine/engine_inspector.h"
#include "app/engine/model_pool.h"

namespace quire {

/// Inspects the primary model of a pool.
/// Thread: the window's. The pool must outlive it.
class LocalInspector : public EngineInspector {
  Q_OBJECT

 public:
  explicit LocalInspector(ModelPool& pool) : m_pool(pool) {}

  void watchBlocks(bool watched) override;
  void readBlock(int block, Reply<BlockReading> reply) override;
  PendingReply measurePersona(const PersonaPrompt& persona, Reply<PersonaReport> reply) override;
  void keepWarm(const QList<PersonaPrompt>& personas) override;

  /// Models came, went or changed places.
  void onPoolChanged();
  void handle(ServedModel& model, const WorkerEvent& event);

 private:
  ModelPool& m_pool;
  bool m_isWatching = false;
  QString m_watched;            ///< The path of the model whose blocks are watched; empty: none.
  QString m_measured;           ///< The path of the model whose figures were sent last.
  QList<PersonaPrompt> m_warm;  ///< Kept warm by every model.
};

}  // namespace quire
