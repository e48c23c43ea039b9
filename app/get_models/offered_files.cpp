#include "app/get_models/offered_files.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

OfferedFiles::OfferedFiles(QObject* parent) : RoleListModel(parent) {
  const auto choice = [this](int row) -> const HubChoice& { return m_listing.choices[row]; };
  setRoles({{kLabel, "label", [choice](int row) { return visibleString(choice(row).label); }},
            {kSize, "sizeText", [choice](int row) { return get_labels::size(choice(row)); }},
            {kFacts, "facts", [this](int row) { return factsOf(row); }},
            {kIsUsual, "isUsual",
             [this, choice](int row) {
               return row == m_listing.usual && count() > 1 &&
                      choice(row).fit != MachineFit::kTooLarge;
             }},
            {kIsTooLarge, "isTooLarge",
             [choice](int row) { return choice(row).fit == MachineFit::kTooLarge; }},
            {kCanGet, "canGet", [this](int row) { return at(row).canGet(); }},
            {kCanLoad, "canLoad", [this](int row) { return !pathOf(row).isEmpty(); }},
            {kGetText, "getText", [this](int row) { return getText(row); }},
            {kProblem, "problem", [this](int row) { return at(row).problem(); }}});
}

QString OfferedFiles::pathOf(int row) const {
  return row >= 0 && row < count() ? at(row).path() : QString();
}

QString OfferedFiles::getText(int row) const {
  const ChoiceDownload one = at(row);
  if (one.isOpen()) return tr("In your downloads");
  if (one.isThere()) return one.path().isEmpty() ? tr("On this computer") : tr("Load");
  return one.hasFailed() ? tr("Try again") : tr("Download");
}

QString OfferedFiles::title() const {
  return visibleString(m_listing.name);
}

QString OfferedFiles::facts() const {
  return m_listing.hub + QStringLiteral(" · ") + get_labels::license(m_listing.license);
}

QString OfferedFiles::factsOf(int row) const {
  const ChoiceDownload one = at(row);
  if (one.isOpen()) return get_labels::progress(*one.download);
  if (one.isThere()) return tr("On this computer");
  QStringList facts = {get_labels::fit(one.choice.fit)};
  if (one.choice.fit != MachineFit::kTooLarge) {
    facts += get_labels::speed(one.choice.tokensPerSecond);
  }
  facts.removeAll(QString());
  return facts.join(QStringLiteral(" · "));
}

QString OfferedFiles::speedNote() const {
  const bool isKnown = std::ranges::any_of(
      m_listing.choices, [](const HubChoice& choice) { return choice.tokensPerSecond > 0.0; });
  if (isKnown || m_listing.choices.isEmpty()) return {};
  return tr("Speeds are shown once a model has run on this computer.");
}

void OfferedFiles::set(const HubListing& listing) {
  beginResetModel();
  m_listing = listing;
  endResetModel();
  emit changed();
}

void OfferedFiles::setDownloads(const QList<HubDownload>& downloads) {
  const bool isSame = saysTheSame(downloads, m_downloads);
  m_downloads = downloads;
  if (!isSame) announceRows({kFacts, kCanGet, kCanLoad, kGetText, kProblem});
}

}  // namespace quire
