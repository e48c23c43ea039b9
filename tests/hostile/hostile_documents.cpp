// Documents that a user attaches: PDFs and texts.
#include <QByteArray>

#include "tests/hostile/hostile_folder.h"
#include "tests/support/sample_pdf.h"

namespace quire::test {
namespace {

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& bytes) {
  return to.file("document", title, place, bytes).as(HostileUse::kAttach);
}

/// A PDF of these objects, without a table of them.
std::string pdf(const std::string& objects) {
  return "%PDF-1.4\n" + objects + "trailer<</Root 1 0 R>>\n";
}

const std::string kCatalog = "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n";
const std::string kPages = "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n";
const std::string kPage =
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
    "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n";

std::string stream(const std::string& dictionary, const std::string& bytes) {
  return "4 0 obj<<" + dictionary + "/Length " + std::to_string(bytes.size()) + ">>stream\n" +
         bytes + "\nendstream endobj\n";
}

/// zlib's format, of which Qt puts the length in front.
std::string deflated(const QByteArray& bytes) {
  return qCompress(bytes, 9).mid(4).toStdString();
}

void addPdfs(HostileFolder& to) {
  const std::string whole = pdfWith("Hello").toStdString();
  add(to, "whole.pdf", "", whole).ends(HostileEnd::kAccepted);
  add(to, "header-only.pdf", "PDF", "%PDF-1.7\n");
  add(to, "cut.pdf", "PDF", whole.substr(0, 60));
  add(to, "zeros-behind.pdf", "PDF", "%PDF-1.4\n" + std::string(10'000, '\0'));
  add(to, "pages-in-a-circle.pdf", "",
      pdf(kCatalog + "2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>endobj\n"))
      .ends(HostileEnd::kEither);
  add(to, "a-billion-pages.pdf", "",
      pdf(kCatalog + "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1000000000>>endobj\n" + kPage))
      .ends(HostileEnd::kEither);
  add(to, "object-is-itself.pdf", "", pdf("1 0 obj 1 0 R endobj\n")).ends(HostileEnd::kEither);
  add(to, "length-is-itself.pdf", "",
      pdf(kCatalog + kPages + kPage + "4 0 obj<</Length 4 0 R>>stream\nx\nendstream endobj\n"))
      .ends(HostileEnd::kEither);
  add(to, "nested-lists.pdf", "", pdf("1 0 obj" + repeated("[", 200'000) + "endobj\n"))
      .ends(HostileEnd::kEither);
  add(to, "nested-dictionaries.pdf", "", pdf("1 0 obj" + repeated("<</A", 200'000) + "endobj\n"))
      .ends(HostileEnd::kEither);
  add(to, "bomb-of-100-megabytes.pdf", "",
      pdf(kCatalog + kPages + kPage +
          stream("/Filter/FlateDecode", deflated(QByteArray(100 << 20, ' ')))))
      .ends(HostileEnd::kEither);
  const std::string twice =
      deflated(QByteArray::fromStdString(deflated(QByteArray(200 << 20, ' '))));
  add(to, "bomb-in-a-bomb.pdf", "",
      pdf(kCatalog + kPages + kPage + stream("/Filter[/FlateDecode/FlateDecode]", twice)))
      .ends(HostileEnd::kEither);
  add(to, "much-text.pdf", "",
      pdf(kCatalog + kPages + kPage +
          stream("/Filter/FlateDecode",
                 deflated("BT /F1 24 Tf " +
                          QByteArray("(aaaaaaaaaaaaaaaaaaaa) Tj ").repeated(300'000) + "ET"))))
      .ends(HostileEnd::kEither);
  add(to, "encrypted.pdf", "",
      "%PDF-1.4\n" + kCatalog + kPages + kPage +
          "trailer<</Root 1 0 R/Encrypt<</Filter/Standard/V 1/R 2/O(x)/U(x)/P -1>>/ID[(a)(b)]>>\n")
      .ends(HostileEnd::kEither);
  add(to, "opens-a-program.pdf", "",
      pdf("1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>endobj\n" +
          kPages + kPage))
      .ends(HostileEnd::kEither);
  for (int i = 0; i < 6; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 10; ++k)
      damaged[9 + to.random() % (damaged.size() - 9)] = static_cast<char>(to.random());
    add(to, "random-" + std::to_string(i) + ".pdf", "", damaged).ends(HostileEnd::kEither);
  }
}

}  // namespace

void addDocuments(HostileFolder& to) {
  addPdfs(to);
  add(to, "empty.txt", "empty", "").ends(HostileEnd::kEither);
  add(to, "zeros.txt", "text", std::string(1000, '\0'));
  add(to, "program", "text",
      "\x7f"
      "ELF" +
          std::string(1000, '\0'));
  add(to, "half-a-character.txt", "", std::string(1000, 'a') + "\xe2\x82")
      .ends(HostileEnd::kEither);
  add(to, "utf-16-odd.txt", "",
      "\xff\xfe"
      "a")
      .ends(HostileEnd::kEither);
  add(to, "escapes.txt", "", "\x1b[2J\x1b]0;owned\7 \u202e\u2066").ends(HostileEnd::kEither);
  add(to, "sparse-terabyte.txt", "large|MB|text", "a");
  makeSparse(to.files().back().path, uint64_t{1} << 40);
}

}  // namespace quire::test
