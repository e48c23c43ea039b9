#pragma once

#include <QString>

#include "app/get_models/hub_access.h"

/// Texts about models on hubs and their downloads.
namespace quire::get_labels {

QString asking(const HubAccess& access);  ///< "Asking huggingface.co…".
/// "5.0 GB", "5.0 GB in 3 files".
QString size(const HubChoice& choice);
QString fit(MachineFit fit);            ///< "Fits the GPU"; empty: not known.
QString speed(double tokensPerSecond);  ///< "about 12 tokens/s"; empty: not known.
QString license(const QString& name);   ///< "Licence: apache-2.0".
/// "2 million downloads · Licence: apache-2.0 · asks for consent".
QString result(const HubResult& result);
/// "2.1 of 5.0 GB · 34 MB/s · 2 minutes left", or why it does not go on.
QString progress(const HubDownload& download);
QString timeLeft(qint64 seconds);  ///< "2 minutes left".

}  // namespace quire::get_labels
