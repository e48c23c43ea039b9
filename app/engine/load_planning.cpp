#include "app/engine/load_planning.h"

#include <QCoreApplication>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <new>
#include <utility>

#include "app/engine/serving_model.h"
#include "app/error_strings.h"
#include "app/store/visible_string.h"
#include "engine/draft_model.h"
#include "engine/memory/kv_budget.h"
#include "kernels/base/megabytes.h"
#include "kernels/base/processor_cores.h"

namespace quire {
namespace {

/// Other models are replaced if the new one would have room for fewer tokens than this beside them.
constexpr int kLeastTokens = 4096;

struct LoadPlanningTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::LoadPlanningTexts)
};

QString inMegabytes(quint64 bytes) {
  return QString::fromStdString(megabytes(bytes));
}

Error invalid(const QString& sentence) {
  return {ErrorCode::kInvalidArgument, sentence.toStdString()};
}

Error inWindowsWords(const Error& engines) {
  return {engines.code, errorText(engines).toStdString()};
}

/// The devices with their free memory after the models in `gone` are unloaded.
std::vector<DeviceInfo> devicesWithout(const QList<LoadedFacts>& loaded, const QStringList& gone,
                                       std::vector<DeviceInfo> devices) {
  for (DeviceInfo& device : devices) {
    const QString name = QString::fromStdString(device.name);
    quint64 promised = 0;
    for (const LoadedFacts& model : loaded) {
      const bool isGone = gone.contains(model.path);
      if (isGone) device.free_bytes += model.heldBytes.value(name);
      if (!isGone && !device.has_own_memory) promised += model.promisedBytes;
    }
    device.free_bytes -= std::min<uint64_t>(device.free_bytes, promised);
  }
  return devices;
}

/// The models that may be replaced, in that order: first the one that is loaded again.
QStringList candidates(const LoadPlanInput& input) {
  QList<LoadedFacts> models = input.loaded;
  if (!input.mayEndAnswers) models.removeIf(std::mem_fn(&LoadedFacts::isBusy));
  const bool primaryFirst = input.mayEndAnswers;
  std::stable_sort(models.begin(), models.end(),
                   [&, primaryFirst](const LoadedFacts& a, const LoadedFacts& b) {
                     const bool isSame = a.path == input.request.path;
                     if (isSame != (b.path == input.request.path)) return isSame;
                     if (primaryFirst && a.isPrimary != b.isPrimary) return a.isPrimary;
                     return a.lastUsedMs < b.lastUsedMs;
                   });
  QStringList paths;
  for (const LoadedFacts& model : qAsConst(models)) paths.append(model.path);
  return paths;
}

/// A GPU tells how much memory is free only once it is opened; if that fails, it has none.
DeviceInfo withFreeMemory(const DeviceInfo& device) {
  if (!device.has_own_memory) return device;
  // Those of a group are opened one by one: what connects them would be for nothing.
  std::vector<DeviceInfo> parts;
  for (const std::string& name : parts_of_device(device.name)) {
    const auto opened = create_backend({.device = name});
    if (!opened) return device;
    parts.push_back((*opened)->info());
  }
  return parts.size() == 1 ? parts.front() : describe_group(parts);
}

/// Adds to an estimate what a draft model takes on each device. The host stays the last part.
void addParts(MemoryEstimate& estimate, const MemoryEstimate& draft) {
  for (const MemoryEstimate::Part& part : draft.parts) {
    const auto found =
        std::ranges::find(estimate.parts, part.device, &MemoryEstimate::Part::device);
    if (found == estimate.parts.end()) {
      estimate.parts.insert(estimate.parts.end() - 1, part);
      continue;
    }
    found->weight_bytes += part.weight_bytes;
    found->kv_bytes += part.kv_bytes;
    found->work_bytes += part.work_bytes;
  }
}

/// The number of devices that compute layers.
std::ptrdiff_t numDevices(const MemoryEstimate& estimate) {
  return std::ranges::count_if(estimate.parts,
                               [](const auto& part) { return part.num_layers > 0; });
}

/// Finds the smallest number of models that must be replaced.
class Planner {
 public:
  explicit Planner(const LoadPlanInput& input) : m_input(input) {
    m_planned.plan.request = input.request;
    m_planned.backend = input.backend;
    m_planned.engine = input.engine;
  }

  PlannedLoad run() {
    const auto planned = plan();
    if (!planned) m_planned.plan.error = QString::fromStdString(planned.error().message);
    keepToThePool();
    return std::move(m_planned);
  }

 private:
  Result<void> plan() {
    if (auto applied = applyRequest(m_input.request, m_planned.backend, m_planned.engine);
        !applied) {
      return applied;
    }
    if (auto found = findDevices(); !found) return found;
    m_givenPool = m_planned.engine.kv_bytes;
    chooseDraft();
    auto placed = findPlace();
    if (placed || placed.error().code != ErrorCode::kOutOfMemory || !hasDraft()) return placed;
    leaveOutDraft({ErrorCode::kOutOfMemory,
                   LoadPlanningTexts::tr("There is not enough memory for it.").toStdString()});
    return findPlace();
  }

  Result<void> findPlace() {
    m_planned.plan.replaces.clear();
    const bool instead = m_input.request.place == LoadRequest::Place::kInstead;
    for (const LoadedFacts& model : m_input.loaded) {
      if (instead && model.isPrimary) addReplaced(model.path);
    }
    if (auto fits = tryWithout({}, kLeastTokens); !fits || *fits) return result(fits);
    QStringList gone;
    for (const QString& path : candidates(m_input)) {
      gone.append(path);
      if (auto fits = tryWithout(gone, kLeastTokens); !fits || *fits) return result(fits);
    }
    if (auto fits = tryWithout(gone, 1); !fits || *fits) return result(fits);
    return tooLarge();
  }

  bool hasDraft() const { return !m_planned.draftPath.isEmpty(); }

  void chooseDraft() {
    const LoadRequest& request = m_input.request;
    if (request.draftPath.isEmpty() || !request.speculates) return;
    m_planned.draftPath = request.draftPath;
    m_planned.engine.draft_layers = false;  // The draft model guesses instead.
    if (m_input.draftProblem) return leaveOutDraft(*m_input.draftProblem);
    // Before the estimate: without the draft model the model's own layers guess.
    const auto usable =
        DraftModel::check_tokens(std::filesystem::path(request.draftPath.toStdU16String()),
                                 std::filesystem::path(request.path.toStdU16String()));
    if (!usable) leaveOutDraft(usable.error());
  }

  /// A GPU that computes all layers submits steps ahead of their time, and asks no draft model.
  void leaveOutDraftThatIsNotAsked() {
    const MemoryEstimate& estimate = m_planned.estimate;
    const bool runsAhead = numDevices(estimate) == 1 && estimate.parts.front().has_own_memory;
    if (!runsAhead || m_planned.engine.speculation != SpeculationMode::kAuto) return;
    leaveOutDraft(
        {ErrorCode::kUnsupported,
         LoadPlanningTexts::tr("A GPU computes the next token in advance instead of guessing.")
             .toStdString()});
  }

  void leaveOutDraft(const Error& why) {
    m_planned.draftPath.clear();
    m_planned.engine.draft_layers = true;
    m_planned.plan.draftNote = unusedDraft(why);
  }

  /// Beside other models the pool has its planned size, even if more memory seems to be free.
  void keepToThePool() {
    if (m_input.loaded.isEmpty() || !m_isOnHost || m_planned.engine.kv_bytes > 0) return;
    m_planned.engine.kv_bytes = m_pool;
  }

  static Result<void> result(const Result<bool>& fits) {
    return fits ? Result<void>() : fits.error();
  }

  Result<void> findDevices() {
    auto choice = choose_devices(m_planned.backend);
    if (!choice) return inWindowsWords(choice.error());
    const std::vector<DeviceInfo> all = list_devices();
    for (const std::string& name : choice->names) {
      const auto found = find_device(all, name);
      if (!found) continue;
      // Only the CPU or a GPU that was named can be unavailable here.
      if (!found->available) return inWindowsWords({ErrorCode::kUnsupported, found->reason});
      m_devices.push_back(withFreeMemory(*found));
    }
    m_planned.plan.deviceNote = deviceReason(choice->gpu_reason);
    if (!m_devices.empty() && !m_devices.back().has_own_memory) return {};
    return invalid(LoadPlanningTexts::tr("The device \"%1\" is not there. Choose another.")
                       .arg(QString::fromStdString(m_planned.backend.device)));
  }

  /// Whether the model fits after those models are unloaded, with room for so many tokens.
  Result<bool> tryWithout(const QStringList& gone, int leastTokens) {
    const auto devices = devicesWithout(m_input.loaded, gone, m_devices);
    m_planned.engine.kv_bytes = m_givenPool;
    if (auto estimated = estimateModel(devices); !estimated) return estimated.error();
    if (hasDraft()) leaveOutDraftThatIsNotAsked();
    if (hasDraft()) {
      if (auto added = addDraft(devices); !added) return added.error();
    }
    describe(gone);
    const bool isWorthIt =
        m_givenPool > 0 ||
        m_planned.estimate.max_context >= std::min(leastTokens, m_planned.estimate.full_context);
    m_planned.plan.fits = m_planned.estimate.fits() && isWorthIt;
    return m_planned.plan.fits;
  }

  Result<void> estimateModel(const std::vector<DeviceInfo>& devices) {
    const std::filesystem::path path(m_input.request.path.toStdU16String());
    auto estimate = estimate_memory({.path = path,
                                     .engine = m_planned.engine,
                                     .num_threads = m_planned.backend.num_threads,
                                     .devices = devices});
    if (!estimate) return inWindowsWords(estimate.error());
    m_planned.estimate = std::move(*estimate);
    m_isOnHost = m_planned.estimate.parts.size() == 1;
    m_pool = m_planned.estimate.host().kv_bytes;
    m_planned.plan.deviceName = QString::fromStdString(m_planned.estimate.parts.front().device);
    return {};
  }

  /// Adds the draft model to the estimate. On a GPU the pool takes all free memory; then it is
  /// planned again, smaller. A draft model that cannot be read is left out.
  Result<void> addDraft(const std::vector<DeviceInfo>& devices) {
    auto draft = estimateDraft(devices);
    if (!draft) return {};
    MemoryEstimate& estimate = m_planned.estimate;
    MemoryEstimate both = estimate;
    addParts(both, *draft);
    if (!both.fits() && estimate.fits() && m_givenPool == 0 && numDevices(estimate) == 1) {
      if (auto shared = sharePool(devices, *draft); !shared) return shared.error();
      draft = estimateDraft(devices);
      if (!draft) return {};
    }
    addParts(estimate, *draft);
    return {};
  }

  /// If the draft model cannot be read, leaves it out and returns the error.
  Result<MemoryEstimate> estimateDraft(const std::vector<DeviceInfo>& devices) {
    const std::filesystem::path path(m_planned.draftPath.toStdU16String());
    auto draft = DraftModel::estimate(
        {.path = path, .num_threads = m_planned.backend.num_threads, .devices = devices},
        m_planned.estimate);
    if (!draft) leaveOutDraft(draft.error());
    return draft;
  }

  /// Estimates the model again with the memory that the draft model leaves, and with a pool that
  /// leaves room for a draft model's pool of as many blocks.
  Result<void> sharePool(const std::vector<DeviceInfo>& devices, const MemoryEstimate& draft) {
    std::vector<DeviceInfo> left = devices;
    for (DeviceInfo& device : left) {
      const auto part = std::ranges::find(draft.parts, device.name, &MemoryEstimate::Part::device);
      if (part == draft.parts.end()) continue;
      const uint64_t taken = part->weight_bytes + part->work_bytes;
      device.free_bytes -= std::min<uint64_t>(device.free_bytes, taken);
    }
    const auto poolOf = [](const MemoryEstimate& estimate) {
      uint64_t bytes = 0;
      for (const MemoryEstimate::Part& part : estimate.parts) bytes += part.kv_bytes;
      return static_cast<double>(bytes);
    };
    const double own = poolOf(m_planned.estimate);
    const double part = own / std::max(1.0, own + poolOf(draft));
    if (auto estimated = estimateModel(left); !estimated) return estimated;
    m_planned.engine.kv_bytes = static_cast<uint64_t>(part * poolOf(m_planned.estimate));
    return estimateModel(devices);
  }

  void describe(const QStringList& gone) {
    LoadPlan& plan = m_planned.plan;
    const MemoryEstimate& estimate = m_planned.estimate;
    plan.name = visibleString(QString::fromStdString(estimate.model_name));
    plan.contextLength = estimate.max_context;
    plan.memory = memoryOf(estimate);
    for (const QString& path : gone) addReplaced(path);
    m_planned.givesRoomFirst = gone;
  }

  /// A model that is loaded again replaces itself, which is not listed.
  void addReplaced(const QString& path) {
    QStringList& replaces = m_planned.plan.replaces;
    if (path != m_input.request.path && !replaces.contains(path)) replaces.append(path);
  }

  static ModelMemory memoryOf(const MemoryEstimate& estimate) {
    ModelMemory memory;
    for (const MemoryEstimate::Part& part : estimate.parts) {
      if (part.num_layers == 0) continue;  // The host's small part of a model on a GPU.
      memory.weights += part.weight_bytes;
      memory.cache += part.kv_bytes;
      memory.workspace += part.work_bytes;
      memory.free += part.free_bytes;
    }
    return memory;
  }

  Error tooLarge() const {
    const ModelMemory& memory = m_planned.plan.memory;
    const bool isBusy =
        !m_input.mayEndAnswers && std::ranges::any_of(m_input.loaded, &LoadedFacts::isBusy);
    const QString remedy =
        isBusy
            ? LoadPlanningTexts::tr(
                  "Other models are answering: wait until they are done, or unload one.")
            : LoadPlanningTexts::tr("Close other programs, or choose a smaller model or context.");
    return {ErrorCode::kOutOfMemory,
            LoadPlanningTexts::tr("The model needs %1 of memory, and %2 are free. %3")
                .arg(inMegabytes(memory.total()), inMegabytes(memory.free), remedy)
                .toStdString()};
  }

  const LoadPlanInput& m_input;
  std::vector<DeviceInfo> m_devices;
  uint64_t m_givenPool = 0;  ///< Bytes of the pool that was asked for; 0: none was.
  // Of the last estimate of the model without its draft model.
  bool m_isOnHost = false;
  uint64_t m_pool = 0;  ///< Bytes of its pool on the host.
  PlannedLoad m_planned;
};

}  // namespace

Result<void> applyRequest(const LoadRequest& request, BackendOptions& backend,
                          EngineOptions& engine) {
  if (!request.device.isEmpty()) backend.device = request.device.toStdString();
  if (request.threads) backend.num_threads = *request.threads;
  if (request.contextLength) engine.max_context = *request.contextLength;
  if (request.cacheBytes) engine.kv_bytes = *request.cacheBytes;
  if (!request.speculates) engine.speculation = SpeculationMode::kOff;
  const int batchTokens = request.batchTokens.value_or(0);
  if (backend.num_threads < 0 || engine.max_context < 0 || batchTokens < 0) {
    return invalid(
        LoadPlanningTexts::tr("Threads, context length and prompt batch size must be 0 or more."));
  }
  if (batchTokens > 0) {
    engine.max_batch_tokens = batchTokens;
    engine.max_sequences = std::min(engine.max_sequences, batchTokens);
  }
  if (request.cacheType.isEmpty()) return {};
  engine.kv_dtype.reset();
  if (request.cacheType == QLatin1String("auto")) return {};
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    if (dtype_name(dtype) == request.cacheType.toStdString()) engine.kv_dtype = dtype;
  }
  if (engine.kv_dtype) return {};
  return invalid(
      LoadPlanningTexts::tr("Keys and values cannot be kept in \"%1\".").arg(request.cacheType));
}

PlannedLoad planLoad(const LoadPlanInput& input) try {
  return Planner(input).run();
} catch (const std::bad_alloc&) {
  PlannedLoad planned;
  planned.plan.request = input.request;
  planned.plan.error =
      LoadPlanningTexts::tr("There is not enough memory to look into the model's file.");
  return planned;
}

QList<ComputeDevice> listComputeDevices() {
  QList<ComputeDevice> devices;
  for (const DeviceInfo& info : list_devices()) {
    QStringList types = {QStringLiteral("f32"), QStringLiteral("f16"), QStringLiteral("bf16")};
    if (info.has_own_memory) types << QStringLiteral("f8_e4m3");
    types << QStringLiteral("i8");
    const std::string standard(dtype_name(info.kv_dtype));
    devices.append({.name = QString::fromStdString(info.name),
                    .description = QString::fromStdString(info.description),
                    .totalBytes = info.total_bytes,
                    .freeBytes = info.free_bytes,
                    .available = info.available,
                    .threads = info.has_own_memory ? 0 : num_usable_cores(),
                    .reason = deviceReason(info.reason),
                    .cacheTypes = types,
                    .defaultCacheType = QString::fromStdString(standard)});
  }
  return devices;
}

}  // namespace quire
