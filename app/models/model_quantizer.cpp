#include "app/models/model_quantizer.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUrl>

#include <algorithm>
#include <utility>

#include "app/error_strings.h"
#include "app/models/model_card.h"
#include "app/models/model_labels.h"
#include "app/models/quantize_labels.h"
#include "app/report_pace.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"
#include "app/typed_path.h"

namespace quire {
namespace {

constexpr int kProgressMs = 100;  ///< The least interval of reports.
constexpr char kUsualType[] = "Q4_K_M";

QString partOf(const QString& path) {
  return path + QStringLiteral(".part");
}

QString journalOf(const QString& path) {
  return partOf(path) + QStringLiteral(".log");
}

/// Whether an interrupted run left them. Other programs name their downloads so, too.
bool isBegun(const QString& path) {
  if (!QFileInfo(partOf(path)).isFile() || !QFileInfo(journalOf(path)).isFile()) return false;
  QFile journal(journalOf(path));
  const QByteArray mark("quire-quantize ");
  return journal.open(QIODevice::ReadOnly) && journal.read(mark.size()) == mark;
}

}  // namespace

ModelQuantizer::ModelQuantizer(QObject* parent)
    : QObject(parent), m_figures([this] {
        return quantize_labels::figures(m_result.comparison.value_or(QuantizeComparison()));
      }) {
  connect(&m_folderPicker, &FolderPicker::picked, this,
          [this](const QUrl& folder) { setFolder(folder.toLocalFile()); });
  connect(&m_textPicker, &FolderPicker::picked, this,
          [this](const QUrl& file) { setTextPath(file.toLocalFile()); });
  connect(this, &ModelQuantizer::changed, this, &ModelQuantizer::progressed);
}

ModelQuantizer::~ModelQuantizer() {
  m_isCancelled = true;  // m_tasks waits for the job.
}

void ModelQuantizer::setTools(const QuantizeTools& tools) {
  m_tools = tools;
  emit changed();
}

void ModelQuantizer::setMemory(const QString& kept, std::function<void(const QString&)> keep) {
  m_started = startedQuantize(kept);
  m_keep = std::move(keep);
  emit changed();
}

void ModelQuantizer::remember(const std::optional<StartedQuantize>& started) {
  m_started = started;
  if (m_keep) m_keep(started ? toSetting(*started) : QString());
}

bool ModelQuantizer::isInterrupted() const {
  return m_phase == Phase::None && isAvailable() && m_started &&
         QFileInfo::exists(partOf(m_started->request.outputPath)) &&
         QFileInfo::exists(m_started->request.modelPath);
}

void ModelQuantizer::open(ModelCard* card) {
  if (!isAvailable() || card == nullptr) return;
  if (!isRunning()) begin(card->path(), card->name());
  show();
}

void ModelQuantizer::begin(const QString& path, const QString& name) {
  m_phase = Phase::Surveying;
  m_modelName = name;
  m_request = {.modelPath = path};
  m_survey = {};
  m_typeIndex = -1;
  m_result = {};
  m_problem.clear();
  m_notice.clear();
  const QString beside = QFileInfo(path).absolutePath();
  const bool isWritable = QFileInfo(beside).isWritable();
  m_folder = isWritable || !m_fallback ? beside : m_fallback();
  m_fileName.clear();
  m_suggestedName.clear();
  m_tasks.runNewest(
      [survey = m_tools.survey, path](const std::stop_token&) { return survey(path); },
      [this](const QuantizeSurvey& survey) { onSurveyed(survey); });
}

void ModelQuantizer::onSurveyed(const QuantizeSurvey& survey) {
  m_phase = Phase::Choosing;
  m_survey = survey;
  if (!survey.error.message.empty()) {
    m_problem = errorText(survey.error);
    return emit changed();
  }
  const auto usual =
      std::ranges::find(m_survey.types, QLatin1String(kUsualType), &QuantizeType::name);
  m_typeIndex =
      usual == m_survey.types.end() ? 0 : static_cast<int>(usual - m_survey.types.begin());
  // Both models are in memory then, beside the one that answers.
  m_request.compares = m_survey.sourceBytes + typeBytes() < m_survey.freeMemory / 2;
  suggestName();
  if (m_started && m_started->request.modelPath == m_request.modelPath) restoreChoices();
  emit changed();
}

/// Those of the run that was not completed: with others it could not be resumed.
void ModelQuantizer::restoreChoices() {
  const QuantizeRequest& last = m_started->request;
  const auto type = std::ranges::find(m_survey.types, last.type, &QuantizeType::name);
  if (type == m_survey.types.end() || !QFileInfo::exists(partOf(last.outputPath))) return;
  m_typeIndex = static_cast<int>(type - m_survey.types.begin());
  m_request.textPath = last.textPath;
  m_request.compares = last.compares;
  m_folder = QFileInfo(last.outputPath).path();
  m_fileName = QFileInfo(last.outputPath).fileName();
}

void ModelQuantizer::suggestName() {
  if (m_fileName != m_suggestedName) return;
  m_fileName = m_suggestedName = quantize_labels::fileName(m_modelName, type());
}

QString ModelQuantizer::type() const {
  return m_survey.types.value(m_typeIndex).name;
}

quint64 ModelQuantizer::typeBytes() const {
  return m_survey.types.value(m_typeIndex).bytes;
}

QStringList ModelQuantizer::types() const {
  QStringList choices;
  for (const QuantizeType& type : m_survey.types) choices += quantize_labels::choice(type);
  return choices;
}

void ModelQuantizer::setTypeIndex(int index) {
  if (index < 0 || index >= m_survey.types.size()) return;
  m_typeIndex = index;
  suggestName();
  emit changed();
}

QString ModelQuantizer::typeMeaning() const {
  return quantize_labels::meaning(type());
}

QString ModelQuantizer::expectedSizeText() const {
  if (m_typeIndex < 0) return {};
  return tr("The file will take %1; the original takes %2.")
      .arg(quire::sizeText(typeBytes()), quire::sizeText(m_survey.sourceBytes));
}

QString ModelQuantizer::sourceNote() const {
  if (!m_survey.isQuantized) return {};
  return tr("This model is quantised already. The original in 16 bits would give better results.");
}

void ModelQuantizer::setTextPath(const QString& path) {
  m_request.textPath = typedPath(path);
  emit changed();
}

QString ModelQuantizer::textProblem() const {
  const bool isThere = textPath().isEmpty() || QFileInfo(textPath()).isFile();
  return isThere ? QString() : tr("There is no such file.");
}

void ModelQuantizer::setFolder(const QString& folder) {
  m_folder = typedPath(folder);
  emit changed();
}

void ModelQuantizer::setFileName(const QString& name) {
  m_fileName = name.trimmed();
  emit changed();
}

QString ModelQuantizer::outputPath() const {
  const bool isNamed = m_fileName.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
  return QDir(m_folder).filePath(isNamed ? m_fileName : m_fileName + QStringLiteral(".gguf"));
}

QString ModelQuantizer::folderProblem() const {
  if (!isChoosing()) return {};
  const QFileInfo folder(m_folder);
  if (!QDir::isAbsolutePath(m_folder) || !folder.isDir()) return tr("There is no such folder.");
  if (!folder.isWritable()) return tr("You may not write to this folder. Choose another one.");
  return {};
}

QString ModelQuantizer::nameProblem() const {
  if (!isChoosing() || !folderProblem().isEmpty()) return {};
  if (m_fileName.isEmpty()) return tr("Give the file a name.");
  if (m_fileName.contains(u'/')) return tr("The name of a file cannot contain a slash.");
  if (QFileInfo::exists(outputPath()))
    return tr("This file exists, and it is not overwritten. Choose another name.");
  return {};
}

void ModelQuantizer::setCompares(bool compares) {
  m_request.compares = compares;
  emit changed();
}

QString ModelQuantizer::comparisonHelp() const {
  return tr("Predicts a text with both models, and shows how far they differ. Needs about %1 of "
            "memory while it runs.")
      .arg(quire::sizeText(m_survey.sourceBytes + typeBytes()));
}

bool ModelQuantizer::canStart() const {
  const bool hasPlace = folderProblem().isEmpty() && nameProblem().isEmpty();
  return isChoosing() && m_typeIndex >= 0 && hasPlace && textProblem().isEmpty();
}

bool ModelQuantizer::canResume() const {
  return canStart() && isBegun(outputPath());
}

void ModelQuantizer::start() {
  if (canStart()) beginRun(/*startsOver=*/false);
}

void ModelQuantizer::startOver() {
  if (canResume()) beginRun(/*startsOver=*/true);
}

void ModelQuantizer::beginRun(bool startsOver) {
  m_request.outputPath = outputPath();
  m_request.type = type();
  m_request.resumes = !startsOver && canResume();
  remember(StartedQuantize{m_modelName, m_request});
  m_phase = Phase::Running;
  m_step = {};
  m_stageTimer.invalidate();
  m_problem.clear();
  m_notice.clear();
  m_isCancelled = false;
  m_tasks.runNewest(
      [this, startsOver, request = m_request, run = m_tools.run](const std::stop_token&) {
        const auto begun = startsOver ? deletePart(request.outputPath) : Result<void>();
        if (!begun) return QuantizeResult{.error = begun.error()};
        ReportPace pace(kProgressMs);
        QuantizeStage stage = QuantizeStage::Opening;
        const auto progress = [&](const QuantizeStep& step) {
          const bool isNews = std::exchange(stage, step.stage) != step.stage;
          if (!pace.passes(isNews || step.done == step.total)) return;
          QMetaObject::invokeMethod(
              this, [this, step] { onProgress(step); }, Qt::QueuedConnection);
        };
        return run(request, progress, m_isCancelled);
      },
      [this](const QuantizeResult& result) { onEnded(result); });
  emit changed();
}

/// What an interrupted run left, which may be many GB. Thread: any.
Result<void> ModelQuantizer::deletePart(const QString& outputPath) {
  const QString part = partOf(outputPath);
  if (!QFile::remove(part) && QFile::exists(part)) {
    return make_error(ErrorCode::kIo, "%1 cannot be deleted. Delete it, or choose another name.",
                      {visibleString(part).toStdString()});
  }
  QFile::remove(journalOf(outputPath));
  return {};
}

void ModelQuantizer::cancel() {
  m_isCancelled = true;
}

void ModelQuantizer::onProgress(const QuantizeStep& step) {
  if (!isRunning()) return;
  if (!m_stageTimer.isValid() || step.stage != m_step.stage || m_step.total != step.total) {
    m_stageTimer.start();
    m_stageBegin = step.done;
  }
  m_step = step;
  emit progressed();
}

void ModelQuantizer::onEnded(const QuantizeResult& result) {
  m_result = result;
  const bool isWritten = result.error.message.empty();
  m_phase = isWritten ? Phase::Finished : Phase::Choosing;
  if (isWritten) {
    remember({});
    if (!result.comparisonError.message.empty()) m_problem = errorText(result.comparisonError);
    m_figures.refresh();
    emit written(m_request.outputPath);
  } else if (result.error.code == ErrorCode::kCancelled) {
    m_notice = tr("Stopped. What is written so far is kept; Resume continues it.");
    if (!m_isOpen) m_phase = Phase::None;  // The page offers to resume it.
  } else {
    m_problem = errorText(result.error);
  }
  emit changed();
}

double ModelQuantizer::progress() const {
  if (m_step.total == 0) return 0.0;
  return static_cast<double>(m_step.done) / static_cast<double>(m_step.total);
}

QString ModelQuantizer::stageText() const {
  if (m_isCancelled && isRunning()) return tr("Stopping…");
  return quantize_labels::stage(m_step);
}

QString ModelQuantizer::timeLeftText() const {
  constexpr qint64 kLeastMs = 2000;
  const quint64 done = m_step.done - std::min(m_step.done, m_stageBegin);
  if (!isRunning() || !m_stageTimer.isValid() || done == 0) return {};
  const qint64 elapsed = m_stageTimer.elapsed();
  if (elapsed < kLeastMs) return {};
  const double left = static_cast<double>(m_step.total - m_step.done);
  return model_labels::timeLeft(left * static_cast<double>(elapsed) / 1000.0 /
                                static_cast<double>(done));
}

QString ModelQuantizer::summaryText() const {
  if (isFinished()) return resultText();
  if (isFailed()) return m_problem;
  if (isInterrupted()) {
    return tr("Quantising %1 to %2 was interrupted. What is written so far is kept.")
        .arg(visibleString(m_started->modelName), m_started->request.type);
  }
  return tr("%1 to %2: %3").arg(visibleString(m_modelName), m_request.type, stageText());
}

QString ModelQuantizer::resultText() const {
  if (!isFinished()) return {};
  return tr("%1 is written. Its size is %2.")
      .arg(visibleString(QFileInfo(m_request.outputPath).fileName()),
           quire::sizeText(m_result.bytes));
}

void ModelQuantizer::show() {
  if (isInterrupted()) begin(m_started->request.modelPath, m_started->modelName);
  m_isOpen = true;
  emit changed();
}

/// A run goes on, and its result stays.
void ModelQuantizer::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  if (isFinished()) return dismiss();  // It was read.
  if (!isRunning()) m_tasks.cancel();
  if (!isRunning()) m_phase = Phase::None;
  emit changed();
}

void ModelQuantizer::dismiss() {
  if (isInterrupted())
    remember({});
  else if (!isFinished() && !isFailed())
    return;
  m_phase = Phase::None;
  m_isOpen = false;
  emit changed();
}

void ModelQuantizer::showInFileManager() const {
  QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_request.outputPath).path()));
}

}  // namespace quire
