#include "app/get_models/model_offers.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

ModelOffers::ModelOffers(QObject* parent) : RoleListModel(parent) {
  const auto isTaken = [this](int row) { return m_targets.open.contains(choiceOf(row).target); };
  const auto isThere = [this](int row) {
    return choiceOf(row).isThere || m_targets.done.contains(choiceOf(row).target);
  };
  setRoles(
      {{kTitle, "title", [this](int row) { return m_offers[row].suggestion.title; }},
       {kSummary, "summary", [this](int row) { return m_offers[row].suggestion.summary; }},
       {kFacts, "facts",
        [this](int row) {
          return get_labels::size(choiceOf(row)) + QStringLiteral(" · ") +
                 get_labels::license(m_offers[row].listing.license);
        }},
       {kCanGet, "canGet", [isThere, isTaken](int row) { return !isThere(row) && !isTaken(row); }},
       {kGetText, "getText", [isThere, isTaken](int row) {
          if (isTaken(row)) return tr("Downloading");
          return isThere(row) ? tr("On this computer") : tr("Download");
        }}});
}

void ModelOffers::setAccess(HubAccess* access) {
  m_access = access;
  emit changed();
}

const HubChoice& ModelOffers::choiceOf(int row) const {
  const HubListing& listing = m_offers[row].listing;
  return listing.choices[listing.usual];
}

QString ModelOffers::note() const {
  if (!m_isShown || count() > 0 || !m_problem.isEmpty()) return {};
  if (isAsking()) return tr("Asking %1…").arg(m_access ? m_access->hubHost() : QString());
  return tr("No recommended model fits the free memory of this computer.");
}

QString ModelOffers::failure() const {
  for (int row = 0; row < count(); ++row) {
    const QString& target = choiceOf(row).target;
    const QString why = m_targets.failed.value(target);
    if (!why.isEmpty() && !m_targets.open.contains(target)) return why;
  }
  return {};
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
    m_offers.insert(row, {place, suggestion, listing});
    endInsertRows();
  } else if (m_problem.isEmpty()) {
    m_problem = listing.problem.text;
  }
  if (!m_offers.isEmpty()) m_problem.clear();
  emit changed();
}

void ModelOffers::get(int row) {
  if (row < 0 || row >= count() || !m_access) return;
  const HubListing& listing = m_offers[row].listing;
  m_problem = m_access->get(listing.id, listing.usual).text;
  emit changed();
}

void ModelOffers::setTargets(const DownloadTargets& targets) {
  if (targets == m_targets) return;
  m_targets = targets;
  announceRows({kCanGet, kGetText});
  emit changed();
}

}  // namespace quire
