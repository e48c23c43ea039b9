#include <QFile>
#include <QTextStream>

#include "tests/ui/gallery/drawing.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

/// The page's own look, and the filters: a picture is hidden while one of its kinds is not chosen.
const char* const kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Quire in pictures</title>
<style>
body { margin: 0; font: 14px/1.5 Inter, sans-serif; background: #FBFAF7; color: #211F1B; }
header { position: sticky; top: 0; padding: 12px 24px; background: #FBFAF7; border-bottom: 1px solid #E6E2D9; }
h1 { margin: 0 0 8px; font-size: 18px; }
fieldset { display: inline; border: 0; margin: 0 24px 0 0; padding: 0; }
label { margin-right: 10px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: 20px; padding: 24px; }
figure { margin: 0; }
img { width: 100%; border: 1px solid #E6E2D9; border-radius: 8px; display: block; }
figcaption { margin-top: 4px; color: #6A655C; font-size: 12px; }
:target { position: fixed; inset: 0; overflow: auto; background: #171614; z-index: 1; }
:target img { width: auto; max-width: none; margin: 0 auto; border-radius: 0; }
</style>
</head>
<body>
)";

const char* const kScript = R"(<script>
const boxes = [...document.querySelectorAll('input')];
const show = () => {
  const off = boxes.filter(box => !box.checked).map(box => box.value);
  for (const figure of document.querySelectorAll('figure'))
    figure.hidden = off.some(kind => figure.dataset.kinds.split(' ').includes(kind));
};
boxes.forEach(box => box.addEventListener('change', show));
show();
</script>
</body>
</html>
)";

void writeFilter(QTextStream& out, const QString& title, const QStringList& kinds) {
  out << "<fieldset>" << title << ": ";
  for (const QString& kind : kinds)
    out << "<label><input type=\"checkbox\" value=\"" << kind << "\" checked>" << kind
        << "</label>";
  out << "</fieldset>\n";
}

void writeFigure(QTextStream& out, const QString& file, const QString& words,
                 const QStringList& kinds) {
  out << "<figure data-kinds=\"" << kinds.join(' ') << "\"><a href=\"" << file << "\"><img src=\""
      << file << "\" alt=\"" << words << "\" loading=\"lazy\"></a><figcaption>" << words
      << "</figcaption></figure>\n";
}

void writeFigures(QTextStream& out, const Order& order, const State& state) {
  const QString name = QStringLiteral("%1/%2").arg(state.page, state.name);
  for (const QString& percent : order.percents + QStringList{QStringLiteral("150")})
    for (const QString& language : order.languages)
      for (const QString& theme : order.themes) {
        const QString file = fileNameOf(name, theme, language, percent);
        if (!QFile::exists(order.folder + '/' + file)) continue;
        const QStringList kinds = {state.page, theme, language, percent};
        writeFigure(out, file, name + ", " + kinds.mid(1).join(", ") + " %", kinds);
      }
}

}  // namespace

bool writeSheet(const Order& order) {
  QFile file(order.folder + "/index.html");
  if (!file.open(QIODevice::WriteOnly)) return false;
  QTextStream out(&file);
  QStringList pages;
  for (const State& state : allStates()) pages.append(QString::fromLatin1(state.page));
  pages.removeDuplicates();
  out << kHead << "<header><h1>Quire in pictures</h1>\n";
  writeFilter(out, "Page", pages);
  writeFilter(out, "Theme", order.themes);
  writeFilter(out, "Language", order.languages);
  writeFilter(out, "Scale", order.percents + QStringList{QStringLiteral("150")});
  out << "</header>\n<main>\n";
  for (const State& state : allStates()) writeFigures(out, order, state);
  out << "</main>\n" << kScript;
  return out.status() == QTextStream::Ok;
}

}  // namespace quire::gallery
