#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/settings/generation_defaults.h"
#include "app/settings/generation_editor.h"

namespace quire {

/// The values of the settings page other than the appearance, each with its default as text and a
/// reset. Changes apply at once and are stored.
///
/// Thread: the window's.
/// Invariants: every value is within its bounds; an invalid entry changes nothing and sets a
/// problem.
class SettingsModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QStringList idleChoices READ idleChoices NOTIFY changed)
  Q_PROPERTY(int idleIndex READ idleIndex NOTIFY changed)
  Q_PROPERTY(bool idleIsSet READ idleIsSet NOTIFY changed)
  Q_PROPERTY(QString personaMiB READ personaMiB NOTIFY changed)
  Q_PROPERTY(QString chatMiB READ chatMiB NOTIFY changed)
  Q_PROPERTY(bool personaMiBIsSet READ personaMiBIsSet NOTIFY changed)
  Q_PROPERTY(bool chatMiBIsSet READ chatMiBIsSet NOTIFY changed)
  Q_PROPERTY(QString personaProblem READ personaProblem NOTIFY changed)
  Q_PROPERTY(QString chatProblem READ chatProblem NOTIFY changed)
  Q_PROPERTY(QString budgetDefault READ budgetDefault NOTIFY changed)
  Q_PROPERTY(QString dataFolder READ dataFolder CONSTANT)
  Q_PROPERTY(QString folderProblem READ folderProblem NOTIFY changed)
  Q_PROPERTY(QString versionText READ versionText NOTIFY changed)
  Q_PROPERTY(QString systemText READ systemText NOTIFY changed)
  Q_PROPERTY(bool canSetGeneration READ canSetGeneration NOTIFY changed)
  Q_PROPERTY(QString generationHeading READ generationHeading NOTIFY changed)
  Q_PROPERTY(quire::GenerationEditor* generation READ generation CONSTANT)

 public:
  SettingsModel(ModelManager& manager, DataSession& session, GenerationDefaults& generation,
                QObject* parent = nullptr);

  /// Reads the stored values; the session is open.
  void load();

  QStringList idleChoices() const;
  int idleIndex() const;
  bool idleIsSet() const { return idleIndex() != 0; }
  Q_INVOKABLE void chooseIdle(int index);

  QString personaMiB() const { return budgetText(Budget::Persona); }
  QString chatMiB() const { return budgetText(Budget::Chat); }
  bool personaMiBIsSet() const { return isSet(Budget::Persona); }
  bool chatMiBIsSet() const { return isSet(Budget::Chat); }
  QString personaProblem() const { return m_problems[0]; }
  QString chatProblem() const { return m_problems[1]; }
  QString budgetDefault() const;
  /// Empty text resets.
  Q_INVOKABLE void setPersonaMiB(const QString& text) { setBudget(Budget::Persona, text); }
  Q_INVOKABLE void setChatMiB(const QString& text) { setBudget(Budget::Chat, text); }

  QString dataFolder() const;
  /// Why the chats are not safe in their folder; empty if they are.
  QString folderProblem() const;
  Q_INVOKABLE void openDataFolder() const;
  QString versionText() const;
  QString systemText() const;

  bool canSetGeneration() const { return !m_generation.pathOf({}).isEmpty(); }
  QString generationHeading() const { return tr("How %1 answers").arg(m_generation.modelName()); }
  GenerationEditor* generation() { return &m_editor; }

 signals:
  void changed();

 private:
  enum class Budget { Persona, Chat };
  static QString keyOf(Budget budget);
  bool isSet(Budget budget) const;
  QString budgetText(Budget budget) const;
  void setBudget(Budget budget, const QString& text);
  void onModelChanged();

  ModelManager& m_manager;
  DataSession& m_session;
  GenerationDefaults& m_generation;
  GenerationEditor m_editor;
  QString m_shownModel;
  GenerationSettings
      m_shownFile;  ///< The recommendations in that model's files; known once it is loaded.
  QString m_problems[2];
  QString m_network;  ///< The network file system of the data folder; empty if it is a local one.
};

}  // namespace quire
