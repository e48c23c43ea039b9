#pragma once

#include <QList>
#include <QString>

#include "app/engine_page/figure_list.h"
#include "app/models/quantize_tools.h"

namespace quire::quantize_labels {

/// "Q4_K_M · 4.9 GB".
QString choice(const QuantizeType& type);
/// What a type means for the answers: "4 bits. Small, with little loss: the usual choice."
QString meaning(const QString& type);
/// "Writing the file, 1.2 GB of 4.9 GB".
QString stage(const QuantizeStep& step);
/// Always the same number.
QList<Figure> figures(const QuantizeComparison& comparison);
/// The name of the model without a type at its end, with that type instead and ".gguf"; no
/// character that a file's name cannot have.
QString fileName(const QString& modelName, const QString& type);

}  // namespace quire::quantize_labels
