#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/chat/chat_turns.h"
#include "app/personas/persona_list_model.h"

namespace quire {

/// How many answers a message gets at once, and how they differ.
///
/// Thread: the window's.
/// Invariants: count() is 1 to kMost; temperatures() has at least two values, of 0 to 2.
class AskPlan : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the composer.")
  Q_PROPERTY(int count READ count WRITE setCount NOTIFY changed)
  Q_PROPERTY(int most READ most CONSTANT)
  Q_PROPERTY(Kind kind READ kind WRITE setKind NOTIFY changed)
  Q_PROPERTY(bool isSeveral READ isSeveral NOTIFY changed)
  Q_PROPERTY(bool asksTemperatures READ asksTemperatures NOTIFY changed)
  Q_PROPERTY(bool asksPersonas READ asksPersonas NOTIFY changed)
  Q_PROPERTY(QString ladder READ ladder NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(QString chosenPersonas READ chosenPersonas NOTIFY changed)
  Q_PROPERTY(QString chipText READ chipText NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum class Kind { Seeds, Temperatures, Personas };
  Q_ENUM(Kind)
  static constexpr int kMost = kMaxCompared;

  explicit AskPlan(const PersonaListModel& personas, QObject* parent = nullptr);

  int count() const;
  void setCount(int count);
  int most() const { return kMost; }
  bool isSeveral() const { return count() > 1; }
  /// Whether several answers differ by temperature or by persona.
  bool asksTemperatures() const { return isSeveral() && m_kind == Kind::Temperatures; }
  bool asksPersonas() const { return isSeveral() && m_kind == Kind::Personas; }
  Kind kind() const { return m_kind; }
  void setKind(Kind kind);
  QString ladder() const;  ///< "0.2, 0.7, 1.2".
  /// Sets the temperatures as typed; their number is the count. Invalid text sets problem().
  Q_INVOKABLE void editLadder(const QString& text);
  QString problem() const { return m_problem; }
  QString chosenPersonas() const;  ///< Their ids, each between commas: ",3,17,".
  Q_INVOKABLE void togglePersona(qint64 id);
  /// "Ask 3".
  QString chipText() const { return count() == 1 ? tr("One answer") : tr("Ask %1").arg(count()); }
  QString summary() const;  ///< A sentence about the answers that sending would ask for.

  QList<AnswerPlan> plans() const;

 signals:
  void changed();

 private:
  QList<double> temperatures() const;
  QList<RecordId> personaIds() const;

  const PersonaListModel& m_personas;
  int m_count = 1;
  Kind m_kind = Kind::Seeds;
  QList<double> m_ladder;  ///< Typed; empty: even steps.
  QList<RecordId> m_chosen;
  QString m_problem;
};

}  // namespace quire
