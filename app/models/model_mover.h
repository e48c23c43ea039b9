#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/models/files/move_model.h"
#include "app/models/folder_picker.h"
#include "app/models/model_card.h"
#include "app/task_runner.h"

namespace quire {

/// Moves a model to another folder or disk: copied, verified, then removed at the old place. One
/// model at a time; the sheet that shows it may be closed meanwhile. A move that the end of Quire
/// interrupts is completed or undone at the next start.
///
/// Thread: the window's; files are read and written on a thread of its own.
/// Invariants: at every moment at least one whole copy of the model is on the disk.
class ModelMover : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isMoving READ isMoving NOTIFY changed)
  Q_PROPERTY(bool canStart READ canStart NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString folder READ folder WRITE setFolder NOTIFY changed)
  Q_PROPERTY(QString planText READ planText NOTIFY changed)
  Q_PROPERTY(QString folderProblem READ folderProblem NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY progressed)
  Q_PROPERTY(QString progressText READ progressText NOTIFY progressed)

 public:
  explicit ModelMover(QObject* parent = nullptr);

  /// Where the journal of a move is kept.
  void setDataFolder(const QString& folder);
  /// Waits until what moved() has changed is on the disk; false if that fails. Thread: the move's.
  void setFlush(std::function<bool()> flush) { m_flush = std::move(flush); }
  /// Completes or undoes what an earlier run of Quire began.
  void recover();

  bool isOpen() const { return m_isOpen; }
  bool isMoving() const { return m_phase == Phase::Copying || m_phase == Phase::Removing; }
  bool canStart() const;
  QString title() const { return tr("Move %1").arg(m_name); }
  QString folder() const { return m_folder; }
  void setFolder(const QString& folder);
  QString planText() const;
  QString folderProblem() const;
  QString problem() const { return m_problem; }  ///< Why it was not moved.
  double progress() const { return m_total > 0 ? double(m_done) / double(m_total) : 0.0; }
  QString progressText() const;

  /// Shows the sheet: for this model, unless another one is being moved.
  Q_INVOKABLE void open(quire::ModelCard* card);
  Q_INVOKABLE void show();
  Q_INVOKABLE void close();
  Q_INVOKABLE void chooseFolder(const QString& title) { m_picker.pick(title); }
  Q_INVOKABLE void start();
  /// The model stays where it is.
  Q_INVOKABLE void cancel();

 signals:
  void changed();
  void progressed();
  /// The model is whole at its new place, and chats and settings are to name it from now on.
  void moved(const QString& from, const QString& to);
  /// A move ended; the sentence is for the user.
  void ended(const QString& sentence);

 private:
  enum class Phase { None, Choosing, Copying, Removing };

  void plan();
  void onCopied(const QString& problem, bool isStopped);
  void finish(const ModelMove& move);
  void onRemoved(const QString& problem, const ModelMove& move);

  QString m_journalPath;
  std::function<bool()> m_flush;
  Phase m_phase = Phase::None;
  bool m_isOpen = false;
  StoredModel m_model;
  QString m_name;
  QString m_folder;
  MovePlan m_plan;
  bool m_isPlanned = false;  ///< m_plan is of m_folder.
  QString m_problem;
  qint64 m_done = 0;
  qint64 m_total = 0;
  FolderPicker m_picker;
  std::stop_source m_stop;
  TaskRunner m_plans;
  TaskRunner m_tasks;  ///< Last: its jobs use the others.
};

}  // namespace quire
