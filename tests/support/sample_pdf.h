#pragma once

#include <QByteArray>

namespace quire {

/// A PDF of one page that shows these words, or nothing. Its table of objects is left out, which
/// every reader repairs.
inline QByteArray pdfWith(const QByteArray& words) {
  const QByteArray drawing = "BT /F1 24 Tf 72 700 Td (" + words + ") Tj ET";
  return "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
         "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
         "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
         "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n4 0 obj<</Length " +
         QByteArray::number(drawing.size()) + ">>stream\n" + drawing +
         "\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
         "trailer<</Root 1 0 R>>\n";
}

}  // namespace quire
