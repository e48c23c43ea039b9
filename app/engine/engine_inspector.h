#pragma once

#include <QList>
#include <QObject>

#include "app/engine/chat_backend.h"
#include "app/engine/engine_report.h"
#include "app/engine/model_manager.h"

namespace quire {

/// What a persona's chats begin with.
struct PersonaPrompt {
  QString systemPrompt;
  QString adapterPath = {};  ///< The LoRA adapter that answers; empty: none.
  bool operator==(const PersonaPrompt& other) const {
    return systemPrompt == other.systemPrompt && adapterPath == other.adapterPath;
  }
};

/// How much of a persona's prompt is cached.
struct PersonaReport {
  int tokens = 0;          ///< Of the prompt that its chats share; 0: no model to count them.
  int residentTokens = 0;  ///< Of these: in the block pool, or in host memory beside it.
  int diskTokens = 0;      ///< Of the others: on disk.
  int sharingChats = 0;    ///< Chats since the model was loaded that begin with them.
  quint64 bytesSaved = 0;  ///< Of memory, because those chats share what is resident.
};

/// Reports the activity and the cache of the primary model's engine.
/// Thread: the window's. No call blocks.
class EngineInspector : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Switches blockMapChanged on or off. It is emitted immediately, and then up to four times a
  /// second while blocks change.
  virtual void watchBlocks(bool watched) = 0;
  /// Reads the content of a block. Without a model there is no reply.
  virtual void readBlock(int block, Reply<BlockReading> reply) = 0;
  /// How much of a persona's prompt is cached; nothing while its adapter is not loaded.
  virtual PendingReply measurePersona(const PersonaPrompt& persona, Reply<PersonaReport> reply) = 0;
  /// Computes these prompts in advance, each with its adapter, and evicts them only when no other
  /// block is left. Replaces the previous list.
  virtual void keepWarm(const QList<PersonaPrompt>& personas) = 0;

 signals:
  /// A request has its first token.
  void promptComputed(const quire::PromptReport& report);
  /// About twice a second while there is work, and when blocks begin to be watched.
  void engineMeasured(const quire::EngineReport& report);
  void blockMapChanged(const quire::BlockMapSnapshot& map);
};

/// The three interfaces of one engine.
struct EngineInterfaces {
  ChatBackend& chat;
  ModelManager& models;
  EngineInspector& inspector;
};

}  // namespace quire
