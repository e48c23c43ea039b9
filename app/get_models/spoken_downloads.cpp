#include "app/get_models/spoken_downloads.h"

#include <utility>

#include "app/session/announcement.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

int quarterOf(const HubDownload& download) {
  return download.totalBytes > 0 ? static_cast<int>(4 * download.bytes / download.totalBytes) : 0;
}

/// Begun, as far as the user is concerned.
bool isUnderWay(DownloadState state) {
  return isWorking(state) || state == DownloadState::kDone;
}

}  // namespace

SpokenDownloads::SpokenDownloads(GetModels& source, QObject* parent)
    : QObject(parent), m_source(source), m_isHeard(&QAccessible::isActive) {
  connect(&source, &GetModels::changed, this, &SpokenDownloads::onSearch);
  connect(source.offers(), &ModelOffers::changed, this, &SpokenDownloads::onOffers);
  connect(source.downloads(), &DownloadList::progressed, this, &SpokenDownloads::onDownloads);
}

void SpokenDownloads::onSearch() {
  const bool wasSearching = std::exchange(m_isSearching, m_source.isAsking());
  if (m_isSearching == wasSearching) return;
  speak(m_isSearching ? m_source.askingText() : searchText());
}

/// How a search ended; empty: it was cancelled.
QString SpokenDownloads::searchText() const {
  if (!m_source.problem().isEmpty()) return m_source.problem();
  if (!m_source.note().isEmpty()) return m_source.note();
  if (m_source.showsFiles()) return m_source.files()->title();
  if (m_source.showsResults()) return tr("%n model(s) found", nullptr, m_source.results()->count());
  return {};
}

void SpokenDownloads::onOffers() {
  const ModelOffers& offers = *m_source.offers();
  const bool wasAsking = std::exchange(m_isAskingForOffers, offers.isAsking());
  if (m_isAskingForOffers == wasAsking) return;
  if (m_isAskingForOffers) return speak(offers.askingText());
  if (!offers.problem().isEmpty()) return speak(offers.problem());
  if (offers.hasNothing()) return speak(offers.note());
  if (offers.count() > 0) speak(tr("%n model(s) to download", nullptr, offers.count()));
}

void SpokenDownloads::onDownloads() {
  QHash<quint64, Step> steps;
  QStringList texts;
  for (const HubDownload& download : m_source.downloads()->rows()) {
    const Step now = {download.state, quarterOf(download)};
    steps.insert(download.id, now);
    const Step before = m_steps.value(download.id);
    if (m_steps.contains(download.id) ? before != now : isUnderWay(now.state)) {
      texts += stepText(download, before, now);
    }
  }
  m_steps = steps;
  texts.removeAll(QString());
  speak(texts.join(u' '));
}

QString SpokenDownloads::stepText(const HubDownload& download, const Step& before,
                                  const Step& now) const {
  const QString title = visibleString(download.title);
  if (now.state != before.state) {
    if (now.state == DownloadState::kDone) return tr("%1 is downloaded and verified.").arg(title);
    if (now.state == DownloadState::kPaused) return tr("%1 is paused.").arg(title);
    if (now.state == DownloadState::kFailed) {
      return tr("%1 stopped. %2").arg(title, download.problem.text);
    }
    if (!isUnderWay(before.state)) return tr("Downloading %1").arg(title);
  }
  if (now.quarter <= before.quarter || !isUnderWay(now.state)) return {};
  return tr("%1: %2% downloaded").arg(title).arg(25 * now.quarter);
}

void SpokenDownloads::speak(const QString& text) {
  if (text.isEmpty() || !m_isHeard()) return;
  m_text = text;
  emit spoken();
  announce(m_speaker, m_text);
}

}  // namespace quire
