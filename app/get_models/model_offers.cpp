#include "app/get_models/model_offers.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

ModelOffers::ModelOffers(QObject* parent) : RoleListModel(parent) {
  setRoles({{kTitle, "title", [this](int row) { return m_offers[row].suggestion.title; }},
            {kSummary, "summary", [this](int row) { return m_offers[row].suggestion.summary; }},
            {kFacts, "facts", [this](int row) { return factsOf(row); }},
            {kActText, "actText", [this](int row) { return actText(row); }},
            {kIsSuggested, "isSuggested", [this](int row) { return row == suggestedRow(); }},
            {kIsWorking, "isWorking", [this](int row) { return at(row).isOpen(); }},
            {kShare, "share",
             [this](int row) {
               const HubDownload* const download = at(row).download;
               if (download == nullptr || download->totalBytes <= 0) return 0.0;
               return static_cast<double>(download->bytes) /
                      static_cast<double>(download->totalBytes);
             }},
            {kProblem, "problem",
             [this](int row) {
               const QString own = ownProblem(row);
               return own.isEmpty() ? at(row).problem() : own;
             }},
            {kOwnProblem, "ownProblem", [this](int row) { return ownProblem(row); }}});
}

void ModelOffers::setAccess(HubAccess* access) {
  m_access = access;
  emit changed();
}

ChoiceDownload ModelOffers::at(int row) const {
  const HubListing& listing = m_offers[row].listing;
  return {listing.choices[listing.usual], m_downloads};
}

QString ModelOffers::factsOf(int row) const {
  const ChoiceDownload one = at(row);
  if (one.isOpen() || one.hasFailed()) return get_labels::progress(*one.download);
  return get_labels::size(one.choice) + QStringLiteral(" · ") +
         get_labels::license(m_offers[row].listing.license);
}

QString ModelOffers::ownProblem(int row) const {
  const QString& refusal = m_offers[row].refusal;
  return refusal.isEmpty() ? at(row).choice.problem : refusal;
}

QString ModelOffers::actText(int row) const {
  const ChoiceDownload one = at(row);
  if (one.isThere()) return tr("Start chatting");
  if (one.hasFailed()) return tr("Try again");
  if (!one.isOpen()) return tr("Download");
  return one.isWorking() ? tr("Pause") : tr("Continue");
}

/// The one that is there; nothing while one is downloaded; else the largest that fits the GPU, or a
/// middling one, because the largest that fits memory may be slow.
int ModelOffers::suggestedRow() const {
  int fastest = -1;
  for (int row = 0; row < count(); ++row) {
    if (at(row).isThere()) return row;
    if (at(row).choice.fit == MachineFit::kGpu) fastest = row;
  }
  if (isWorking()) return -1;
  return fastest >= 0 ? fastest : (count() - 1) / 2;
}

QStringList ModelOffers::targets() const {
  QStringList targets;
  for (int row = 0; row < count(); ++row) targets += at(row).choice.target;
  return targets;
}

bool ModelOffers::isWorking() const {
  for (int row = 0; row < count(); ++row) {
    if (at(row).isOpen()) return true;
  }
  return false;
}

QString ModelOffers::showText() const {
  return m_isShown ? tr("Try again") : tr("Show models to download");
}

QString ModelOffers::askingText() const {
  return isAsking() ? get_labels::asking(*m_access) : QString();
}

QString ModelOffers::note() const {
  return hasNothing() ? tr("No recommended model fits the free memory of this computer.")
                      : QString();
}

void ModelOffers::show() {
  if (!m_access || isAsking()) return;
  m_isShown = true;
  m_problem.clear();
  beginResetModel();
  m_offers.clear();
  endResetModel();
  m_pending.clear();
  m_numOpen = 1;
  m_pending.push_back(m_access->suggest(Reply<QList<ModelSuggestion>>(
      this, [this](const QList<ModelSuggestion>& suggestions) { onSuggested(suggestions); })));
  emit changed();
}

void ModelOffers::cancel() {
  if (!isAsking()) return;
  m_pending.clear();
  m_numOpen = 0;
  m_isShown = count() > 0;
  emit changed();
}

void ModelOffers::onSuggested(const QList<ModelSuggestion>& suggestions) {
  m_numOpen = m_access ? static_cast<int>(suggestions.size()) : 0;
  for (int place = 0; place < m_numOpen; ++place) {
    const ModelSuggestion& suggestion = suggestions[place];
    m_pending.push_back(m_access->list(
        suggestion.name,
        Reply<HubListing>(this, [this, place, suggestion](const HubListing& listing) {
          onListed(place, suggestion, listing);
        })));
  }
  emit changed();
}

/// A model that the hub does not have, or that is gated, is not offered.
void ModelOffers::onListed(int place, const ModelSuggestion& suggestion,
                           const HubListing& listing) {
  --m_numOpen;
  const bool isConfirmed = listing.problem.text.isEmpty() && listing.usual >= 0 &&
                           listing.usual < listing.choices.size() && !listing.isGated &&
                           !listing.choices[listing.usual].target.isEmpty();
  if (isConfirmed) {
    const auto before = std::ranges::upper_bound(m_offers, place, {}, &Offer::place);
    const int row = static_cast<int>(before - m_offers.begin());
    beginInsertRows({}, row, row);
    m_offers.insert(row, {.place = place, .suggestion = suggestion, .listing = listing});
    endInsertRows();
    announceRows({kIsSuggested});
  } else if (m_problem.isEmpty()) {
    m_problem = listing.problem.text;
  }
  if (!m_offers.isEmpty()) m_problem.clear();
  emit changed();
}

void ModelOffers::act(int row) {
  if (row < 0 || row >= count() || !m_access) return;
  const ChoiceDownload one = at(row);
  if (one.isThere()) return emit chatWanted(one.path());
  if (one.isOpen()) {
    return m_access->act(one.download->id,
                         one.isWorking() ? DownloadAction::kPause : DownloadAction::kResume);
  }
  const HubListing& listing = m_offers[row].listing;
  m_offers[row].refusal = m_access->get(listing.id, listing.usual).text;
  announceRows({kProblem, kOwnProblem});
  emit changed();
}

void ModelOffers::setDownloads(const QList<HubDownload>& downloads) {
  const bool isSame = saysTheSame(downloads, m_downloads);
  m_downloads = downloads;
  if (isSame) return;
  announceRows({kFacts, kActText, kIsSuggested, kIsWorking, kShare, kProblem});
  emit changed();
}

void ModelOffers::renew(const HubListing& listing) {
  for (Offer& offer : m_offers) {
    if (offer.listing.id == listing.id && offer.listing.usual < listing.choices.size())
      offer.listing.choices = listing.choices;
  }
  announceRows();
}

}  // namespace quire
