#pragma once

#include <QStringList>

#include "app/session/data_session.h"

namespace quire {

/// What the user decided about the library of models, kept among the settings.
/// Thread: the window's.
class LibrarySettings {
 public:
  explicit LibrarySettings(DataSession& session) : m_session(session) {}

  /// Where the last model that was in use lies; empty: there was none.
  static const QString kLastModelKey;

  QStringList folders() const { return list(kFoldersKey); }
  QStringList hidden() const { return list(kHiddenKey); }  ///< Taken off the list.
  QStringList opened() const { return list(kOpenedKey); }  ///< Single files, dropped or opened.
  void setFolders(const QStringList& folders) { put(kFoldersKey, folders); }
  void setHidden(const QStringList& paths) { put(kHiddenKey, paths); }
  void setOpened(const QStringList& paths) { put(kOpenedKey, paths); }
  int sortChoice() const;
  void setSortChoice(int choice) { m_session.putSetting(kSortKey, QString::number(choice)); }
  QString lastModel() const { return m_session.setting(kLastModelKey); }
  void setLastModel(const QString& path);

 private:
  static const QString kFoldersKey;
  static const QString kHiddenKey;
  static const QString kOpenedKey;
  static const QString kSortKey;

  QStringList list(const QString& key) const;
  void put(const QString& key, const QStringList& values);

  DataSession& m_session;
};

}  // namespace quire
