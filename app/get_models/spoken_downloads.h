#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/get_models/get_models.h"

namespace quire {

/// Announces to screen readers what becomes of a search for models and of downloads: that they
/// begin, each quarter of a download, and how they end. It does nothing while no screen reader is
/// active.
///
/// Thread: the window's.
/// Invariants: a step is announced once. Downloads that an earlier start of the program left are
/// announced only once they go on.
class SpokenDownloads : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString text READ text NOTIFY spoken)

 public:
  /// `source` outlives this object.
  explicit SpokenDownloads(GetModels& source, QObject* parent = nullptr);

  QString text() const { return m_text; }  ///< The current announcement.
  /// Replaces the check whether a screen reader is active, for tests.
  void setHeard(const std::function<bool()>& isHeard) { m_isHeard = isHeard; }
  /// Sets the item that sends the announcements; its accessible name is text().
  Q_INVOKABLE void setSpeaker(QObject* speaker) { m_speaker = speaker; }

 signals:
  void spoken();

 private:
  /// How far a download was when it was looked at last.
  struct Step {
    DownloadState state = DownloadState::kPaused;
    int quarter = 0;

    bool operator==(const Step&) const = default;
  };
  void onSearch();
  void onOffers();
  void onDownloads();
  QString stepText(const HubDownload& download, const Step& before, const Step& now) const;
  QString searchText() const;
  void speak(const QString& text);

  GetModels& m_source;
  std::function<bool()> m_isHeard;
  QPointer<QObject> m_speaker;
  bool m_isSearching = false;
  bool m_isAskingForOffers = false;
  QHash<quint64, Step> m_steps;
  QString m_text;
};

}  // namespace quire
