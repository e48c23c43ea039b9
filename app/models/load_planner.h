#pragma once

#include <QList>
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/engine/model_manager.h"

namespace quire {

/// Asks the manager what loads would take, one question at a time: each reads a file's headers.
///
/// Thread: the window's.
/// Invariants: of the questions of one asker only the last is answered; none after it is gone.
class LoadPlanner : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void(const LoadPlan&)>;

  explicit LoadPlanner(ModelManager& manager, QObject* parent = nullptr);

  void ask(QObject* asker, const LoadRequest& request, Answer answer);

 signals:
  /// Models came or went: what was answered before says the wrong free memory.
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
  QStringList m_loaded;  ///< Paths of the models that take memory.
};

}  // namespace quire
