#pragma once

#include <QByteArray>
#include <QList>

#include "app/hub/hub_model.h"

namespace quire {

/// The responses of hubs. They are untrusted: bounded, and checked value by value. Errors are
/// clauses for unreadable().

inline constexpr qsizetype kMostReplyBytes = 16 << 20;
inline constexpr qsizetype kMostHubFiles = 20'000;
inline constexpr qsizetype kMostFound = 30;  ///< Models of a search; the window has a row for each.
inline constexpr qint64 kMostFileBytes = qint64{1} << 42;

/// GET /api/models?search=… of Hugging Face: at most kMostFound models, even if the reply lists
/// more.
Result<QList<HubEntry>> readSearch(const QByteArray& body);

/// GET /api/models/NAME: everything but the files.
Result<HubModel> readModelInfo(const QByteArray& body);

/// A page of GET /api/models/NAME/tree/REVISION: appends its files, without URLs. Folders and
/// hidden files are left out.
Result<void> readTree(const QByteArray& body, QList<HubFile>& files);

/// The next page in a Link header (RFC 8288); empty: this is the last.
QByteArray nextPage(const QByteArray& link);

/// A manifest of Ollama's registry. The layers get the names that files have: "qwen3-8b.gguf" for
/// `stem` "qwen3-8b". Errors also for what is not one model as a GGUF file.
Result<QList<HubFile>> readManifest(const QByteArray& body, const QString& stem);

}  // namespace quire
