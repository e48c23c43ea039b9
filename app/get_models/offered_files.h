#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/get_models/hub_access.h"
#include "app/role_list_model.h"

namespace quire {

/// A model of a hub, with what can be downloaded of it as rows.
/// Thread: the window's.
class OfferedFiles : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString facts READ facts NOTIFY changed)
  Q_PROPERTY(QString page READ page NOTIFY changed)
  Q_PROPERTY(bool isGated READ isGated NOTIFY changed)
  Q_PROPERTY(bool hasNothing READ hasNothing NOTIFY changed)
  Q_PROPERTY(QString speedNote READ speedNote NOTIFY changed)

 public:
  enum Role { kLabel = Qt::UserRole + 1, kSize, kFacts, kIsUsual, kIsTooLarge, kCanGet, kGetText };

  explicit OfferedFiles(QObject* parent = nullptr);

  int numRows() const override { return count(); }
  int count() const { return static_cast<int>(m_listing.choices.size()); }
  QString title() const;
  QString facts() const;  ///< "Hugging Face · Licence: apache-2.0".
  QString page() const { return m_listing.page.toString(); }
  bool isGated() const { return m_listing.isGated; }
  bool hasNothing() const { return !m_listing.id.isEmpty() && m_listing.choices.isEmpty(); }
  QString speedNote() const;  ///< That the speed is not known, and how it will be; else empty.

  const HubListing& listing() const { return m_listing; }
  void set(const HubListing& listing);
  /// What is being or has been downloaded: those have no button.
  void setTargets(const DownloadTargets& targets);

 signals:
  void changed();

 private:
  QString factsOf(const HubChoice& choice) const;
  bool isTaken(const HubChoice& choice) const { return m_targets.open.contains(choice.target); }
  bool isThere(const HubChoice& choice) const {
    return choice.isThere || m_targets.done.contains(choice.target);
  }

  HubListing m_listing;
  DownloadTargets m_targets;
};

}  // namespace quire
