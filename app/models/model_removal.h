#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QStringList>

#include <functional>

#include "app/models/files/delete_model.h"
#include "app/models/model_card.h"
#include "app/task_runner.h"

namespace quire {

/// Titles of the chats that use the model with that path, the last active first.
using ChatsUsing = std::function<QStringList(const QString& path)>;

/// Deletes a model from the disk: shows what is freed, whose file it is and which chats use it, and
/// asks. A loaded model is unloaded first.
///
/// Thread: the window's; files are listed and deleted on a thread of its own.
/// Invariants: nothing is deleted that open() did not list.
class ModelRemoval : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isListing READ isListing NOTIFY changed)
  Q_PROPERTY(bool isDeleting READ isDeleting NOTIFY changed)
  Q_PROPERTY(bool canDelete READ canDelete NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString sizeText READ freedText NOTIFY changed)
  Q_PROPERTY(QStringList files READ files NOTIFY changed)
  Q_PROPERTY(QString placeText READ placeText NOTIFY changed)
  Q_PROPERTY(QString ownerText READ ownerText NOTIFY changed)
  Q_PROPERTY(QString chatsText READ chatsText NOTIFY changed)
  Q_PROPERTY(QString loadedText READ loadedText NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)

 public:
  explicit ModelRemoval(ModelManager& manager, QObject* parent = nullptr);

  void setChatsUsing(ChatsUsing chats) { m_chatsUsing = std::move(chats); }

  bool isOpen() const { return m_card != nullptr; }
  bool isListing() const { return m_phase == Phase::Listing; }
  bool isDeleting() const { return m_phase == Phase::Unloading || m_phase == Phase::Deleting; }
  bool canDelete() const;
  QString title() const;
  QString freedText() const;
  QStringList files() const;  ///< Names with sizes; of many only the first.
  QString placeText() const;
  QString ownerText() const;   ///< Another application that loses it; else empty.
  QString chatsText() const;   ///< Empty: no chat was set to it.
  QString loadedText() const;  ///< That it is unloaded first; else empty.
  QString problem() const;     ///< Why it cannot be deleted, or was not.

  Q_INVOKABLE void open(quire::ModelCard* card);
  Q_INVOKABLE void close();
  Q_INVOKABLE void moveToTrash() { begin(Disposal::kTrash); }
  Q_INVOKABLE void deleteForGood() { begin(Disposal::kForGood); }

 signals:
  void changed();
  /// The model is gone; the notice says where it went.
  void removed(const QString& path, const QString& notice);

 private:
  enum class Phase { None, Listing, Asking, Unloading, Deleting };

  void begin(Disposal disposal);
  void goOn();
  void onDeleted(const Deletion& deletion);

  ModelManager& m_manager;
  ChatsUsing m_chatsUsing;
  Phase m_phase = Phase::None;
  QPointer<ModelCard> m_card;
  ModelParts m_parts;
  QStringList m_chats;
  QString m_problem;
  Disposal m_disposal = Disposal::kTrash;
  TaskRunner m_tasks;
};

/// What the library knows of a card's model.
StoredModel storedModel(const ModelCard& card);

}  // namespace quire
