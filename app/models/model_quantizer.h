#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include <atomic>
#include <memory>

#include "app/engine_page/figure_list.h"
#include "app/models/folder_picker.h"
#include "app/models/quantize_memory.h"
#include "app/models/quantize_tools.h"
#include "app/task_runner.h"

namespace quire {

class ModelCard;

/// Quantises a model: the choices, the progress and the result. One model at a time; the sheet that
/// shows it may be closed meanwhile.
///
/// Thread: the window's; models are read and written on a thread of lowest priority.
/// Invariants: an existing file is never replaced; without tools it is not available.
class ModelQuantizer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(bool isAvailable READ isAvailable NOTIFY changed)
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isSurveying READ isSurveying NOTIFY changed)
  Q_PROPERTY(bool isChoosing READ isChoosing NOTIFY changed)
  Q_PROPERTY(bool isRunning READ isRunning NOTIFY changed)
  Q_PROPERTY(bool isFinished READ isFinished NOTIFY changed)
  Q_PROPERTY(bool isCompared READ isCompared NOTIFY changed)
  Q_PROPERTY(bool isFailed READ isFailed NOTIFY changed)
  Q_PROPERTY(bool isInterrupted READ isInterrupted NOTIFY changed)
  Q_PROPERTY(bool isInBackground READ isInBackground NOTIFY changed)
  Q_PROPERTY(QString modelName READ modelName NOTIFY changed)
  Q_PROPERTY(QStringList types READ types NOTIFY changed)
  Q_PROPERTY(int typeIndex READ typeIndex WRITE setTypeIndex NOTIFY changed)
  Q_PROPERTY(QString typeMeaning READ typeMeaning NOTIFY changed)
  Q_PROPERTY(QString sizeText READ expectedSizeText NOTIFY changed)
  Q_PROPERTY(QString sourceNote READ sourceNote NOTIFY changed)
  Q_PROPERTY(QString textPath READ textPath WRITE setTextPath NOTIFY changed)
  Q_PROPERTY(QString textProblem READ textProblem NOTIFY changed)
  Q_PROPERTY(QString folder READ folder WRITE setFolder NOTIFY changed)
  Q_PROPERTY(QString fileName READ fileName WRITE setFileName NOTIFY changed)
  Q_PROPERTY(QString folderProblem READ folderProblem NOTIFY changed)
  Q_PROPERTY(QString nameProblem READ nameProblem NOTIFY changed)
  Q_PROPERTY(bool compares READ compares WRITE setCompares NOTIFY changed)
  Q_PROPERTY(QString comparisonHelp READ comparisonHelp NOTIFY changed)
  Q_PROPERTY(bool canStart READ canStart NOTIFY changed)
  Q_PROPERTY(bool canResume READ canResume NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY progressed)
  Q_PROPERTY(QString stageText READ stageText NOTIFY progressed)
  Q_PROPERTY(QString timeLeftText READ timeLeftText NOTIFY progressed)
  Q_PROPERTY(QString summaryText READ summaryText NOTIFY progressed)
  Q_PROPERTY(QString resultText READ resultText NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(QString notice READ notice NOTIFY changed)
  Q_PROPERTY(quire::FigureList* figures READ figures CONSTANT)

 public:
  explicit ModelQuantizer(QObject* parent = nullptr);
  ~ModelQuantizer() override;

  void setTools(const QuantizeTools& tools);
  /// Where files go that cannot stand beside their model.
  void setFallbackFolder(std::function<QString()> folder) { m_fallback = std::move(folder); }
  /// `keep` stores what a run was asked for, and later "" in its place: when the file is whole, or
  /// the user forgets the run. `kept` is what was stored last.
  void setMemory(const QString& kept, std::function<void(const QString&)> keep);

  bool isAvailable() const { return static_cast<bool>(m_tools.run); }
  bool isOpen() const { return m_isOpen; }
  bool isSurveying() const { return m_phase == Phase::Surveying; }
  bool isChoosing() const { return m_phase == Phase::Choosing; }
  bool isRunning() const { return m_phase == Phase::Running; }
  bool isFinished() const { return m_phase == Phase::Finished; }
  bool isCompared() const { return isFinished() && m_result.comparison.has_value(); }
  /// A run was stopped, by the user or by the end of Quire, and what it has written is still there.
  bool isInterrupted() const;
  /// A run ended with an error while the sheet was closed.
  bool isFailed() const { return !m_isOpen && isChoosing() && !m_problem.isEmpty(); }
  /// A run, or what became of it, that the closed sheet does not show.
  bool isInBackground() const {
    return !m_isOpen && (isRunning() || isFinished() || isFailed() || isInterrupted());
  }
  QString modelName() const { return m_modelName; }
  QStringList types() const;
  int typeIndex() const { return m_typeIndex; }
  void setTypeIndex(int index);
  QString typeMeaning() const;
  QString expectedSizeText() const;
  QString sourceNote() const;  ///< That the source is quantised already; else empty.
  QString textPath() const { return m_request.textPath; }
  void setTextPath(const QString& path);
  QString textProblem() const;
  QString folder() const { return m_folder; }
  void setFolder(const QString& folder);
  QString fileName() const { return m_fileName; }
  void setFileName(const QString& name);
  QString outputPath() const;
  QString folderProblem() const;
  QString nameProblem() const;  ///< Of the file's name, in a folder that has no problem.
  bool compares() const { return m_request.compares; }
  void setCompares(bool compares);
  QString comparisonHelp() const;
  bool canStart() const;
  /// An interrupted run left a part of this file.
  bool canResume() const;
  double progress() const;
  QString stageText() const;
  QString timeLeftText() const;
  QString summaryText() const;  ///< For the page, while the sheet is closed.
  QString resultText() const;
  QString problem() const { return m_problem; }  ///< Why it cannot be done, or was not.
  QString notice() const { return m_notice; }
  FigureList* figures() { return &m_figures; }

  /// Shows the sheet: for this model, unless another one is being quantised.
  Q_INVOKABLE void open(quire::ModelCard* card);
  Q_INVOKABLE void show();  ///< Of an interrupted run: its choices, ready to be resumed.
  Q_INVOKABLE void close();
  Q_INVOKABLE void chooseFolder(const QString& title) { m_folderPicker.pick(title); }
  Q_INVOKABLE void chooseText(const QString& title) { m_textPicker.pickFile(title); }
  /// Begins, or continues what an interrupted run left.
  Q_INVOKABLE void start();
  /// Deletes what an interrupted run left, and begins.
  Q_INVOKABLE void startOver();
  /// Ends the run; what is written stays and can be continued.
  Q_INVOKABLE void cancel();
  /// Forgets the result, the error, or an interrupted run, whose file stays.
  Q_INVOKABLE void dismiss();
  Q_INVOKABLE void showInFileManager() const;

 signals:
  void changed();
  void progressed();
  void written(const QString& path);

 private:
  enum class Phase { None, Surveying, Choosing, Running, Finished };

  void begin(const QString& path, const QString& name);
  void beginRun(bool startsOver);
  static Result<void> deletePart(const QString& outputPath);
  void onSurveyed(const QuantizeSurvey& survey);
  void onProgress(const QuantizeStep& step);
  void onEnded(const QuantizeResult& result);
  void suggestName();
  void restoreChoices();
  void remember(const std::optional<StartedQuantize>& started);
  QString type() const;
  quint64 typeBytes() const;

  QuantizeTools m_tools;
  std::function<QString()> m_fallback;
  Phase m_phase = Phase::None;
  bool m_isOpen = false;
  QString m_modelName;
  QuantizeSurvey m_survey;
  QuantizeRequest m_request;
  int m_typeIndex = -1;
  QString m_folder;
  QString m_fileName;
  QString m_suggestedName;  ///< A name that differs was typed, and stays.
  QuantizeStep m_step;
  QElapsedTimer m_stageTimer;
  quint64 m_stageBegin = 0;  ///< What was done when the timer started.
  QuantizeResult m_result;
  std::optional<StartedQuantize> m_started;  ///< The last run, unless its file is whole.
  std::function<void(const QString&)> m_keep;
  QString m_problem;
  QString m_notice;
  FigureList m_figures;
  FolderPicker m_folderPicker;
  FolderPicker m_textPicker;
  std::atomic<bool> m_isCancelled = false;
  TaskRunner m_tasks;  ///< Last: its jobs use the others.
};

}  // namespace quire
