#include <QtTest>

#include <limits>

#include "app/store/generation_settings.h"

using namespace quire;

namespace {

GenerationSettings everyField() {
  GenerationSettings settings;
  settings.temperature = 0.1;
  settings.topK = 40;
  settings.topP = 0.95;
  settings.minP = 0.05;
  settings.repetitionPenalty = 1.1;
  settings.presencePenalty = -0.5;
  settings.frequencyPenalty = 0.25;
  settings.maxTokens = 2048;
  settings.seed = std::numeric_limits<quint64>::max();
  settings.stop = {QStringLiteral("\"\n###"), QStringLiteral("끝 🎈")};
  settings.showReasoning = false;
  return settings;
}

}  // namespace

class TestGenerationSettings : public QObject {
  Q_OBJECT

 private slots:
  void json_roundTripsEveryField() {
    QCOMPARE(generationSettingsFromJson(toJson(everyField())), everyField());
    QCOMPARE(toJson({}), QString("{}"));
    QCOMPARE(generationSettingsFromJson("{}"), GenerationSettings());
    GenerationSettings none;
    none.stop = QStringList();  // Decided to have none is not undecided.
    QCOMPARE(generationSettingsFromJson(toJson(none)), none);
  }

  void json_keepsUnknownFieldsWhenItIsRewritten() {
    auto settings = generationSettingsFromJson(R"({"mirostat": {"tau": 5}, "top_k": 3})");
    QCOMPARE(settings.topK, std::optional<int>(3));
    settings.topK.reset();
    settings.temperature = 0.5;
    const auto again = generationSettingsFromJson(toJson(settings));
    QCOMPARE(again, settings);
    QVERIFY(toJson(again).contains(R"("mirostat":{"tau":5})"));
    QVERIFY(!toJson(again).contains("top_k"));
  }

  void json_takesNothingOutOfRange_data() {
    QTest::addColumn<QString>("json");
    QTest::newRow("type") << R"({"temperature": "hot"})";
    QTest::newRow("negative") << R"({"temperature": -1})";
    QTest::newRow("huge") << R"({"temperature": 1e999})";
    QTest::newRow("top_p 0") << R"({"top_p": 0})";
    QTest::newRow("top_k") << R"({"top_k": 99999999999})";
    QTest::newRow("max_tokens") << R"({"max_tokens": 0})";
    QTest::newRow("seed") << R"({"seed": -3})";
    QTest::newRow("stop") << R"({"stop": [1]})";
    QTest::newRow("not json") << "temperature";
    QTest::newRow("list") << "[1, 2, 3]";
    QTest::newRow("cut") << R"({"temperature": 0.)";
    QTest::newRow("deep") << QString("{\"a\":") + QString(100'000, '[');
    QTest::newRow("deep and whole")
        << QString("{\"a\":") + QString(5000, '[') + QString(5000, ']') + "}";
    QTest::newRow("long") << "{\"a\":\"" + QString(2'000'000, 'x') + "\"}";
  }
  void json_takesNothingOutOfRange() {
    QFETCH(QString, json);
    auto settings = generationSettingsFromJson(json);
    settings.unknown.clear();
    QCOMPARE(settings, GenerationSettings());
  }

  void resolve_takesTheHighestLayerThatDecides() {
    SettingsLayers layers;
    layers.modelFile.temperature = 0.6;
    layers.modelFile.topP = 0.9;
    layers.model.topK = 20;
    layers.persona.temperature = 0.2;
    layers.chat.stop = {QStringLiteral("x")};
    layers.chat.showReasoning = false;
    const auto resolved = resolve({.max_tokens = 77}, layers);
    QCOMPARE(resolved.sampling.temperature, 0.2f);
    QCOMPARE(resolved.originOf(SettingField::Temperature), SettingsLayer::Persona);
    QCOMPARE(resolved.sampling.top_p, 0.9f);
    QCOMPARE(resolved.originOf(SettingField::TopP), SettingsLayer::ModelFile);
    QCOMPARE(resolved.sampling.top_k, 20);
    QCOMPARE(resolved.originOf(SettingField::TopK), SettingsLayer::Model);
    QCOMPARE(resolved.sampling.max_tokens, 77);
    QCOMPARE(resolved.originOf(SettingField::MaxTokens), SettingsLayer::Default);
    QCOMPARE(resolved.sampling.stop, std::vector<std::string>{"x"});
    QCOMPARE(resolved.originOf(SettingField::Stop), SettingsLayer::Chat);
    QVERIFY(!resolved.showReasoning);
    QCOMPARE(resolved.originOf(SettingField::ShowReasoning), SettingsLayer::Chat);
  }

  void resolve_showsTheWayBack() {
    SettingsLayers layers;
    layers.modelFile.temperature = 0.6;
    layers.chat.temperature = 1.5;
    QCOMPARE(resolve({}, layers).sampling.temperature, 1.5f);
    layers.chat.temperature.reset();
    QCOMPARE(resolve({}, layers).sampling.temperature, 0.6f);
    layers = {};
    QCOMPARE(resolve({}, layers).sampling.temperature, SamplingParams().temperature);
    QCOMPARE(resolve({}, layers).showReasoning, true);
  }

  void resolve_coversEveryField() {
    const auto resolved = resolve({}, {.persona = everyField()});
    for (const SettingsLayer layer : resolved.origins) QCOMPARE(layer, SettingsLayer::Persona);
    QCOMPARE(resolved.sampling.seed, std::numeric_limits<uint64_t>::max());
    QCOMPARE(resolved.sampling.frequency_penalty, 0.25f);
    QCOMPARE(resolved.sampling.presence_penalty, -0.5f);
    QCOMPARE(resolved.sampling.repetition_penalty, 1.1f);
    QCOMPARE(resolved.sampling.min_p, 0.05f);
  }
};

QTEST_GUILESS_MAIN(TestGenerationSettings)
#include "tst_generation_settings.moc"
