#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/models/card_cache.h"
#include "app/models/duplicate_list.h"
#include "app/models/library_settings.h"
#include "app/models/model_mover.h"
#include "app/models/model_removal.h"
#include "app/models/model_verifier.h"

namespace quire {

/// What a user does with the files of models: rename, delete, move, verify, find duplicates.
///
/// A name is stored beside the chats and no file is renamed: other applications, splits and chats
/// find their files by name, and a label works for all of them.
///
/// Thread: the window's.
class ModelFileActions : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(quire::ModelRemoval* removal READ removal CONSTANT)
  Q_PROPERTY(quire::ModelMover* mover READ mover CONSTANT)
  Q_PROPERTY(quire::ModelVerifier* verifier READ verifier CONSTANT)
  Q_PROPERTY(quire::DuplicateList* duplicates READ duplicates CONSTANT)
  Q_PROPERTY(bool isRenaming READ isRenaming NOTIFY renamingChanged)
  Q_PROPERTY(QString renamedFile READ renamedFile NOTIFY renamingChanged)
  Q_PROPERTY(QString renamedName READ renamedName NOTIFY renamingChanged)
  Q_PROPERTY(bool isRenamed READ isRenamed NOTIFY renamingChanged)

 public:
  ModelFileActions(ModelManager& manager, CardCache& cards, DataSession& session,
                   QObject* parent = nullptr);

  /// Reads the names; the session is open. Completes a move that was interrupted.
  void load();

  ModelRemoval* removal() { return &m_removal; }
  ModelMover* mover() { return &m_mover; }
  ModelVerifier* verifier() { return &m_verifier; }
  DuplicateList* duplicates() { return &m_duplicates; }

  bool isRenaming() const { return m_renaming != nullptr; }
  QString renamedFile() const;  ///< The name of its file, which stays.
  QString renamedName() const;
  bool isRenamed() const;  ///< It has a name that the user gave.

  Q_INVOKABLE void askName(quire::ModelCard* card);
  /// An empty name is the file's again.
  Q_INVOKABLE void rename(const QString& name);
  Q_INVOKABLE void closeRenaming();
  Q_INVOKABLE void findDuplicates() { m_duplicates.search(m_cards.all()); }
  Q_INVOKABLE void removeCopy(const QString& path) { m_removal.open(m_cards.find(path)); }

  /// Settings and names of a model at its new path.
  void movePath(const QString& from, const QString& to);

 signals:
  void renamingChanged();

 private:
  void saveNames();

  CardCache& m_cards;
  DataSession& m_session;
  QHash<QString, QString> m_names;  ///< By path.
  QPointer<ModelCard> m_renaming;
  ModelRemoval m_removal;
  ModelMover m_mover;
  ModelVerifier m_verifier;
  DuplicateList m_duplicates;
};

}  // namespace quire
