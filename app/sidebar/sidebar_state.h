#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/session/data_session.h"

namespace quire {

/// State of the sidebar: whether it is open, its width, and which name in it is being edited. A
/// narrow window begins with a closed sidebar; opening it there lasts until the window is wide
/// again, and is not stored.
///
/// Thread: the window's.
/// Invariants: the width stays between its bounds; at most one name is being edited.
class SidebarState : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen WRITE setOpen NOTIFY changed)
  Q_PROPERTY(int width READ width NOTIFY changed)
  Q_PROPERTY(double windowWidth READ windowWidth WRITE setWindowWidth NOTIFY changed)
  Q_PROPERTY(bool isRenaming READ isRenaming NOTIFY renamingChanged)
  Q_PROPERTY(bool isRenamingChat READ isRenamingChat NOTIFY renamingChanged)
  Q_PROPERTY(double renamedChatId READ renamedChatId NOTIFY renamingChanged)
  Q_PROPERTY(double renamedFolderId READ renamedFolderId NOTIFY renamingChanged)

 public:
  /// A window that is not wider has no room for a sidebar beside a chat and its header.
  static constexpr double kNarrowWindow = 1024.0;

  explicit SidebarState(DataSession& session, QObject* parent = nullptr);

  /// Reads the saved state; the session is open.
  void load();
  bool isOpen() const { return isNarrow() ? m_isOpenWhileNarrow : m_isOpen; }
  void setOpen(bool isOpen);
  int width() const { return m_width; }
  double windowWidth() const { return m_windowWidth; }
  void setWindowWidth(double width);
  bool isRenaming() const { return isRenamingChat() || m_renamedFolder != 0; }
  bool isRenamingChat() const { return m_renamedChat != 0; }
  RecordId renamedChatId() const { return m_renamedChat; }
  RecordId renamedFolderId() const { return m_renamedFolder; }

  Q_INVOKABLE void toggle() { setOpen(!isOpen()); }
  /// Called while the edge is dragged; save() is called when it is released.
  Q_INVOKABLE void resize(double width);
  Q_INVOKABLE void save();
  Q_INVOKABLE void renameChat(qint64 id) { beginRename(id, 0); }
  Q_INVOKABLE void renameFolder(qint64 id) { beginRename(0, id); }
  /// Ends renaming that chat or folder; does nothing if another one is being renamed.
  Q_INVOKABLE void endRename(qint64 id);

 signals:
  void changed();
  void renamingChanged();

 private:
  bool isNarrow() const { return m_windowWidth > 0.0 && m_windowWidth <= kNarrowWindow; }
  void beginRename(RecordId chat, RecordId folder);

  DataSession& m_session;
  bool m_isOpen = true;  ///< In a wide window.
  bool m_isOpenWhileNarrow = false;
  double m_windowWidth = 0.0;  ///< 0: not known yet.
  int m_width;
  RecordId m_renamedChat = 0;
  RecordId m_renamedFolder = 0;
};

}  // namespace quire
