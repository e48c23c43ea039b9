#include "app/engine_page/machine_bench.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QRandomGenerator>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/engine_page/bench_requests.h"

namespace quire {
namespace {

constexpr size_t kNumStages = 2 + std::size(kBenchChats);

/// What does not depend on the model's speed.
struct MachineReport {
  MachineFacts machine;
  double memoryBytesPerSecond = 0.0;
};

}  // namespace

MachineBench::MachineBench(ChatBackend& backend, ModelManager& manager, QObject* parent)
    : QObject(parent), m_backend(backend), m_manager(manager) {
  connect(&manager, &ModelManager::throughputChanged, this,
          [this](double, int running) { onThroughput(running); });
  connect(&manager, &ModelManager::stateChanged, this, [this] {
    if (m_isRunning && m_manager.state() != ModelManager::State::Ready)
      end(tr("The model was changed meanwhile. Measure again."));
  });
}

MachineBench::~MachineBench() {
  if (m_requests) m_requests->forget();
}

double MachineBench::progress() const {
  return static_cast<double>(m_stage) / static_cast<double>(kNumStages);
}

void MachineBench::start() {
  if (m_isRunning) return;
  m_text.clear();
  m_notice.clear();
  const QList<ModelState> models = m_manager.models();
  const auto isBusy = [](const ModelState& model) { return model.runningRequests > 0; };
  const auto primary = std::ranges::find_if(models, &ModelState::primary);
  if (m_manager.state() != ModelManager::State::Ready) {
    return end(tr("Load a model first."));
  }
  if (std::ranges::any_of(models, isBusy)) {
    return end(tr("Chats are being answered. Measure when they are finished."));
  }
  m_isRunning = true;
  m_stage = 0;
  m_report = {.version = QCoreApplication::applicationVersion().toStdString(),
              .machine = {},
              .device = m_manager.deviceName().toStdString(),
              .model = {}};
  if (m_describe && primary != models.end()) m_report.model = m_describe(primary->path);
  m_tasks.runNewest(
      [](const std::stop_token&) {
        MachineReport report{.machine = machine_facts()};
        report.memoryBytesPerSecond = memory_bytes_per_second(report.machine.num_threads);
        return report;
      },
      [this](const MachineReport& report) {
        m_report.machine = report.machine;
        m_report.memory_bytes_per_second = report.memoryBytesPerSecond;
        m_stage = 1;
        measureNext();
      });
  emit changed();
}

void MachineBench::measureNext() {
  const bool isProbe = m_stage == 1;
  const int numChats = isProbe ? 1 : kBenchChats[m_stage - 2];
  const BenchSizes sizes =
      isProbe ? kProbeSizes : bench_sizes(m_probe, numChats, m_manager.contextLength() / 2);
  const Receiver receiver(this);
  m_requests = std::make_shared<BenchRequests>(
      numChats, sizes, [this, receiver](const BenchFigures& figures, const QString& error) {
        receiver.post([this, figures, error] {
          if (!m_isRunning) return;
          if (error.isEmpty()) return onMeasured(figures);
          end(error == QLatin1String("-") ? tr("The model could not be measured.") : error);
        });
      });
  m_ids = m_requests->submit(m_backend, QRandomGenerator::global()->generate());
  emit changed();
}

void MachineBench::onMeasured(const BenchFigures& figures) {
  m_ids.clear();
  if (m_stage == 1) {
    m_probe = figures;
  } else {
    m_report.figures.push_back(figures);
  }
  if (++m_stage < kNumStages) return measureNext();
  m_text = QString::fromStdString(bench_text(m_report));
  end({});
}

/// A chat that begins meanwhile would falsify the figures, and the measurement would slow it down.
void MachineBench::onThroughput(int running) {
  if (m_isRunning && running > static_cast<int>(m_ids.size()) && !m_ids.empty())
    end(tr("Stopped, because a chat began. Measure again when it is answered."));
}

void MachineBench::end(const QString& notice) {
  m_isRunning = false;
  m_notice = notice;
  if (const auto requests = std::exchange(m_requests, nullptr)) requests->forget();
  for (const RequestId id : std::exchange(m_ids, {})) m_backend.cancel(id);
  emit changed();
}

void MachineBench::cancel() {
  if (!m_isRunning) return;
  m_tasks.cancel();
  end({});
}

void MachineBench::copy() const {
  QGuiApplication::clipboard()->setText(m_text);
}

void MachineBench::dismiss() {
  m_text.clear();
  m_notice.clear();
  emit changed();
}

}  // namespace quire
