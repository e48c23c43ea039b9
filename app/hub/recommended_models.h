#pragma once

#include <QByteArray>
#include <QDate>
#include <QList>
#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// A model for someone who has none. A hub must confirm it before it is offered: the data is as old
/// as its date.
struct RecommendedModel {
  QString name;  ///< As readHubName() reads it.
  QString title;
  QString summary;  ///< One sentence.
  QString licence;
  qint64 bytes = 0;      ///< Of the download.
  qint64 freeBytes = 0;  ///< The memory that it needs.
  QDate asOf;
};

/// At most three models for a machine with so much free memory, the smallest first: the largest
/// that fits, and twice the largest of at most half the size of the one before. `language`: of
/// the summaries, "ko" or English. Thread: any.
QList<RecommendedModel> recommendedModels(qint64 freeBytes,
                                          const QString& language = QStringLiteral("en"));

/// Chooses these from a list.
QList<RecommendedModel> chooseRecommended(const QList<RecommendedModel>& models, qint64 freeBytes);

/// Reads resources/models/recommended.json. Errors: kCorruptFile, naming what is wrong.
Result<QList<RecommendedModel>> readRecommended(const QByteArray& json, const QString& language);

}  // namespace quire
