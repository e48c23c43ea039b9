#include "app/models/draft_choices.h"

#include <algorithm>

#include "app/store/visible_string.h"

namespace quire {
namespace {

/// A draft model has at most this fraction (1 / kTimesSmaller) of the model's parameters.
constexpr qint64 kTimesSmaller = 4;

bool canGuess(const ModelFacts& facts) {
  return facts.kind == ModelKind::kModel && facts.obstacle.message.empty() &&
         facts.parameters > 0 && !facts.vocabulary.isEmpty();
}

}  // namespace

DraftChoices::DraftChoices(const QList<const FoundModel*>& models) {
  for (const FoundModel* one : models) {
    if (!canGuess(one->facts)) continue;
    m_families[one->facts.vocabulary].append({one->facts.parameters, {one->path, one->name}});
  }
  for (QList<Draft>& family : m_families) std::ranges::stable_sort(family, {}, &Draft::parameters);
}

QList<DraftChoice> DraftChoices::of(const FoundModel& model) const {
  QList<DraftChoice> choices;
  const auto family = m_families.constFind(model.facts.vocabulary);
  if (family == m_families.cend()) return choices;
  for (const Draft& draft : *family) {
    const bool isSmall = draft.parameters <= model.facts.parameters / kTimesSmaller;
    if (!isSmall || choices.size() == kMost) break;
    choices.append({draft.choice.path, visibleString(draft.choice.name)});
  }
  return choices;
}

}  // namespace quire
