#pragma once

#include <QStringList>

#include "app/session/data_session.h"
#include "app/store/setting_keys.h"

namespace quire {

/// The user's choices for the model library, stored in the settings.
/// Thread: the window's.
class LibrarySettings {
 public:
  explicit LibrarySettings(DataSession& session) : m_session(session) {}

  /// The path of the last model that was in use; empty: none.
  static inline const QString kLastModelKey = setting_keys::kLastModel;

  QStringList folders() const { return list(kFoldersKey); }
  QStringList hidden() const { return list(kHiddenKey); }  ///< Removed from the list.
  QStringList opened() const { return list(kOpenedKey); }  ///< Dropped or opened directly.
  void setFolders(const QStringList& folders) { put(kFoldersKey, folders); }
  void setHidden(const QStringList& paths) { put(kHiddenKey, paths); }
  void setOpened(const QStringList& paths) { put(kOpenedKey, paths); }
  int sortChoice() const;
  void setSortChoice(int choice) { m_session.putSetting(kSortKey, QString::number(choice)); }
  QString lastModel() const { return m_session.setting(kLastModelKey); }
  void setLastModel(const QString& path);
  /// The model that is being quantised: see quantize_memory.h.
  QString quantizing() const { return m_session.setting(setting_keys::kQuantizing); }
  void setQuantizing(const QString& started) {
    m_session.putSetting(setting_keys::kQuantizing, started);
  }

 private:
  static inline const QString kFoldersKey = setting_keys::kModelFolders;
  static inline const QString kHiddenKey = QStringLiteral("models.hidden");
  static inline const QString kOpenedKey = setting_keys::kOpenedModels;
  static inline const QString kSortKey = QStringLiteral("models.sort");

  QStringList list(const QString& key) const;
  void put(const QString& key, const QStringList& values);

  DataSession& m_session;
};

}  // namespace quire
