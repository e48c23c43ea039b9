#include "app/models/model_verifier.h"

#include <memory>

#include "app/models/model_removal.h"
#include "app/store/visible_string.h"

namespace quire {

QString ModelVerifier::text() const {
  return m_isRunning ? tr("Verifying %1: %2%").arg(m_name).arg(m_percent) : m_result;
}

void ModelVerifier::verify(ModelCard* card) {
  if (card == nullptr) return;
  m_isRunning = true;
  m_warns = false;
  m_name = card->name();
  m_percent = 0;
  const QString obstacle = card->obstacle();
  m_tasks.runNewest(
      [this, model = storedModel(*card), cachePath = m_cachePath](const std::stop_token& stop) {
        HashCache cache(cachePath);
        auto last = std::make_shared<int>(0);
        return verifyModel(model.path, partsOf(model), cache, stop,
                           [this, stop, last](qint64 done, qint64 total) {
                             const int percent = total > 0 ? int(100 * done / total) : 0;
                             if (percent == *last) return;
                             *last = percent;
                             QMetaObject::invokeMethod(
                                 this,
                                 [this, stop, percent] {
                                   if (stop.stop_requested()) return;
                                   m_percent = percent;
                                   emit changed();
                                 },
                                 Qt::QueuedConnection);
                           });
      },
      [this, obstacle](const Verification& result) { onVerified(result, obstacle); });
  emit changed();
}

void ModelVerifier::cancel() {
  m_tasks.cancel();
  m_isRunning = false;
  dismiss();
}

void ModelVerifier::dismiss() {
  if (m_isRunning) return;
  m_result.clear();
  m_warns = false;
  emit changed();
}

void ModelVerifier::onVerified(const Verification& result, const QString& obstacle) {
  using Verdict = Verification::Verdict;
  m_isRunning = false;
  m_warns = result.verdict == Verdict::kDiffers || result.verdict == Verdict::kUnreadable;
  const QString file = visibleString(result.file);
  switch (result.verdict) {
    case Verdict::kVerified:
      m_result = tr("%1 is verified: its files are as %2 published them.")
                     .arg(m_name, visibleString(result.origin));
      break;
    case Verdict::kDiffers:
      m_result = tr("%1: %2 differs from what %3 published. It is damaged or was changed; download "
                    "it again.")
                     .arg(m_name, file, visibleString(result.origin));
      break;
    case Verdict::kUnreadable:
      m_result = tr("%1: %2 cannot be read. The disk may be faulty.").arg(m_name, file);
      break;
    case Verdict::kUnknown:
      m_warns = !obstacle.isEmpty();
      m_result =
          obstacle.isEmpty()
              ? tr("No hash is known for %1. Its structure is complete: Quire read its "
                   "header without errors.")
                    .arg(m_name)
              : tr("No hash is known for %1, and it cannot be loaded: %2").arg(m_name, obstacle);
      break;
    case Verdict::kCancelled:
      m_result.clear();
      break;
  }
  emit changed();
}

}  // namespace quire
