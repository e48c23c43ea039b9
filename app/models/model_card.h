#pragma once

#include <QtQml/qqmlregistration.h>
#include <QCollator>
#include <QObject>

#include <optional>

#include "app/engine/model_manager.h"
#include "app/models/memory_forecast.h"
#include "app/models/model_options.h"
#include "app/models/scan/found_model.h"
#include "app/settings/generation_editor.h"

namespace quire {

/// What cards are sorted and searched by; cached, because long lists are sorted often.
struct CardKeys {
  QCollatorSortKey name;
  QString words;     ///< Name and facts.
  QString language;  ///< Of `words`.
};

/// One model as the library shows it: the facts in its files, its state, and its memory needs.
///
/// Thread: the window's.
/// Invariants: path() never changes; a card whose file cannot be loaded never asks for a load.
class ModelCard : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(QString path READ path CONSTANT)
  Q_PROPERTY(quire::MemoryForecast* memory READ memory CONSTANT)
  Q_PROPERTY(quire::ModelOptions* options READ options CONSTANT)
  Q_PROPERTY(quire::GenerationEditor* generation READ generation CONSTANT)
  Q_PROPERTY(QString name READ name NOTIFY changed)
  Q_PROPERTY(QString factsText READ factsText NOTIFY changed)
  Q_PROPERTY(QString noteText READ noteText NOTIFY changed)
  Q_PROPERTY(QString obstacle READ obstacle NOTIFY changed)
  Q_PROPERTY(bool isUnusable READ hasObstacle NOTIFY changed)
  Q_PROPERTY(bool isQuarantined READ isQuarantined NOTIFY changed)
  Q_PROPERTY(bool isDemonstration READ isDemonstration NOTIFY changed)
  Q_PROPERTY(bool isLoading READ isLoading NOTIFY stateChanged)
  Q_PROPERTY(bool isServing READ isServing NOTIFY stateChanged)
  Q_PROPERTY(bool isActive READ isActive NOTIFY stateChanged)
  Q_PROPERTY(bool isPrimary READ isPrimary NOTIFY stateChanged)
  Q_PROPERTY(bool canLoad READ canLoad NOTIFY stateChanged)
  Q_PROPERTY(bool canReload READ canReload NOTIFY stateChanged)
  Q_PROPERTY(bool canUnload READ canUnload NOTIFY stateChanged)
  Q_PROPERTY(bool canBeChosen READ canBeChosen NOTIFY stateChanged)
  Q_PROPERTY(bool canBeHidden READ canBeHidden NOTIFY stateChanged)
  Q_PROPERTY(bool hasOptions READ hasOptions NOTIFY changed)
  Q_PROPERTY(bool canBeQuantized READ canBeQuantized NOTIFY changed)
  Q_PROPERTY(bool showsMemory READ showsMemory NOTIFY stateChanged)
  Q_PROPERTY(QString demonstrationText READ demonstrationText NOTIFY changed)
  Q_PROPERTY(QString loadText READ loadText NOTIFY stateChanged)
  Q_PROPERTY(QString badge READ badge NOTIFY stateChanged)
  Q_PROPERTY(QString statusText READ statusText NOTIFY stateChanged)
  Q_PROPERTY(QString draftNote READ draftNote NOTIFY stateChanged)
  Q_PROPERTY(QString phaseText READ phaseText NOTIFY stateChanged)
  Q_PROPERTY(QString timeLeftText READ timeLeftText NOTIFY stateChanged)
  Q_PROPERTY(double progress READ progress NOTIFY stateChanged)
  Q_PROPERTY(QString error READ error NOTIFY stateChanged)
  Q_PROPERTY(QString loadError READ loadError NOTIFY stateChanged)

 public:
  ModelCard(const QString& path, ModelManager& manager, LoadPlanner& planner,
            ComputeDevices& devices, QObject* parent = nullptr);

  const QString& path() const { return m_path; }
  MemoryForecast* memory() { return &m_memory; }
  ModelOptions* options() { return &m_options; }
  const ModelOptions* options() const { return &m_options; }
  GenerationEditor* generation() { return &m_generation; }
  bool isShown() const { return m_isShown; }
  bool generationShown() const { return m_generationShown; }
  const FoundModel& found() const { return m_found; }
  bool isFound() const { return !m_found.path.isEmpty(); }
  void setFound(const FoundModel& found);
  const ModelState& state() const { return m_state; }
  bool hasState() const { return !m_state.path.isEmpty(); }
  void setState(const ModelState& state);
  /// Sets the draft models that are offered for this one.
  void setDrafts(const QList<DraftChoice>& drafts);
  void setSpeed(double tokensPerSecond);
  void setLabel(const QString& label);  ///< The name that the user gave; empty: none.
  void setDefaults(const LoadDefaults& defaults);

  QString name() const;
  const CardKeys& keys() const;
  QString source() const { return m_found.source; }
  QString factsText() const;
  QString noteText() const { return m_found.note; }
  QString obstacle() const;  ///< Why its file cannot be loaded; empty if it can.
  bool hasObstacle() const { return !m_found.facts.obstacle.message.empty(); }
  /// It can be read again by ModelLibrary::tryAgain().
  bool isQuarantined() const { return m_found.facts.isQuarantined; }
  bool isDemonstration() const { return m_state.isDemonstration; }
  bool isLoading() const;
  bool isServing() const { return hasState() && m_state.serving; }
  bool isActive() const { return isServing() || isLoading(); }
  bool isPrimary() const { return isServing() && m_state.primary; }
  bool canLoad() const { return !hasObstacle() && !isLoading() && !isServing(); }
  /// It is loaded with other options than those chosen now.
  bool isStale() const { return isServing() && !m_options.request().loadsLike(m_state.request); }
  bool canReload() const { return isStale() && !isLoading(); }
  bool canUnload() const { return isServing() && !isLoading(); }
  bool canBeChosen() const { return canUnload() && !m_state.primary; }
  bool canBeHidden() const { return !hasState(); }
  bool hasOptions() const { return !hasObstacle(); }
  /// Only files that another process has read are opened in this one.
  bool canBeQuantized() const { return isFound() && !hasObstacle(); }
  /// Whether its memory needs are shown: a load is possible. After one that failed they are not if
  /// they are not known, because what is in their place is why they are not: the same failure.
  bool showsMemory() const;
  QString demonstrationText() const;
  QString loadText() const;
  QString badge() const;  ///< "Loaded", "In use", "Loading" or "Loading again"; else empty.
  QString statusText() const;
  /// Why its draft model is not used; else empty.
  QString draftNote() const { return isServing() ? m_state.draftNote : QString(); }
  QString phaseText() const;
  QString timeLeftText() const;
  double progress() const { return m_state.fraction; }
  QString error() const { return hasState() ? m_state.error : QString(); }
  /// Why the last load failed, unless the obstacle says why another would.
  QString loadError() const { return hasObstacle() ? QString() : error(); }
  qint64 lastUsedMs() const;

  /// The card is visible: requests its memory needs, once its files were read without an obstacle.
  Q_INVOKABLE void show();
  /// Its sampling settings are shown: keeps generation() up to date from now on.
  Q_INVOKABLE void showGeneration();
  Q_INVOKABLE void load();
  Q_INVOKABLE void cancel() { m_manager.cancelLoad(m_path); }
  Q_INVOKABLE void unload() { m_manager.unloadModel(m_path); }
  Q_INVOKABLE void makePrimary() { m_manager.setPrimaryModel(m_path); }
  Q_INVOKABLE void showInFileManager() const;
  Q_INVOKABLE void copyPath() const;

 signals:
  void changed();
  void stateChanged();
  void shown();
  void generationWanted();

 private:
  bool waitsForAnswers() const;
  void forecast();

  const QString m_path;
  ModelManager& m_manager;
  FoundModel m_found;
  ModelState m_state;
  QString m_label;
  double m_speed = 0.0;
  bool m_isShown = false;
  MemoryForecast m_memory;
  ModelOptions m_options;
  GenerationEditor m_generation;
  bool m_generationShown = false;
  mutable std::optional<CardKeys> m_keys;
};

}  // namespace quire
