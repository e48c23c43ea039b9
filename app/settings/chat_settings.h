#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include "app/chat/chat_model.h"
#include "app/settings/generation_defaults.h"
#include "app/settings/generation_editor.h"

namespace quire {

/// The settings of one chat while their sheet is open. Changes apply from the next answer on.
/// Thread: the window's.
class ChatSettings : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(QString title READ title NOTIFY openChanged)
  Q_PROPERTY(quire::ChatModel* chat READ chat NOTIFY openChanged)
  Q_PROPERTY(QString modelText READ modelText NOTIFY openChanged)
  Q_PROPERTY(quire::GenerationEditor* generation READ generation CONSTANT)

 public:
  ChatSettings(const GenerationDefaults& defaults, const PersonaListModel& personas,
               QObject* parent = nullptr);

  bool isOpen() const { return m_chat != nullptr; }
  QString title() const { return m_chat ? m_chat->title() : QString(); }
  ChatModel* chat() const { return m_chat; }
  QString modelText() const;
  GenerationEditor* generation() { return &m_editor; }

  Q_INVOKABLE void open(quire::ChatModel* chat);
  Q_INVOKABLE void close();

 signals:
  void openChanged();

 private:
  void show();

  const GenerationDefaults& m_defaults;
  const PersonaListModel& m_personas;
  GenerationEditor m_editor;
  QPointer<ChatModel> m_chat;
};

}  // namespace quire
