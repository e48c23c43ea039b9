#pragma once

#include <QList>
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/engine/model_manager.h"

namespace quire {

/// Requests load plans from the model manager, one at a time, because each reads the headers of a
/// file.
///
/// Thread: the window's.
/// Invariants: only the last request of an asker is answered, and none after it is destroyed.
class LoadPlanner : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void(const LoadPlan&)>;

  explicit LoadPlanner(ModelManager& manager, QObject* parent = nullptr);

  void ask(QObject* asker, const LoadRequest& request, Answer answer);

 signals:
  /// Models were loaded or unloaded: the free memory in earlier plans is out of date.
  void outdated();

 private:
  struct Question {
    QPointer<QObject> asker;
    LoadRequest request;
    Answer answer;
  };

  void askNext();
  void onPlanned(const LoadPlan& plan);
  void onModelsChanged();

  ModelManager& m_manager;
  QList<Question> m_waiting;
  Question m_asked;
  bool m_isAsking = false;
  QStringList m_loaded;  ///< Paths of the loaded models.
};

}  // namespace quire
