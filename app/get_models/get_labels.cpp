#include "app/get_models/get_labels.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <limits>

#include "app/models/model_labels.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire::get_labels {
namespace {

struct GetLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::GetLabels)
};

const QString kDot = QStringLiteral(" · ");

QString bytesText(qint64 bytes) {
  return sizeText(static_cast<quint64>(std::max<qint64>(bytes, 0)));
}

QString ofTotal(const HubDownload& download) {
  return GetLabels::tr("%1 of %2").arg(bytesText(download.bytes), bytesText(download.totalBytes));
}

QString running(const HubDownload& download) {
  QString text = ofTotal(download);
  if (download.bytesPerSecond <= 0) return text;
  text += kDot + GetLabels::tr("%1/s").arg(bytesText(download.bytesPerSecond));
  return text + kDot + timeLeft((download.totalBytes - download.bytes) / download.bytesPerSecond);
}

}  // namespace

QString asking(const HubAccess& access) {
  return GetLabels::tr("Asking %1…").arg(access.hubHost());
}

QString size(const HubChoice& choice) {
  if (choice.numFiles < 2) return bytesText(choice.bytes);
  return GetLabels::tr("%1 in %2 files")
      .arg(bytesText(choice.bytes), QLocale().toString(choice.numFiles));
}

QString fit(MachineFit fit) {
  switch (fit) {
    case MachineFit::kGpu:
      return GetLabels::tr("Fits the GPU");
    case MachineFit::kMemory:
      return GetLabels::tr("Fits memory");
    case MachineFit::kMemoryAndGpu:
      return GetLabels::tr("Fits memory and GPU together");
    case MachineFit::kTooLarge:
      return GetLabels::tr("Too large for this computer");
    case MachineFit::kUnknown:
      break;
  }
  return {};
}

QString speed(double tokensPerSecond) {
  if (tokensPerSecond <= 0.0) return {};
  const QString number = QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10.0 ? 1 : 0);
  return GetLabels::tr("about %1 tokens/s on the CPU").arg(number);
}

QString license(const QString& name) {
  return name.isEmpty() ? GetLabels::tr("Licence not stated")
                        : GetLabels::tr("Licence: %1").arg(visibleString(name));
}

QString result(const HubResult& result) {
  const qint64 most = std::numeric_limits<int>::max();
  const int downloads = static_cast<int>(std::clamp<qint64>(result.downloads, 0, most));
  QString text = GetLabels::tr("%Ln download(s)", nullptr, downloads);
  text += kDot + license(result.license);
  if (result.isGated) text += kDot + GetLabels::tr("asks for consent");
  return text;
}

QString progress(const HubDownload& download) {
  switch (download.state) {
    case DownloadState::kWaiting:
      return GetLabels::tr("Waiting for its turn") + kDot + bytesText(download.totalBytes);
    case DownloadState::kChecking:
      return GetLabels::tr("Checking what is on the disk") + kDot + ofTotal(download);
    case DownloadState::kRunning:
      return running(download);
    case DownloadState::kRetrying:
      return GetLabels::tr("Trying again in %1 s").arg((download.retryInMs + 999) / 1000) + kDot +
             ofTotal(download);
    case DownloadState::kPaused:
      return GetLabels::tr("Paused") + kDot + ofTotal(download);
    case DownloadState::kFailed:
    case DownloadState::kCancelled:
      return GetLabels::tr("Stopped") + kDot + ofTotal(download);
    case DownloadState::kDone:
      break;
  }
  const QString size = bytesText(download.totalBytes);
  return (download.wasThere ? GetLabels::tr("Was there already, and is verified")
                            : GetLabels::tr("Downloaded and verified")) +
         kDot + size;
}

QString timeLeft(qint64 seconds) {
  constexpr qint64 kMostMinutes = 90 * 60;
  if (seconds < kMostMinutes) return model_labels::timeLeft(static_cast<double>(seconds));
  return GetLabels::tr("%1 hours left").arg((seconds + 1800) / 3600);
}

}  // namespace quire::get_labels
