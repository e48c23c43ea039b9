#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QRectF>
#include <QTimer>

#include "app/panes/pane_list_model.h"
#include "app/role_list_model.h"

namespace quire {

/// The places of the panes in the window: those of a PaneListModel in its order, and those that
/// were closed and have not been removed yet. To remove a pane takes about as long as a frame, and
/// one that is half created has to be created first. So a closed pane is hidden at once, and is
/// removed later, one after the other; until then it is used for the next pane that is opened.
///
/// Thread: the window's.
/// Invariants: the open slots are in the order of their panes. The chat of a closed slot stays
/// open.
class PaneSlots : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::PaneListModel* panes READ panes WRITE setPanes NOTIFY panesChanged REQUIRED)

 public:
  enum Role {
    kChat = PaneListModel::kChat,
    kIsFocused = PaneListModel::kIsFocused,
    kIsShown = PaneListModel::kIsShown,
    kPlace = PaneListModel::kPlace,  ///< Where it was last, if it is not shown.
    kPane,                           ///< Its row in the panes; -1: it was closed.
    kIsKept,                         ///< It was closed, and waits until it may be removed.
    kIsLeaving,                      ///< It was closed, and is to be removed.
  };

  explicit PaneSlots(QObject* parent = nullptr);
  ~PaneSlots() override;

  int numRows() const override { return static_cast<int>(m_slots.size()); }

  PaneListModel* panes() const { return m_panes; }
  void setPanes(PaneListModel* panes);  ///< Once.
  /// To be called when nothing is left in a slot that is leaving.
  Q_INVOKABLE void release(int row);

 signals:
  void panesChanged();

 private:
  struct Slot {
    int pane = -1;
    QPointer<ChatModel> chat = {};
    QRectF place = {};
    bool isLeaving = false;
    bool isEmpty = false;  ///< It was released.
  };

  void open(int pane);
  int moveSlot(int from, int to);
  void onInserted(int first, int last);
  void onRemoved(int first, int last);
  void onChanged(const QList<int>& roles);
  void onChatDropped(RecordId chat);
  void removeNext();
  void removeSlot(int row);
  void letChatGo(ChatModel* chat) const;
  int rowOf(int pane) const;
  int closedRow(const ChatModel* chat) const;
  bool isIn(int row, int role) const;

  QPointer<PaneListModel> m_panes;
  QList<Slot> m_slots;
  QTimer m_removing;
};

}  // namespace quire
