#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/get_models/choice_download.h"
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
  enum Role {
    kLabel = Qt::UserRole + 1,
    kSize,
    kFacts,
    kIsUsual,
    kIsSuggested,
    kIsTooLarge,
    kCanGet,
    kCanAct,
    kActText,
    kActName,
    kProblem
  };

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
  /// What is being or has been downloaded.
  void setDownloads(const QList<HubDownload>& downloads);
  /// Why the download of a row was not begun; empty: it was.
  void setRefusal(int row, const QString& refusal);
  QStringList targets() const;  ///< Of all rows.
  /// The model of a row, if it is on this computer; else empty.
  QString pathOf(int row) const;
  /// The download of a row, if it has not ended; else null.
  const HubDownload* openDownload(int row) const;

 signals:
  void changed();

 private:
  ChoiceDownload at(int row) const { return {m_listing.choices[row], m_downloads}; }
  QString factsOf(int row) const;
  QString actText(int row) const;
  QString actName(int row) const;
  QString problemOf(int row) const;

  HubListing m_listing;
  QList<HubDownload> m_downloads;
  QHash<int, QString> m_refusals;  ///< By row.
};

}  // namespace quire
