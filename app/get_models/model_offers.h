#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>

#include <vector>

#include "app/get_models/choice_download.h"
#include "app/role_list_model.h"

namespace quire {

/// Up to three models that fit this machine, for someone who has none yet. A row appears when the
/// hub has confirmed its model.
///
/// Thread: the window's. Invariants: nothing is asked of a hub before show().
class ModelOffers : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isAvailable READ isAvailable NOTIFY changed)
  Q_PROPERTY(bool isShown READ isShown NOTIFY changed)
  Q_PROPERTY(bool isAsking READ isAsking NOTIFY changed)
  Q_PROPERTY(bool isWorking READ isWorking NOTIFY changed)
  Q_PROPERTY(bool canShow READ canShow NOTIFY changed)
  Q_PROPERTY(QString showText READ showText NOTIFY changed)
  Q_PROPERTY(bool hasNothing READ hasNothing NOTIFY changed)
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(QString askingText READ askingText NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)

 public:
  enum Role {
    kTitle = Qt::UserRole + 1,
    kSummary,
    kFacts,
    kActText,
    kIsSuggested,
    kIsWorking,
    kShare,
    kProblem,
    kOwnProblem  ///< kProblem without that of a download, which the list of downloads says.
  };

  explicit ModelOffers(QObject* parent = nullptr);

  void setAccess(HubAccess* access);

  int numRows() const override { return count(); }
  bool isAvailable() const { return !m_access.isNull(); }
  bool isShown() const { return m_isShown; }
  bool isAsking() const { return m_numOpen > 0; }  ///< Some are not confirmed yet.
  int count() const { return static_cast<int>(m_offers.size()); }
  bool canShow() const { return !m_isShown || !m_problem.isEmpty(); }
  QString showText() const;  ///< Of the button for show(), while canShow().
  /// The hub was asked, and no model can be offered: something else is to be done.
  bool hasNothing() const {
    return m_isShown && !isAsking() && count() == 0 && m_problem.isEmpty();
  }
  QString askingText() const;  ///< Whom it asks; empty: nobody.
  QString note() const;        ///< That there is nothing to offer; else empty.
  QString problem() const { return m_problem; }

  /// Asks the hub for the models; again after a failure.
  Q_INVOKABLE void show();
  Q_INVOKABLE void cancel();  ///< Ends the asking; models that are confirmed stay.
  /// Does what the row's button says: downloads, pauses, goes on, or wants to chat with it.
  Q_INVOKABLE void act(int row);
  void setDownloads(const QList<HubDownload>& downloads);
  /// The hub's listing is another one by now.
  void renew(const HubListing& listing);
  QStringList targets() const;  ///< Of all rows.
  bool isWorking() const;       ///< One of the models is being downloaded.

 signals:
  void changed();
  void chatWanted(const QString& path);  ///< With the model there, which is not loaded yet.

 private:
  struct Offer {
    int place = 0;  ///< Among the suggestions.
    ModelSuggestion suggestion;
    HubListing listing;
    QString refusal = {};  ///< Why its download could not begin; empty: it could.
  };
  void onSuggested(const QList<ModelSuggestion>& suggestions);
  void onListed(int place, const ModelSuggestion& suggestion, const HubListing& listing);
  ChoiceDownload at(int row) const;
  QString factsOf(int row) const;
  QString ownProblem(int row) const;
  QString actText(int row) const;
  int suggestedRow() const;

  QPointer<HubAccess> m_access;
  QList<Offer> m_offers;
  QList<HubDownload> m_downloads;
  std::vector<PendingReply> m_pending;
  int m_numOpen = 0;
  bool m_isShown = false;
  QString m_problem;
};

}  // namespace quire
