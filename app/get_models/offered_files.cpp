#include "app/get_models/offered_files.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

OfferedFiles::OfferedFiles(QObject* parent) : RoleListModel(parent) {
  const auto choice = [this](int row) -> const HubChoice& { return m_listing.choices[row]; };
  setRoles(
      {{kLabel, "label", [choice](int row) { return visibleString(choice(row).label); }},
       {kSize, "sizeText", [choice](int row) { return get_labels::size(choice(row)); }},
       {kFacts, "facts", [this](int row) { return factsOf(row); }},
       {kIsUsual, "isUsual",
        [this, choice](int row) {
          return row == m_listing.usual && count() > 1 && choice(row).fit != MachineFit::kTooLarge;
        }},
       {kIsSuggested, "isSuggested",
        [this, choice](int row) {
          return row == m_listing.usual && choice(row).fit != MachineFit::kTooLarge &&
                 (at(row).canGet() || !pathOf(row).isEmpty());
        }},
       {kIsTooLarge, "isTooLarge",
        [choice](int row) { return choice(row).fit == MachineFit::kTooLarge; }},
       {kCanGet, "canGet", [this](int row) { return at(row).canGet(); }},
       {kCanAct, "canAct",
        [this](int row) { return at(row).canGet() || at(row).isOpen() || !pathOf(row).isEmpty(); }},
       {kActText, "actText", [this](int row) { return actText(row); }},
       {kActName, "actName", [this](int row) { return actName(row); }},
       {kProblem, "problem", [this](int row) { return problemOf(row); }}});
}

QString OfferedFiles::pathOf(int row) const {
  return row >= 0 && row < count() ? at(row).path() : QString();
}

QStringList OfferedFiles::targets() const {
  QStringList targets;
  for (const HubChoice& choice : m_listing.choices) targets += choice.target;
  return targets;
}

const HubDownload* OfferedFiles::openDownload(int row) const {
  if (row < 0 || row >= count() || !at(row).isOpen()) return nullptr;
  const ChoiceDownload one = at(row);
  return one.download;
}

QString OfferedFiles::actText(int row) const {
  const ChoiceDownload one = at(row);
  if (one.isOpen()) return one.isWorking() ? tr("Pause") : tr("Continue");
  if (one.isThere()) return one.path().isEmpty() ? tr("On this computer") : tr("Load");
  return one.hasFailed() || m_refusals.contains(row) ? tr("Try again") : tr("Download");
}

/// Shows the refusal, unless a download of this row is running or complete.
QString OfferedFiles::problemOf(int row) const {
  const QString problem = at(row).problem();
  return at(row).canGet() ? m_refusals.value(row, problem) : problem;
}

/// What a screen reader says of the button, which it does not see in its row.
QString OfferedFiles::actName(int row) const {
  const HubChoice& choice = m_listing.choices[row];
  return tr("%1: %2, %3").arg(actText(row), visibleString(choice.label), get_labels::size(choice));
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
  m_refusals.clear();
  endResetModel();
  emit changed();
}

void OfferedFiles::setDownloads(const QList<HubDownload>& downloads) {
  const bool isSame = saysTheSame(downloads, m_downloads);
  m_downloads = downloads;
  if (!isSame) announceRows({kFacts, kIsSuggested, kCanGet, kCanAct, kActText, kActName, kProblem});
}

void OfferedFiles::setRefusal(int row, const QString& refusal) {
  if (refusal.isEmpty()) {
    m_refusals.remove(row);
  } else {
    m_refusals.insert(row, refusal);
  }
  emit dataChanged(index(row), index(row), {kActText, kActName, kProblem});
}

}  // namespace quire
