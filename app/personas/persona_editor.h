#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include "app/personas/persona_labels.h"
#include "app/settings/generation_editor.h"
#include "app/store/records.h"

namespace quire {

/// Edits a copy of a persona; nothing is stored before save().
///
/// Thread: the window's.
/// Invariants: canSave() is false while it is not open.
class PersonaEditor : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(QString title READ title NOTIFY openChanged)
  Q_PROPERTY(QString name READ name WRITE setName NOTIFY changed)
  Q_PROPERTY(QString description READ description WRITE setDescription NOTIFY changed)
  Q_PROPERTY(QString prompt READ prompt WRITE setPrompt NOTIFY changed)
  Q_PROPERTY(QString iconName READ iconName WRITE setIconName NOTIFY changed)
  Q_PROPERTY(int colorIndex READ colorIndex WRITE setColorIndex NOTIFY changed)
  Q_PROPERTY(bool isPinned READ isPinned WRITE setPinned NOTIFY changed)
  Q_PROPERTY(QString adapterName READ adapterName NOTIFY changed)
  Q_PROPERTY(QString adapterProblem READ adapterProblem NOTIFY changed)
  Q_PROPERTY(QString costText READ costText NOTIFY costChanged)
  Q_PROPERTY(QString warning READ warning NOTIFY costChanged)
  Q_PROPERTY(bool canSave READ canSave NOTIFY changed)
  Q_PROPERTY(QStringList iconNames READ iconNames CONSTANT)
  Q_PROPERTY(quire::GenerationEditor* generation READ generation CONSTANT)

 public:
  PersonaEditor(EngineInspector& inspector, const ModelManager& models, QObject* parent = nullptr);

  /// `numChats`: chats with this persona. `layers`: the settings below the persona's.
  void open(const PersonaRecord& persona, int numChats, const SettingsLayers& layers,
            const QString& modelName);
  bool isOpen() const { return m_isOpen; }
  bool isNew() const { return m_stored.id == 0; }
  QString title() const { return isNew() ? tr("New persona") : m_stored.name; }
  const PersonaRecord& persona() const { return m_persona; }
  QString name() const { return m_persona.name; }
  void setName(const QString& name) { change(&PersonaRecord::name, name); }
  QString description() const { return m_persona.description; }
  void setDescription(const QString& text) { change(&PersonaRecord::description, text); }
  QString prompt() const { return m_persona.systemPrompt; }
  void setPrompt(const QString& prompt);
  QString iconName() const { return personaIcon(m_persona.icon); }
  void setIconName(const QString& name);
  int colorIndex() const { return m_persona.color; }
  void setColorIndex(int color) { change(&PersonaRecord::color, color); }
  bool isPinned() const { return m_persona.pinned; }
  void setPinned(bool pinned) { change(&PersonaRecord::pinned, pinned); }
  QString adapterName() const;     ///< Of its file or folder; empty without an adapter.
  QString adapterProblem() const;  ///< A sentence if the file is not there; else empty.
  QString costText() const;
  QString warning() const;
  bool canSave() const;
  bool isChanged() const;  ///< There are changes that cancel() would discard.
  QStringList iconNames() const { return personaIcons(); }
  Q_INVOKABLE QString iconLabel(const QString& icon) const { return personaIconLabel(icon); }
  GenerationEditor* generation() { return &m_generation; }

  /// A GGUF file, or either file of a folder that PEFT wrote.
  Q_INVOKABLE void setAdapterFile(const QUrl& file);
  Q_INVOKABLE void removeAdapter() { change(&PersonaRecord::adapterPath, QString()); }
  Q_INVOKABLE void save();
  Q_INVOKABLE void cancel();

 signals:
  void openChanged();
  void changed();
  void costChanged();
  void saved(const quire::PersonaRecord& persona);

 private:
  /// Sets a field; false if it has that value already.
  template <typename Value>
  bool change(Value PersonaRecord::*field, const Value& value) {
    if (m_persona.*field == value) return false;
    m_persona.*field = value;
    emit changed();
    return true;
  }
  void measure();
  void close();

  EngineInspector& m_inspector;
  const ModelManager& m_models;
  PendingReply m_measuring;
  GenerationEditor m_generation;
  QTimer m_measureTimer;
  PersonaRecord m_stored;
  PersonaRecord m_persona;
  int m_numChats = 0;
  /// Whether the adapter's file was there when the sheet was opened or the file chosen.
  bool m_hasAdapter = false;
  int m_tokens = 0;     ///< 0: not counted yet.
  int m_newTokens = 0;  ///< Those that are not cached.
  bool m_isOpen = false;
};

}  // namespace quire
