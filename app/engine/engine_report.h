#pragma once

#include <QList>
#include <QString>

#include <cstdint>

namespace quire {

/// How long something took, over the last five minutes: half of the times, 95 and 99 of 100 were no
/// longer.
struct LatencyFigures {
  int count = 0;  ///< 0: nothing was measured, and the others mean nothing.
  double p50Ms = 0.0;
  double p95Ms = 0.0;
  double p99Ms = 0.0;
};

/// What an engine does, about twice a second while it works, and once when it has come to rest.
/// Counters run since its model was loaded.
struct EngineReport {
  QString modelPath;  ///< Whose figures these are; empty: no model serves.
  double tokensPerSecond = 0.0;
  int runningRequests = 0;  ///< Answers that are being computed or wait for it.
  int waitingRequests = 0;  ///< Of them: those that hold no blocks yet.
  int batchSequences = 0;   ///< Of the last step.
  int batchTokens = 0;

  int totalBlocks = 0;  ///< used + kept + free.
  int usedBlocks = 0;
  int sharedBlocks = 0;  ///< Of the used.
  int keptBlocks = 0;
  int freeBlocks = 0;
  int hostBlocks = 0;  ///< In host memory, beside the pool.
  quint64 bytesPerBlock = 0;
  double emptyPart = 0.0;  ///< Of the used blocks' places those that hold nothing: 0 to 1.

  // Of models with recurrent layers; the others have no states.
  int totalStates = 0;
  int usedStates = 0;      ///< Held by answers that are being computed.
  int snapshotStates = 0;  ///< Kept, so that chats continue from them; held or not.
  quint64 bytesPerState = 0;
  int snapshotStride = 0;  ///< Tokens; 0: no snapshots in the middle of a prompt.

  // Of models with layers that see only the last tokens: the parts of blocks that these keep.
  int totalWindows = 0;
  int usedWindows = 0;  ///< Held by answers that are being computed.
  int keptWindows = 0;  ///< Nobody uses them now; they stay until their memory is needed.
  quint64 bytesPerWindow = 0;

  int adapters = 0;  ///< Loaded beside the model.
  quint64 adapterBytes = 0;

  quint64 promptTokens = 0;
  quint64 cachedTokens = 0;  ///< Of the prompts' tokens: not computed.
  quint64 diskTokens = 0;    ///< Of the cached: read back from disk.
  quint64 cutTokens = 0;     ///< Computed although they were cached: without a snapshot after them,
                             ///< or a whole window before.
  quint64 outputTokens = 0;
  quint64 draftedTokens = 0;   ///< Guesses of the next tokens that were computed,
  quint64 acceptedTokens = 0;  ///< and those that were right, each a step less.
  quint64 preemptions = 0;
  quint64 storedBytes = 0;  ///< Of keys and values on disk.

  LatencyFigures firstToken;
  LatencyFigures betweenTokens;
};

/// Every block of the pool at one moment.
struct BlockMapSnapshot {
  enum class Kind : quint8 {
    Free,    ///< Holds nothing.
    Kept,    ///< Nobody uses it now; its content stays until the block is needed.
    Used,    ///< By one answer.
    Shared,  ///< By several.
  };
  struct Block {
    qint64 chatId = 0;  ///< One of those that use it, or the last that did; 0: of no chat.
    qint32 references = 0;
    quint16 chats = 0;  ///< That use it.
    quint8 tokens = 0;
    Kind kind = Kind::Free;
    bool onDisk = false;
    bool inHostMemory = false;
    bool pinned = false;

    bool operator==(const Block&) const = default;
  };
  QList<Block> blocks;
  quint64 bytesPerBlock = 0;
};

/// What stands in one block.
struct BlockReading {
  int block = -1;
  bool isHeld = false;  ///< By an answer that is being written.
  QString text;         ///< Empty: the block holds nothing that can be read.
  int tokens = 0;
  QList<qint64> chatIds;  ///< That use it, or that used it last.
  int firstToken = -1;    ///< Of the chat, counted from 0; -1: unknown.
  /// The message that the first token belongs to, counted from 0 without the system prompt, which
  /// is -1; kUnknownMessage if it is not known.
  static constexpr int kUnknownMessage = -2;
  int message = kUnknownMessage;
};

}  // namespace quire
