#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace quire {

/// What a model takes, or would take, of memory while it serves, in bytes; and what there is.
struct ModelMemory {
  quint64 weights = 0;    ///< As they lie on the device, which may differ from the file.
  quint64 cache = 0;      ///< Keys and values: the whole pool, for all chats together.
  quint64 workspace = 0;  ///< Activations, logits, tokenizer, and what kernels keep.
  quint64 free = 0;       ///< On its devices as of the asking, before this model is loaded.

  quint64 total() const { return weights + cache + workspace; }
};

/// How to load a model. Unset fields use the program's start options.
struct LoadRequest {
  /// Whether it may stand beside the models that are loaded.
  enum class Place {
    kBesideIfItFits,  ///< Else in place of others, as LoadPlan::replaces says.
    kInstead,         ///< In place of the primary model, even if both would fit.
  };

  QString path;                            ///< A folder or a GGUF file.
  QString device = {};                     ///< "auto", "cpu", "cuda", "cuda:1"; empty: not given.
  std::optional<int> threads = {};         ///< Of the CPU; 0: all cores.
  std::optional<int> contextLength = {};   ///< Tokens a chat may hold; 0: the model's own.
  std::optional<quint64> cacheBytes = {};  ///< For keys and values; 0: chosen by free memory.
  std::optional<int> batchTokens = {};     ///< Computed in one step at most; 0: Quire's own choice.
  /// What keys and values are kept in: "f32", "f16", "bf16", "f8_e4m3", "i8" or "auto", the
  /// device's choice; empty: not given.
  QString cacheType = {};
  /// Whether the next tokens are guessed, so that a step may give several. Answers do not change.
  bool speculates = true;
  QString draftPath = {};  ///< A small model that also guesses them; empty: none.
  Place place = Place::kBesideIfItFits;

  /// Whether both load alike; path and place aside.
  bool loadsLike(const LoadRequest& other) const {
    return device == other.device && threads == other.threads &&
           contextLength == other.contextLength && cacheBytes == other.cacheBytes &&
           batchTokens == other.batchTokens && cacheType == other.cacheType &&
           speculates == other.speculates && draftPath == other.draftPath;
  }
};

/// The outcome of a load, determined without loading (ModelManager::planLoad).
struct LoadPlan {
  LoadRequest request;
  QString error;           ///< Why it cannot be loaded, in a sentence; then the rest may be empty.
  QString name;            ///< As the model's files call it.
  QString deviceName;      ///< "cpu", "cuda:0": where its first layers go.
  QString deviceNote;      ///< Why it is not a GPU although one may be asked for; empty otherwise.
  QString draftNote = {};  ///< Why the request's draft model would not be used; empty otherwise.
  int contextLength = 0;
  ModelMemory memory;  ///< With the draft model's.
  bool fits = false;   ///< Into what is free, after what `replaces` frees.
  /// Paths of the loaded models that would have to go, the primary one first. Answers that they are
  /// writing end and keep their text. Empty: it is added beside them.
  QStringList replaces;
};

/// The phase of a load.
enum class LoadPhase {
  kNone,       ///< Nothing is being loaded.
  kWaiting,    ///< Waits for another load, or for other models to free memory.
  kHead,       ///< Reads the file's head, the tokenizer and the chat template.
  kWeights,    ///< Reads the weights and lays them out for the device, one after the other.
  kPreparing,  ///< Waits until the device has all of them.
  kCache,      ///< Allocates keys and values and the work space.
};

/// One model that is loaded, being loaded, or known because it was.
struct ModelState {
  enum class State {
    kLoading,   ///< For the first time or again; `serving` says whether it answers meanwhile.
    kReady,     ///< Answers.
    kUnloaded,  ///< Its memory is freed; it is loaded again when a chat asks for it.
    kFailed,    ///< `error` says why.
  };

  QString path;
  QString name;  ///< Of its files; until they are read, the file's or folder's.
  State state = State::kLoading;
  bool primary = false;  ///< Requests without a path go to it.
  bool serving = false;
  bool isDemonstration = false;  ///< The bundled little model.

  LoadPhase phase = LoadPhase::kNone;
  double fraction = 0.0;      ///< Of the whole load, 0 to 1; it never goes back.
  quint64 bytesRead = 0;      ///< Of the weights, in the files.
  quint64 bytesToRead = 0;    ///< 0 until they are known.
  double secondsLeft = -1.0;  ///< Below 0: not known yet.
  QString error;              ///< Why the last load failed, even if it serves; else empty.

  QString deviceName;      ///< "CPU · AVX-512 · 2 threads"; empty until it was loaded.
  QString deviceNote;      ///< Why no GPU is used, or how its layers are spread; else empty.
  QString draftName = {};  ///< The draft model that guesses for it; empty: none.
  QString draftNote = {};  ///< Why its draft model is not used; else empty.
  int contextLength = 0;   ///< Tokens; 0 until it was loaded.
  ModelMemory memory;      ///< What it takes; zeros until it was loaded.
  int runningRequests = 0;
  double tokensPerSecond = 0.0;  ///< Of all its answers together, measured recently.
  qint64 lastUsedMs = 0;  ///< When a chat last asked or got an answer, since the epoch; 0: never.
  LoadRequest request;    ///< How it was loaded, to load it again with a change.
};

/// A compute device, and why it is not available if it is not.
struct ComputeDevice {
  QString name;         ///< For LoadRequest::device: "cpu", "cuda:0".
  QString description;  ///< "NVIDIA H200", "Intel Xeon, AVX-512, 2 threads".
  quint64 totalBytes = 0;
  quint64 freeBytes = 0;
  bool available = false;
  int threads = 0;           ///< Of the CPU: as many as compute unless someone says otherwise.
  QString reason;            ///< Why it is not available; empty if it is.
  QStringList cacheTypes;    ///< What it can keep keys and values in, for LoadRequest::cacheType.
  QString defaultCacheType;  ///< What "auto" is there.
};

}  // namespace quire
