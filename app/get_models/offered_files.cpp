#include "app/get_models/offered_files.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

OfferedFiles::OfferedFiles(QObject* parent) : RoleListModel(parent) {
  const auto choice = [this](int row) -> const HubChoice& { return m_listing.choices[row]; };
  setRoles({{kLabel, "label", [choice](int row) { return visibleString(choice(row).label); }},
            {kSize, "sizeText", [choice](int row) { return get_labels::size(choice(row)); }},
            {kFacts, "facts", [this, choice](int row) { return factsOf(choice(row)); }},
            {kIsUsual, "isUsual",
             [this, choice](int row) {
               return row == m_listing.usual && count() > 1 && choice(row).fit != HubFit::kTooLarge;
             }},
            {kIsTooLarge, "isTooLarge",
             [choice](int row) { return choice(row).fit == HubFit::kTooLarge; }},
            {kCanGet, "canGet",
             [this, choice](int row) {
               return !choice(row).target.isEmpty() && !isThere(choice(row)) &&
                      !isTaken(choice(row));
             }},
            {kGetText, "getText", [this, choice](int row) {
               if (isTaken(choice(row))) return tr("In your downloads");
               return isThere(choice(row)) ? tr("On this computer") : tr("Download");
             }}});
}

QString OfferedFiles::title() const {
  return visibleString(m_listing.name);
}

QString OfferedFiles::facts() const {
  return m_listing.hub + QStringLiteral(" · ") + get_labels::license(m_listing.license);
}

QString OfferedFiles::factsOf(const HubChoice& choice) const {
  QStringList facts = {get_labels::fit(choice.fit)};
  if (choice.fit != HubFit::kTooLarge) facts += get_labels::speed(choice.tokensPerSecond);
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

void OfferedFiles::setTargets(const DownloadTargets& targets) {
  if (targets == m_targets) return;
  m_targets = targets;
  announceRows({kCanGet, kGetText});
}

}  // namespace quire
