#pragma once

#include <QtQml/qqmlregistration.h>
#include <QSet>

#include <algorithm>

#include "app/engine/model_manager.h"
#include "app/personas/persona_list_model.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// The welcome screen of the first start, where the user chooses a model: one that is on this
/// computer, one to download, or the demonstration. It is never shown again after a choice. An
/// empty chat then offers the first personas, to choose several of them for as many chats.
///
/// Thread: the window's.
/// Invariants: its rows are these personas while isPicking, and none otherwise.
class FirstRun : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isShown READ isShown NOTIFY changed)
  Q_PROPERTY(bool hasModel READ hasModel NOTIFY changed)
  Q_PROPERTY(bool isPicking READ isPicking NOTIFY changed)
  Q_PROPERTY(bool picksOne READ picksOne NOTIFY changed)
  Q_PROPERTY(bool canPick READ canPick NOTIFY changed)
  Q_PROPERTY(QString togetherText READ togetherText NOTIFY changed)
  Q_PROPERTY(bool canTalkTogether READ canTalkTogether NOTIFY changed)
  Q_PROPERTY(QString modelsText READ modelsText NOTIFY changed)
  Q_PROPERTY(QString startText READ startText NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(QStringList examplePrompts READ examplePrompts CONSTANT)

 public:
  enum Role { kName = Qt::UserRole + 1, kSummary, kIconName, kColor, kIsChosen };
  static constexpr int kShownPersonas = 6;
  static constexpr int kMaxTogether = 4;

  FirstRun(const ModelManager& manager, DataSession& session, const PersonaListModel& personas,
           QObject* parent = nullptr);

  int numRows() const override {
    return m_isPicking ? std::min(kShownPersonas, m_personas.count()) : 0;
  }

  /// Shows the screen if the store is new and it was not shown before.
  void offer(bool isStoreNew);
  bool isShown() const { return m_isShown; }
  /// A model other than the demonstration can answer: one is loaded, or was found.
  bool hasModel() const;
  bool isPicking() const { return m_isPicking; }
  bool picksOne() const { return !m_isPicking; }  ///< An empty chat offers to choose one persona.
  bool canPick() const { return !m_isPicking && m_personas.count() > 1; }  ///< pick() has a choice.
  bool canTalkTogether() const { return m_chosen.size() >= 2 && problem().isEmpty(); }
  QString togetherText() const;  ///< "Talk to four at once".
  QString modelsText() const;    ///< How many models were found on this computer.
  /// How many were found, the bundled one left out, and the one that suits this computer best;
  /// an empty path: none does.
  void setFound(int count, const QString& path, const QString& name);
  QString startText() const;  ///< "Start with …", or "Choose a model".
  QString problem() const;    ///< Why the model cannot answer; empty if it can.

  QStringList examplePrompts() const;  ///< What the bundled model answers well.

  Q_INVOKABLE void toggle(int row);  ///< At most four can be chosen.
  Q_INVOKABLE void startAlone();     ///< Without a model it calls chooseModel() instead.
  void begin();                      ///< The same with the model that is there or being loaded.
  Q_INVOKABLE void startTogether();
  Q_INVOKABLE void pick();    ///< Offers the personas; four of them are preselected.
  Q_INVOKABLE void unpick();  ///< Offers them no longer.
  Q_INVOKABLE void chooseModel();

 signals:
  void changed();
  /// A chat with each of these personas is wanted; id 0 stands for no persona.
  void startWanted(const QList<qint64>& personaIds);
  void modelsWanted();
  void loadWanted(const QString& path);  ///< The model that was found, before startWanted.

 private:
  const ModelState* ownModel() const;
  void setPicking(bool isPicking);
  void finish();

  const ModelManager& m_manager;
  DataSession& m_session;
  const PersonaListModel& m_personas;
  QSet<RecordId> m_chosen;
  int m_modelsFound = 0;
  QString m_bestPath;  ///< Of the models found; empty: none.
  QString m_bestName;
  QList<ModelState> m_models;  ///< The manager's.
  bool m_isShown = false;
  bool m_isPicking = false;
};

}  // namespace quire
