#include "app/models/model_mover.h"

#include <QDir>
#include <QUrl>

#include <memory>
#include <utility>

#include "app/models/model_labels.h"
#include "app/models/model_removal.h"
#include "app/report_pace.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"
#include "app/typed_path.h"

namespace quire {
namespace {

constexpr int kMoveReportMs = 100;

QString moveSize(qint64 bytes) {
  return sizeText(static_cast<quint64>(bytes));
}

}  // namespace

ModelMover::ModelMover(QObject* parent) : QObject(parent) {
  connect(&m_picker, &FolderPicker::picked, this,
          [this](const QUrl& folder) { setFolder(folder.toLocalFile()); });
  connect(this, &ModelMover::changed, this, &ModelMover::progressed);
}

void ModelMover::setDataFolder(const QString& folder) {
  m_journalPath = folder.isEmpty() ? QString() : QDir(folder).absoluteFilePath("model-move.json");
}

void ModelMover::recover() {
  if (m_journalPath.isEmpty() || isMoving()) return;
  m_tasks.run(
      [path = m_journalPath](const std::stop_token&) { return recoverMove(MoveJournal(path)); },
      [this](const std::optional<ModelMove>& left) {
        if (!left || isMoving()) return;
        m_name = model_labels::nameOf(left->to);
        finish(*left);
      });
}

void ModelMover::open(ModelCard* card) {
  if (card == nullptr) return;
  if (!isMoving()) {
    m_model = storedModel(*card);
    m_name = card->name();
    m_phase = Phase::Choosing;
    m_problem.clear();
    setFolder({});
  }
  show();
}

void ModelMover::show() {
  m_isOpen = true;
  emit changed();
}

void ModelMover::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  if (!isMoving()) m_phase = Phase::None;
  emit changed();
}

void ModelMover::setFolder(const QString& folder) {
  m_folder = typedPath(folder);
  m_isPlanned = false;
  plan();
  emit changed();
}

void ModelMover::plan() {
  m_plans.cancel();
  if (m_folder.isEmpty() || m_phase != Phase::Choosing) return;
  m_plans.runNewest([model = m_model, folder = m_folder](
                        const std::stop_token&) { return planMove(model, partsOf(model), folder); },
                    [this](const MovePlan& found) {
                      m_plan = found;
                      m_isPlanned = true;
                      emit changed();
                    });
}

bool ModelMover::canStart() const {
  return m_phase == Phase::Choosing && m_isPlanned && m_plan.problem.isEmpty() &&
         !m_journalPath.isEmpty();
}

QString ModelMover::planText() const {
  if (!canStart()) return {};
  return tr("%1 are copied and compared with the original, which is then deleted. %2 are free "
            "there.")
      .arg(moveSize(m_plan.move.bytes()), moveSize(m_plan.freeBytes));
}

QString ModelMover::folderProblem() const {
  if (m_phase != Phase::Choosing || !m_isPlanned) return {};
  return visibleLine(m_plan.problem);
}

void ModelMover::start() {
  if (!canStart()) return;
  m_phase = Phase::Copying;
  m_problem.clear();
  m_done = 0;
  m_total = 2 * m_plan.move.bytes();
  m_stop = std::stop_source();
  m_tasks.run(
      [this, move = m_plan.move, path = m_journalPath,
       stop = m_stop.get_token()](const std::stop_token& ended) {
        // The end of the program stops a copy too.
        std::stop_callback endOfProgram(ended, [this] { m_stop.request_stop(); });
        auto pace = std::make_shared<ReportPace>(kMoveReportMs);
        const auto report = [this, pace](qint64 done, qint64) {
          if (!pace->passes()) return;
          QMetaObject::invokeMethod(
              this,
              [this, done] {
                m_done = done;
                emit progressed();
              },
              Qt::QueuedConnection);
        };
        return copyModel(move, MoveJournal(path), stop, report);
      },
      [this, stop = m_stop.get_token()](const QString& problem) {
        onCopied(problem, stop.stop_requested());
      });
  emit changed();
}

void ModelMover::cancel() {
  if (m_phase == Phase::Copying) m_stop.request_stop();
  emit progressed();
}

/// A stop changes nothing if the copy was already at its place.
void ModelMover::onCopied(const QString& problem, bool isStopped) {
  const bool isThere = problem.isEmpty() && MoveJournal(m_journalPath).read().has_value();
  if (isThere) return finish(m_plan.move);
  m_phase = m_isOpen ? Phase::Choosing : Phase::None;
  m_problem =
      isStopped ? tr("Stopped. The model is still at its old place.") : visibleLine(problem);
  if (!m_isOpen) emit ended(m_problem);
  setFolder(m_folder);
}

void ModelMover::finish(const ModelMove& move) {
  m_phase = Phase::Removing;
  emit changed();
  emit moved(move.from, move.to);
  m_tasks.run(
      [move, flush = m_flush, path = m_journalPath](const std::stop_token&) -> QString {
        // With the journal, the next start tells the chats again.
        if (flush && !flush()) {
          return tr("The model was copied. Its old files are deleted when Quire starts again.");
        }
        return removeSource(move, MoveJournal(path));
      },
      [this, move](const QString& problem) { onRemoved(problem, move); });
}

void ModelMover::onRemoved(const QString& problem, const ModelMove& move) {
  m_phase = Phase::None;
  m_isOpen = false;
  const QString folder =
      model_labels::shortPath(QFileInfo(move.to).path(), QDir::homePath() + u'/');
  emit ended(problem.isEmpty() ? tr("%1 is in %2 now.").arg(visibleString(m_name), folder)
                               : visibleLine(problem));
  emit changed();
}

QString ModelMover::progressText() const {
  if (m_phase == Phase::Removing) return tr("Deleting the original…");
  if (m_phase != Phase::Copying) return {};
  if (m_stop.stop_requested()) return tr("Stopping…");
  return tr("Moving %1: %2%").arg(visibleString(m_name)).arg(static_cast<int>(100.0 * progress()));
}

}  // namespace quire
