#include <QtTest>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/template/chat_template.h"

using quire::ChatTemplate;

namespace {

const std::filesystem::path kConformance = QUIRE_SOURCE_DIR "/../shared/conformance/templates";
const std::filesystem::path kOwnCases = QUIRE_SOURCE_DIR "/tests/data/templates/cases.json";

/// The moment that strftime_now showed when the expected texts were made.
constexpr std::chrono::local_seconds kNow =
    std::chrono::local_days(std::chrono::year(2026) / 11 / 20) + std::chrono::hours(12);

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

/// Renders, and compares with what Jinja2 gave: a text, or any error.
void check_case(const std::string& source, const nlohmann::ordered_json& input,
                const nlohmann::ordered_json& expected) {
  auto compiled = ChatTemplate::compile(source);
  if (!compiled) {
    QVERIFY2(expected.contains("error"), compiled.error().message.c_str());
    return;
  }
  auto rendered = compiled->render(input, kNow);
  if (!rendered) {
    QVERIFY2(expected.contains("error"), rendered.error().message.c_str());
    return;
  }
  const std::string text = rendered->text();
  QVERIFY2(!expected.contains("error"), ("rendered where Jinja fails: " + text).c_str());
  QCOMPARE(QString::fromStdString(text),
           QString::fromStdString(expected["rendered"].get<std::string>()));
}

}  // namespace

/// Whole templates as published, and cases of each language feature, against Jinja2's answers.
class TemplateConformance : public QObject {
  Q_OBJECT

 private slots:
  void published_templates_render_as_in_jinja_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("name");
    if (!std::filesystem::exists(kConformance)) {
      QTest::newRow("absent") << QString() << QString();
      return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(kConformance)) {
      if (entry.path().extension() != ".jinja") continue;
      auto expected = entry.path();
      expected.replace_extension(".expected.json");
      const auto cases = nlohmann::ordered_json::parse(read_file(expected));
      for (const auto& [name, ignored] : cases.items()) {
        const std::string row = entry.path().stem().string() + "/" + name;
        QTest::newRow(row.c_str())
            << QString::fromStdString(entry.path().string()) << QString::fromStdString(name);
      }
    }
  }

  void published_templates_render_as_in_jinja() {
    QFETCH(QString, file);
    QFETCH(QString, name);
    if (file.isEmpty()) QSKIP("the conformance data is not beside the project");
    std::filesystem::path path = file.toStdString();
    const std::string source = read_file(path);
    path.replace_extension(".expected.json");
    const auto cases = nlohmann::ordered_json::parse(read_file(path));
    const auto& expected = cases[name.toStdString()];
    check_case(source, expected["input"], expected);
  }

  void features_render_as_in_jinja_data() {
    QTest::addColumn<int>("index");
    const auto cases = nlohmann::ordered_json::parse(read_file(kOwnCases))["cases"];
    for (size_t i = 0; i < cases.size(); ++i) {
      const std::string row = cases[i]["feature"].get<std::string>() + " " + std::to_string(i);
      QTest::newRow(row.c_str()) << static_cast<int>(i);
    }
  }

  void features_render_as_in_jinja() {
    QFETCH(int, index);
    static const auto file = nlohmann::ordered_json::parse(read_file(kOwnCases));
    const auto& expected = file["cases"][static_cast<size_t>(index)];
    check_case(expected["template"].get<std::string>(), file["input"], expected);
  }
};

QTEST_APPLESS_MAIN(TemplateConformance)
#include "tst_template_conformance.moc"
