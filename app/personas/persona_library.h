#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

#include "app/engine/engine_inspector.h"
#include "app/personas/persona_editor.h"
#include "app/personas/persona_list_model.h"
#include "app/personas/preset_list_model.h"
#include "app/session/data_session.h"
#include "app/session/pending_undo.h"
#include "app/settings/generation_defaults.h"

namespace quire {

/// Creates, edits, orders and deletes the user's personas, and measures how much of each is cached
/// while the page is visible.
///
/// Thread: the window's.
/// Invariants: the personas of the list are stored or queued for writing; a deleted persona is
/// removed from the store when the deletion can no longer be undone.
class PersonaLibrary : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(quire::PersonaListModel* list READ list CONSTANT)
  Q_PROPERTY(quire::PersonaFilter* shown READ shown CONSTANT)
  Q_PROPERTY(quire::PresetListModel* presets READ presets CONSTANT)
  Q_PROPERTY(quire::PersonaEditor* editor READ editor CONSTANT)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(bool watched READ isWatched WRITE setWatched NOTIFY watchedChanged)

 public:
  using CountChats = std::function<QHash<RecordId, int>()>;

  /// `list` must outlive it; `countChats` counts the chats of each persona.
  PersonaLibrary(EngineInspector& inspector, const ModelManager& models, DataSession& session,
                 const GenerationDefaults& generation, PersonaListModel& list,
                 const CountChats& countChats, QObject* parent = nullptr);
  ~PersonaLibrary() override;

  /// Reads the personas; adds those presets with `isFirst` if there are none. The session is open.
  Result<void> load(const QByteArray& presets, const QString& language);
  /// The language of the presets.
  void setLanguage(const QString& language);

  PersonaListModel* list() { return &m_list; }
  PersonaFilter* shown() { return &m_shown; }
  PresetListModel* presets() { return &m_presets; }
  PersonaEditor* editor() { return &m_editor; }
  QString undoText() const { return m_undo.text(); }
  bool isWatched() const { return m_watchTimer.isActive(); }
  void setWatched(bool watched);

  Q_INVOKABLE void create();
  Q_INVOKABLE void edit(qint64 id);
  Q_INVOKABLE void duplicate(qint64 id);
  Q_INVOKABLE void remove(qint64 id);
  Q_INVOKABLE void undoRemove() { m_undo.undo(); }
  Q_INVOKABLE void move(qint64 id, int step);
  Q_INVOKABLE void addPreset(const QString& presetId);
  Q_INVOKABLE void setPinned(qint64 id, bool pinned);
  /// Completes a deletion that can still be undone.
  void close() { m_undo.finish(); }

 signals:
  void undoChanged();
  void watchedChanged();
  /// The deletion is final: nothing may refer to the persona any more.
  void personaRemoved(qint64 id);

 private:
  void put(const PersonaRecord& persona);
  void add(PersonaRecord persona);
  void onListChanged();
  void measure();

  EngineInspector& m_inspector;
  DataSession& m_session;
  const GenerationDefaults& m_generation;
  PersonaListModel& m_list;
  const CountChats m_countChats;
  QByteArray m_presetJson;
  PersonaFilter m_shown;
  PresetListModel m_presets;
  PersonaEditor m_editor;
  std::vector<PendingReply> m_measures;
  QTimer m_watchTimer;
  PendingUndo m_undo;
  std::optional<PersonaRecord> m_removed;  ///< Removed from the list, not from the store yet.
};

}  // namespace quire
